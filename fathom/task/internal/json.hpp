#pragma once
#include <array>
#include <concepts>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/task/result.hpp"

// JSON of plain structs, both ways, from one list of members for each struct S:
//   template <class Visit>
//   void members(Visit& visit, S& s) { visit("key", s.key); visit.if_any("other", s.other); }
// It stands in the namespace of S, in the .cpp that calls json_text or summary_from.
namespace fathom::task::internal {

using Json = nlohmann::ordered_json;  // it writes what is not finite as null

template <class T>
Json to_json(const T& value);
template <class T>
void from_json(const Json& json, T& value);

struct MemberWriter {
  Json json = Json::object();

  template <class T>
  void operator()(const char* key, const T& value) {
    json[key] = to_json(value);
  }
  /// A key that is left out where there is nothing: an empty optional, an empty list, zero.
  template <class T>
  void if_any(const char* key, const T& value) {
    if constexpr (requires { value.has_value(); }) {
      if (value.has_value()) (*this)(key, value);
    } else if (value != T()) {
      (*this)(key, value);
    }
  }
};

struct MemberReader {
  const Json& json;

  template <class T>
  void operator()(const char* key, T& value) {
    if (!json.contains(key)) reject("summary", std::string("lacks ") + key);
    from_json(json.at(key), value);
  }
  template <class T>
  void if_any(const char* key, T& value) {
    if (json.contains(key)) from_json(json.at(key), value);
  }
};

template <class T>
struct Coder {
  static Json write(const T& value) {
    MemberWriter writer;
    members(writer, const_cast<T&>(value));  // which only reads it
    return std::move(writer.json);
  }
  static void read(const Json& json, T& value) {
    MemberReader reader{json};
    members(reader, value);
  }
};

template <class T>
requires std::integral<T> || std::same_as<T, std::string>
struct Coder<T> {
  static Json write(const T& value) { return value; }
  static void read(const Json& json, T& value) { value = json.get<T>(); }
};

template <>
struct Coder<double> {
  static Json write(double value) { return value; }
  static void read(const Json& json, double& value) { value = json.is_null() ? nan : json.get<double>(); }
};

template <class T>
struct Coder<std::optional<T>> {
  static Json write(const std::optional<T>& value) { return value ? to_json(*value) : Json(); }
  static void read(const Json& json, std::optional<T>& value) {
    value.reset();
    if (json.is_null()) return;
    T one{};
    from_json(json, one);
    value = std::move(one);
  }
};

template <class T>
struct Coder<std::vector<T>> {
  static Json write(const std::vector<T>& list) {
    Json json = Json::array();
    for (const T& value : list) json.push_back(to_json(value));
    return json;
  }
  static void read(const Json& json, std::vector<T>& list) {
    list.clear();
    for (const Json& one : json) from_json(one, list.emplace_back());
  }
};

template <class T, std::size_t n>
struct Coder<std::array<T, n>> {
  static Json write(const std::array<T, n>& list) {
    Json json = Json::array();
    for (const T& value : list) json.push_back(to_json(value));
    return json;
  }
  static void read(const Json& json, std::array<T, n>& list) {
    for (std::size_t k = 0; k < n; ++k) from_json(json.at(k), list[k]);
  }
};

template <class T>
struct Coder<ByName<T>> {
  static Json write(const ByName<T>& list) {
    Json json = Json::object();
    for (const auto& [name, value] : list) json[name] = to_json(value);
    return json;
  }
  static void read(const Json& json, ByName<T>& list) {
    list.clear();
    for (const auto& [name, value] : json.items()) from_json(value, list.emplace_back(name, T()).second);
  }
};

template <class T>
Json to_json(const T& value) {
  return Coder<T>::write(value);
}
template <class T>
void from_json(const Json& json, T& value) {
  Coder<T>::read(json, value);
}

/// Bytes that are not UTF-8 (a file name may have them) are replaced: JSON has no others.
template <class T>
std::string json_text(const T& summary) {
  return to_json(summary).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Throws InputError where the text is not the JSON of such a summary.
template <class T>
T summary_from(const std::string& text) {
  T summary;
  try {
    from_json(Json::parse(text), summary);
  } catch (const Json::exception& error) {
    reject("summary", std::string("cannot be read: ") + error.what());
  }
  return summary;
}

}  // namespace fathom::task::internal
