#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include <Eigen/Core>

#include "fathom/base/constants.hpp"
#include "fathom/fields/key.hpp"

// One codec per type of value. `read` leaves `out` alone where the value is wrong.
namespace fathom::fields {

// What the codecs share, compiled once.
std::optional<double> read_number(const yaml::Field& field, const Spec& spec);
/// Reports a number outside its range; `field` need not be the one that holds the number.
bool check_range(const yaml::Field& field, const Spec& spec, double value);
/// A list of `count` numbers, each in the range.
std::optional<std::vector<double>> read_numbers(const yaml::Field& field, const Spec& spec, std::size_t count);
std::optional<std::vector<double>> read_number_list(const yaml::Field& field, const Spec& spec);
/// Row-major; the range holds for the diagonal.
std::optional<std::vector<double>> read_square(const yaml::Field& field, const Spec& spec, std::size_t size);
std::optional<double> read_whole(const yaml::Field& field, const Spec& spec, double least, double most);
/// Text, or one of the words of the key.
std::optional<std::string> read_text(const yaml::Field& field, const Spec& spec);
std::optional<std::size_t> read_word(const yaml::Field& field, const std::vector<std::string_view>& words);
/// The entries of a list, reported where there are too few or too many.
std::vector<yaml::Field> read_items(const yaml::Field& field, const Spec& spec);
/// NaN is null.
Json write_number(double value);
Json write_numbers(std::span<const double> values);
Json write_square(std::span<const double> row_major, std::size_t size);
Json number_schema(const Spec& spec);
Json integer_schema(const Spec& spec, double least, double most);
Json numbers_schema(const Spec& spec, std::size_t count);
Json square_schema(const Spec& spec, std::size_t size);
Json text_schema();
Json word_schema(const std::vector<std::string_view>& words);
Json list_schema(const Spec& spec, Json items);

/// Base of codecs of formats that are only read.
struct ReadOnly {
  template <class T>
  static Json write(const T&, const Spec&) {
    return absent();
  }
};

/// A struct with a table.
template <class T>
struct Codec {
  static void read(const yaml::Field& field, const Spec&, T& out) { read_map(field, Table<T>::fields(), &out); }
  static Json write(const T& value, const Spec&) { return write_map(Table<T>::fields(), &value, &fresh<T>()); }
  static Json schema(const Spec&) {
    Json schema = schema_of_map(Table<T>::fields(), &fresh<T>());
    Table<T>::refine(schema);
    return schema;
  }
};

template <>
struct Codec<double> {
  static void read(const yaml::Field& field, const Spec& spec, double& out) {
    if (const auto value = read_number(field, spec)) out = *value;
  }
  static Json write(double value, const Spec&) { return write_number(value); }
  static Json schema(const Spec& spec) { return number_schema(spec); }
};

template <class T>
requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) struct Codec<T> {
  // Beyond 2^53 a double skips whole numbers.
  static constexpr double most = std::numeric_limits<T>::digits > 53
                                     ? 9007199254740992.0
                                     : static_cast<double>(std::numeric_limits<T>::max());
  static constexpr double least = std::is_signed_v<T> ? -most : 0;
  static void read(const yaml::Field& field, const Spec& spec, T& out) {
    if (const auto value = read_whole(field, spec, least, most)) out = static_cast<T>(*value);
  }
  static Json write(T value, const Spec&) { return value; }
  static Json schema(const Spec& spec) { return integer_schema(spec, least, most); }
};

template <>
struct Codec<bool> {
  static void read(const yaml::Field& field, const Spec&, bool& out) {
    if (const auto value = field.yes_or_no()) out = *value;
  }
  static Json write(bool value, const Spec&) { return value; }
  static Json schema(const Spec&) { return {{"type", "boolean"}}; }
};

template <>
struct Codec<std::string> {
  static void read(const yaml::Field& field, const Spec& spec, std::string& out) {
    if (auto value = read_text(field, spec)) out = *std::move(value);
  }
  static Json write(const std::string& value, const Spec&) { return value; }
  static Json schema(const Spec& spec) { return spec.words.empty() ? text_schema() : word_schema(spec.words); }
};

template <>
struct Codec<std::filesystem::path> {
  static void read(const yaml::Field& field, const Spec&, std::filesystem::path& out) {
    if (auto value = field.text()) out = *std::move(value);
  }
  static Json write(const std::filesystem::path& value, const Spec&) { return value.string(); }
  static Json schema(const Spec&) { return text_schema(); }
};

/// A name that can be part of a file's name.
struct PlainName {
  static void read(const yaml::Field& field, const Spec&, std::string& out) {
    if (auto value = field.text()) {
      yaml::check_name(field, *value);
      out = *std::move(value);
    }
  }
  static Json write(const std::string& value, const Spec&) { return value; }
  static Json schema(const Spec&) {
    Json schema = text_schema();
    schema["pattern"] = "^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$";
    return schema;
  }
};

// Text that a check of the whole object judges.
struct NameText : Codec<std::string> {
  static Json schema(const Spec& spec) { return PlainName::schema(spec); }
};
struct WordText : Codec<std::string> {
  static Json schema(const Spec&);
};

/// The words of an enum: specialise words<E>().
template <class E>
requires std::is_enum_v<E>
struct Codec<E> {
  static std::vector<std::string_view> all() {
    std::vector<std::string_view> result;
    for (const auto& word : words<E>()) result.push_back(word.first);
    return result;
  }
  static void read(const yaml::Field& field, const Spec&, E& out) {
    if (const auto k = read_word(field, all())) out = words<E>()[*k].second;
  }
  static Json write(E value, const Spec&) {
    for (const auto& [word, each] : words<E>())
      if (each == value) return word;
    return absent();
  }
  static Json schema(const Spec&) { return word_schema(all()); }
};

/// The word of a value, such as for messages.
template <class E>
std::string_view word_of(E value) {
  for (const auto& [word, each] : words<E>())
    if (each == value) return word;
  return {};
}

template <int rows>
requires(rows > 0) struct Codec<Eigen::Matrix<double, rows, 1>> {
  using Vector = Eigen::Matrix<double, rows, 1>;
  static void read(const yaml::Field& field, const Spec& spec, Vector& out) {
    if (const auto v = read_numbers(field, spec, rows)) out = Eigen::Map<const Vector>(v->data());
  }
  static Json write(const Vector& v, const Spec&) {
    return write_numbers({v.data(), static_cast<std::size_t>(rows)});
  }
  static Json schema(const Spec& spec) { return numbers_schema(spec, rows); }
};

template <>
struct Codec<Eigen::VectorXd> {
  static void read(const yaml::Field& field, const Spec& spec, Eigen::VectorXd& out) {
    if (const auto v = read_number_list(field, spec))
      out = Eigen::Map<const Eigen::VectorXd>(v->data(), static_cast<Eigen::Index>(v->size()));
  }
  static Json write(const Eigen::VectorXd& v, const Spec&) {
    return write_numbers({v.data(), static_cast<std::size_t>(v.size())});
  }
  static Json schema(const Spec& spec) { return list_schema(spec, number_schema(spec)); }
};

/// A square matrix: its diagonal, or all its rows.
template <int size>
requires(size > 1) struct Codec<Eigen::Matrix<double, size, size>> {
  using Matrix = Eigen::Matrix<double, size, size>;
  using RowMajor = Eigen::Matrix<double, size, size, Eigen::RowMajor>;
  static void read(const yaml::Field& field, const Spec& spec, Matrix& out) {
    if (const auto v = read_square(field, spec, size)) out = Eigen::Map<const RowMajor>(v->data());
  }
  static Json write(const Matrix& m, const Spec&) {
    const RowMajor rows = m;
    return write_square({rows.data(), static_cast<std::size_t>(size) * size}, size);
  }
  static Json schema(const Spec& spec) { return square_schema(spec, size); }
};

template <std::size_t count>
struct Codec<std::array<double, count>> {
  static void read(const yaml::Field& field, const Spec& spec, std::array<double, count>& out) {
    if (const auto v = read_numbers(field, spec, count)) std::copy(v->begin(), v->end(), out.begin());
  }
  static Json write(const std::array<double, count>& v, const Spec&) { return write_numbers(v); }
  static Json schema(const Spec& spec) { return numbers_schema(spec, count); }
};

template <>
struct Codec<std::vector<double>> {
  static void read(const yaml::Field& field, const Spec& spec, std::vector<double>& out) {
    if (auto v = read_number_list(field, spec)) out = *std::move(v);
  }
  static Json write(const std::vector<double>& v, const Spec&) { return write_numbers(v); }
  static Json schema(const Spec& spec) { return list_schema(spec, number_schema(spec)); }
};

/// A list; unit and range are those of the entries.
template <class T>
struct Codec<std::vector<T>> {
  static Spec of_entry(Spec spec) {
    const Spec none;
    spec.least_entries = none.least_entries;
    spec.most_entries = none.most_entries;
    return spec;
  }
  static void read(const yaml::Field& field, const Spec& spec, std::vector<T>& out) {
    out.clear();
    for (const yaml::Field& item : read_items(field, spec))
      Codec<T>::read(item, of_entry(spec), out.emplace_back());
  }
  static Json write(const std::vector<T>& list, const Spec& spec) {
    Json json = Json::array();
    for (const T& each : list) json.push_back(Codec<T>::write(each, of_entry(spec)));
    return json;
  }
  static Json schema(const Spec& spec) { return list_schema(spec, Codec<T>::schema(of_entry(spec))); }
  static void inherit(std::vector<T>& list, const yaml::Origin& origin) requires requires(T& t) {
    Codec<T>::inherit(t, origin);
  }
  {
    for (T& each : list) Codec<T>::inherit(each, origin);
  }
};

template <class T, class C>
struct OptionalCodec {
  static void read(const yaml::Field& field, const Spec& spec, std::optional<T>& out) {
    out = T{};
    C::read(field, spec, *out);
  }
  static Json write(const std::optional<T>& value, const Spec& spec) {
    return value ? C::write(*value, spec) : absent();
  }
  static Json schema(const Spec& spec) { return C::schema(spec); }
  static void inherit(std::optional<T>& value, const yaml::Origin& origin) requires requires(T& t) {
    C::inherit(t, origin);
  }
  {
    if (value) C::inherit(*value, origin);
  }
};
template <class T>
struct Codec<std::optional<T>> : OptionalCodec<T, Codec<T>> {};
// An optional number stays empty where its value is wrong.
template <>
struct Codec<std::optional<double>> : OptionalCodec<double, Codec<double>> {
  static void read(const yaml::Field& field, const Spec& spec, std::optional<double>& out) {
    if (const auto value = read_number(field, spec)) out = value;
  }
};

/// A map by names.
template <class T>
struct Codec<std::map<std::string, T>> {
  static void read(const yaml::Field& field, const Spec& spec, std::map<std::string, T>& out) {
    yaml::Map map(field);
    const std::vector<std::string> names = map.names();
    for (const std::string& name : names) Codec<T>::read(*map.take(name), spec, out[name]);
  }
  static Json write(const std::map<std::string, T>& map, const Spec& spec) {
    Json json = Json::object();
    for (const auto& [name, value] : map) json[name] = Codec<T>::write(value, spec);
    return json;
  }
  static Json schema(const Spec& spec) {
    return {{"type", "object"},
            {"propertyNames", {{"minLength", 1}}},
            {"additionalProperties", Codec<T>::schema(spec)}};
  }
};

/// A map by names that keeps the order in which it was filled.
template <class T>
using Named = std::vector<std::pair<std::string, T>>;
template <class T>
struct Codec<std::vector<std::pair<std::string, T>>> {
  static void read(const yaml::Field& field, const Spec& spec, Named<T>& out) {
    yaml::Map map(field);
    const std::vector<std::string> names = map.names();
    for (const std::string& name : names) {
      const auto entry = map.take(name);
      if (name.empty()) entry->error("has an empty name", std::string(spec.hint));
      Codec<T>::read(*entry, spec, out.emplace_back(name, T{}).second);
    }
  }
  static Json write(const Named<T>& named, const Spec& spec) {
    Json json = Json::object();
    for (const auto& [name, value] : named) json[name] = Codec<T>::write(value, spec);
    return json;
  }
  static Json schema(const Spec& spec) { return Codec<std::map<std::string, T>>::schema(spec); }
};

/// A union in a map of its own; see Union.
template <class... A>
struct Codec<std::variant<A...>> {
  using V = std::variant<A...>;
  static void read(const yaml::Field& field, const Spec&, V& out) {
    yaml::Map map(field);
    read_union(map, field, Choice<V>::alternatives(), &out);
    map.finish();
  }
  static Json write(const V& value, const Spec&) {
    Json json = Json::object();
    write_union(json, Choice<V>::alternatives(), &value);
    return json;
  }
  static Json schema(const Spec&) { return schema_of_union(Choice<V>::alternatives()); }
};

/// A struct written as a list of its numbers, such as [min, max].
template <auto first, auto... rest>
struct ListOf {
  using S = typename internal::Member<decltype(first)>::Struct;
  static constexpr std::size_t count = 1 + sizeof...(rest);
  static void read(const yaml::Field& field, const Spec& spec, S& out) {
    const auto v = read_numbers(field, spec, count);
    if (!v) return;
    std::size_t k = 0;
    out.*first = (*v)[k++];
    ((out.*rest = (*v)[k++]), ...);
  }
  static Json write(const S& value, const Spec&) {
    return write_numbers(std::array<double, count>{value.*first, value.*rest...});
  }
  static Json schema(const Spec& spec) { return numbers_schema(spec, count); }
};

/// A map with some of the keys of a struct, or keys of a struct without a table.
template <class T, const Keys& (*keys)()>
struct MapOf {
  static void read(const yaml::Field& field, const Spec&, T& out) { read_map(field, keys(), &out); }
  static Json write(const T& value, const Spec&) { return write_map(keys(), &value, &fresh<T>()); }
  static Json schema(const Spec&) { return schema_of_map(keys(), &fresh<T>()); }
};

/// A struct whose first key may stand for all of it: `drop_out: 0.02` or a map.
template <class T>
struct ScalarOrMap {
  static void read(const yaml::Field& field, const Spec& spec, T& out) {
    const Key& first = Table<T>::fields().front();
    if (!field.is_map()) return first.read(field, first.spec, &out);
    Codec<T>::read(field, spec, out);
    yaml::Reading& reading = field.reading();  // checks know the first value by the key of the map
    reading.note_line(field.key(),
                      yaml::nearest_line(reading.lines(), field.key() + '.' + std::string(first.name)));
  }
  static Json write(const T& value, const Spec& spec) {
    Json map = Codec<T>::write(value, spec);
    const std::string first(Table<T>::fields().front().name);
    return map.size() == 1 && map.contains(first) ? Json(map[first]) : map;
  }
  static Json schema(const Spec& spec) {
    const Key& first = Table<T>::fields().front();
    return {{"anyOf", Json::array({first.schema(first.spec), Codec<T>::schema(spec)})}};
  }
};

/// Another unit of the same number or vector: `Factor::value` is what one of it is in the member's own unit.
template <class T, class Factor>
struct Scaled {
  static void read(const yaml::Field& field, const Spec& spec, T& out) {
    T value = out;
    const std::size_t before = field.reading().findings().size();
    Codec<T>::read(field, spec, value);
    if (field.reading().findings().size() == before) out = value * Factor::value;
  }
  /// Only where the decimal gives the same bits back.
  static Json write(const T& value, const Spec& spec);
  static Json schema(const Spec& spec) { return Codec<T>::schema(spec); }
};
struct DegreeFactor {
  static constexpr double value = degree;
};
/// Degrees, of a member in radians.
template <class T>
using Degrees = Scaled<T, DegreeFactor>;
/// The multiple of `factor` that gives `value` back bit by bit, as the file that was read had it; else nothing.
std::optional<double> exact_quotient(double value, double factor);

template <class T, class Factor>
Json Scaled<T, Factor>::write(const T& value, const Spec& spec) {
  if constexpr (std::is_arithmetic_v<T>) {
    const auto exact = exact_quotient(value, Factor::value);
    return exact ? Codec<T>::write(*exact, spec) : absent();
  } else {
    T scaled = value;
    for (Eigen::Index i = 0; i < scaled.size(); ++i) {
      const auto exact = exact_quotient(value[i], Factor::value);
      if (!exact) return absent();
      scaled[i] = *exact;
    }
    return Codec<T>::write(scaled, spec);
  }
}

/// A value that a later pass reads, because it needs more than the file: other files, vehicles named elsewhere.
struct Later {
  std::optional<yaml::Field> field;
};
template <>
struct Codec<Later> {
  static void read(const yaml::Field& field, const Spec&, Later& out) { out.field = field; }
  static Json write(const Later&, const Spec&) { return absent(); }
  static Json schema(const Spec&) { return Json::object(); }
};
/// The same, in the form of another codec.
template <class Form>
struct LaterAs : Codec<Later> {
  static Json schema(const Spec& spec) { return Form::schema(spec); }
};

// Whole objects.

template <class T>
void read(const yaml::Field& field, T& out, const Spec& spec = {}) {
  Codec<T>::read(field, spec, out);
}
template <class T>
Json to_json(const T& object) {
  return Codec<T>::write(object, {});
}
template <class T>
Json schema_of() {
  return Codec<T>::schema({});
}
/// Reads YAML or JSON text. Throws InputError with all that is wrong.
template <class T>
T from_text(const std::string& text, const std::string& file) {
  yaml::Reading reading(file);
  T object{};
  read(yaml::Field(yaml::parse_document(text, file, "one per file", "a map of keys"), "", reading), object);
  if (has_errors(reading.findings())) throw InputError(reading.findings());
  return object;
}

/// What a file lays out in its own way.
struct Layout {
  /// Maps on one line; matrices then have a line for each row. Without: lists of numbers alone are in flow
  /// style.
  bool (*is_in_line)(std::string_view key, const Json& map) = nullptr;
  /// Text without quotes. Without: whatever YAML can have so.
  bool (*is_word)(std::string_view key, std::string_view text) = nullptr;
};
/// Block maps, lists of scalars in flow style, numbers with the fewest digits that read back the same. A member
/// "#key" is a comment behind the key.
std::string emit_yaml(const Json& json, const Layout& layout = {});
template <class T>
std::string to_yaml(const T& object) {
  return emit_yaml(to_json(object));
}

}  // namespace fathom::fields
