#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <nlohmann/json.hpp>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/task/result.hpp"

// JSON of plain structs, both ways. In the .cpp of a task, in the namespace of the struct, FATHOM_JSON(S, name,
// unit, sigma) lists all members of S in their order: they are the keys. A member
// whose key is no name in C++ has a '_' before or behind it: true_ is the key "true".
#define FATHOM_JSON(S, ...)               \
  template <class Visit>                  \
  void members(Visit& visit, S& of) {     \
    auto& [__VA_ARGS__] = of;             \
    visit.all(#__VA_ARGS__, __VA_ARGS__); \
  }
// The same of the summary of a result, whose JSON is defined with it.
#define FATHOM_SUMMARY(S, ...)                 \
  FATHOM_JSON(S, __VA_ARGS__)                  \
  template <>                                  \
  std::string json_of(const S& summary) {      \
    return internal::json_text(summary);       \
  }                                            \
  template <>                                  \
  S summary_of_json(const std::string& text) { \
    return internal::summary_from<S>(text);    \
  }

namespace fathom::task::internal {

using Json = nlohmann::ordered_json;  // it writes what is not finite as null

template <class T>
Json to_json(const T& value);
template <class T>
void from_json(const Json& json, T& value);

/// Takes the first of "one, two, three" away and returns it.
inline std::string next_key(std::string_view& names) {
  const std::size_t end = std::min(names.find(','), names.size());
  std::string key(names.substr(0, end));
  names.remove_prefix(std::min(end + 2, names.size()));
  if (key.ends_with('_')) key.pop_back();
  if (key.starts_with('_')) key.erase(0, 1);
  return key;
}

template <class T>
inline constexpr bool is_if_any = false;
template <class T>
inline constexpr bool is_if_any<IfAny<T>> = true;

struct MemberWriter {
  Json json = Json::object();

  template <class... T>
  void all(std::string_view names, const T&... values) {
    (write(next_key(names), values), ...);
  }
  template <class T>
  void write(const std::string& key, const T& value) {
    if constexpr (is_if_any<T>) {
      if (value) json[key] = to_json(*value);
    } else {
      json[key] = to_json(value);
    }
  }
};

struct MemberReader {
  const Json& json;

  template <class... T>
  void all(std::string_view names, T&... values) {
    (read(next_key(names), values), ...);
  }
  template <class T>
  void read(const std::string& key, T& value) {
    if constexpr (is_if_any<T>) {
      if (!json.contains(key)) return;
      typename T::value_type one{};
      from_json(json.at(key), one);
      value = std::move(one);
    } else {
      if (!json.contains(key)) reject("summary", "lacks " + key);
      from_json(json.at(key), value);
    }
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

/// A vector is a list, a matrix a list of its rows.
template <class T>
requires std::derived_from<T, Eigen::MatrixBase<T>>
struct Coder<T> {
  static constexpr bool is_vector = T::ColsAtCompileTime == 1;

  static Json write(const T& matrix) {
    Json json = Json::array();
    for (const auto& row : matrix.rowwise()) {
      const Json list(std::vector<double>(row.begin(), row.end()));
      json.push_back(is_vector ? list[0] : list);
    }
    return json;
  }
  static void read(const Json& json, T& matrix) {
    const std::size_t rows = json.size(), columns = is_vector ? 1 : rows ? json.at(0).size() : 0;
    const auto is_fixed_to_another = [](int fixed, std::size_t size) {
      return fixed != Eigen::Dynamic && fixed != static_cast<int>(size);
    };
    if (is_fixed_to_another(T::RowsAtCompileTime, rows) || is_fixed_to_another(T::ColsAtCompileTime, columns))
      reject("summary", "has a matrix of another size");
    matrix.resize(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        from_json(is_vector ? json.at(i) : json.at(i).at(j),
                  matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)));
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
