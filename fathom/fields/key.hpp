#pragma once
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "fathom/fields/yaml_values.hpp"

/// One declaration per key: a struct that comes from a file, from flags or goes into a result has one table of
/// its keys. Reader, writer, range checks, JSON schema, command-line flags, reference tables and fuzz
/// dictionaries follow from it.
///
/// ```cpp
/// #include "fathom/fields/codec.hpp"
/// struct Beams { double tilt_deg = 30; std::vector<double> azimuth_deg = {45, 135}; };
/// struct Line { double slope = 0; };
/// struct Table2 { std::vector<double> x, y; };
/// using Law = std::variant<Line, Table2>;
/// enum class Unit { newton, volt };
/// struct Motor { std::string name; double mass = 0; Unit unit = Unit::newton; Law law; std::optional<Beams>
/// beams; };
///
/// namespace fathom::fields {  // in ONE .cpp of the module that reads the struct
/// template <> const Words<Unit>& words<Unit>() {
///   static const Words<Unit> all{{"newton", Unit::newton}, {"volt", Unit::volt}};
///   return all;
/// }
/// template <> const Keys& Table<Beams>::fields() {
///   static const Keys keys{
///       field<&Beams::tilt_deg>("tilt_deg").unit("deg").above(0).below(90).doc("Tilt from the sensor's z
///       axis."), field<&Beams::azimuth_deg>("azimuth_deg").unit("deg").entries(2, 8).doc("One azimuth per
///       beam.")};
///   return keys;
/// }
/// template <> const Keys& Table<Line>::fields() {
///   static const Keys keys{field<&Line::slope>("slope").required("N/V").doc("Force over voltage.")};
///   return keys;
/// }  // ... Table<Table2> likewise
/// template <> const Union& Choice<Law>::alternatives() {
///   static const Union choice{"", {inlined<Law, Line>(), nested<Law, Table2>("table").doc("Measured
///   points.")}}; return choice;                                          // by the key that is present: slope,
///   or table: {x, y};
/// }                                                         // Union{"kind", {kind<Law, Line>("line"), ...}}:
/// by a word template <> const Keys& Table<Motor>::fields() {
///   static const Keys keys{
///       field<&Motor::name>("name").required("a short word").doc("Name."),
///       field<&Motor::mass>("mass").unit("kg").above(0).required("kg, dry").doc("Dry mass.").was("weight"),
///       field<&Motor::unit>("unit").doc("Unit of the command."),
///       spread<&Motor::law>(),                              // the keys of the union stand in the motor's own
///       map field<&Motor::beams>("beams").doc("Acoustic beams.")};
///   return keys;
/// }
/// }
/// Motor motor;
/// fields::read(yaml::Field(document, "", reading), motor);  // reports into `reading`, all errors at once
/// fields::to_yaml(motor); fields::to_json(motor); fields::schema_of<Motor>();
/// ```
///
/// A value with a codec of its own: `field<&Hull::mass, ValueCodec>("mass")`, or specialise `Codec<Value<T>>`.
/// A codec is a struct with static `read(const yaml::Field&, const Spec&, T&)`, `write(const T&, const Spec&)
/// -> Json` and `schema(const Spec&) -> Json`. `self<S, C>("key")` gives the codec the whole struct, for values
/// that need a sibling. A table that another file of the unity build uses must be declared first, in an
/// internal header: `template <> const Keys& Table<Motor>::fields();`
namespace fathom::fields {

/// Neutral output of the writers; keeps the order of the keys.
using Json = nlohmann::ordered_json;

/// A value that is not written at all, such as an empty optional.
inline Json absent() { return Json(Json::value_t::discarded); }

/// Limits of a number, or of each entry of a list; of a matrix, of each entry of its diagonal.
struct Range {
  std::optional<double> above, at_least, below, at_most;

  bool holds(double value) const;
  /// "must be > 0 and <= 10"
  std::string text() const;
};

/// The part of a key's declaration that its codec needs.
struct Spec {
  std::string_view unit;
  std::string_view what;  ///< the expected shape, as a hint: "x, y, z in m"
  std::string_view hint;  ///< the remedy where the range is violated
  std::string_view must;  ///< replaces Range::text
  Range range = {};
  bool infinity = false;  ///< .inf is allowed
  bool null = false;      ///< null reads as NaN, as results have it
  bool is_stated_only =
      false;  ///< range and entries are in the schema; a check of the whole object enforces them
  std::size_t least_entries = 0, most_entries = std::numeric_limits<std::size_t>::max();
  std::vector<std::string_view> words = {};  ///< the text is one of these; any where empty
};

struct Union;
struct Key;
using Keys = std::vector<Key>;

/// One key of a struct. Plain data, filled by field<>(), self<>() and spread<>().
struct Key {
  std::string_view name;
  std::string_view summary;  ///< one line of documentation
  Spec spec = {};
  enum class Presence { optional, always, required } presence = Presence::optional;
  std::string_view required_hint = {};
  bool (*is_required_for)(const void* object) = nullptr;
  std::string_view given_with = {};  ///< hint where two spellings stand side by side
  bool is_deprecated = false;
  bool is_preferred = false;       ///< of another spelling: written where its codec can
  bool is_head = false;            ///< written before the keys that are not
  bool is_section_origin = false;  ///< `source` or `assumed` of all values of the section
  std::string_view sibling = {};   ///< not read where this key could not be read
  std::string_view rival = {}, companion = {}, company_hint = {};  ///< keys that it excludes or needs
  bool inherits_if_given = false;  ///< the section's source, only where the key stands in the file
  bool (*is_known_for)(const void* object) = nullptr;
  std::string_view placeholder = {};  ///< of the flag's argument
  std::string_view usual = {};        ///< default that the help of the flag shows
  bool is_positional = false;         ///< an argument of the command line in place of a flag
  Keys others = {};                   ///< other spellings of the same value
  const Union* parts = nullptr;       ///< instead of one key: those of a union or struct, in the same map
  void* (*part)(void* object) = nullptr;

  void (*read)(const yaml::Field& field, const Spec& spec, void* object) = nullptr;
  Json (*write)(const void* object, const Spec& spec) = nullptr;
  Json (*schema)(const Spec& spec) = nullptr;
  void (*inherit)(void* object, const yaml::Origin& origin) = nullptr;

  Key& unit(std::string_view word) { return spec.unit = word, *this; }
  Key& doc(std::string_view line) { return summary = line, *this; }
  Key& what(std::string_view shape) { return spec.what = shape, *this; }
  Key& hint(std::string_view remedy) { return spec.hint = remedy, *this; }
  Key& must(std::string_view text) { return spec.must = text, *this; }
  Key& above(double bound) { return spec.range.above = bound, *this; }
  Key& at_least(double bound) { return spec.range.at_least = bound, *this; }
  Key& below(double bound) { return spec.range.below = bound, *this; }
  Key& at_most(double bound) { return spec.range.at_most = bound, *this; }
  Key& between(double least, double most) { return at_least(least).at_most(most); }
  Key& entries(std::size_t least, std::size_t most = std::numeric_limits<std::size_t>::max()) {
    spec.least_entries = least;
    spec.most_entries = most;
    return *this;
  }
  /// The schema states range and entries; a check of the whole object enforces them.
  Key& stated() { return spec.is_stated_only = true, *this; }
  Key& or_infinity() { return spec.infinity = true, *this; }
  Key& or_null() { return spec.null = true, *this; }
  /// Must stand in the file; `text` is the remedy where it does not.
  Key& required(std::string_view text = {}) {
    required_hint = text;
    return presence = Presence::required, *this;
  }
  Key& required_if(bool (*test)(const void*), std::string_view text) {
    required_hint = text;
    is_required_for = test;
    return presence = Presence::always, *this;
  }
  /// Is written even where it has its default.
  Key& always() { return presence = Presence::always, *this; }
  /// Is written before the keys that are not head.
  Key& head() { return is_head = true, *this; }
  /// Is unknown where `test` says no of the keys read so far; is left alone where `key` could not be read.
  Key& only_if(bool (*test)(const void*), std::string_view key) {
    sibling = key;
    return is_known_for = test, *this;
  }
  /// Needs the value of an earlier key.
  Key& after(std::string_view key) { return sibling = key, *this; }
  /// May not stand beside `key`.
  Key& not_beside(std::string_view key, std::string_view text) {
    company_hint = text;
    return rival = key, *this;
  }
  /// May not stand without `key`.
  Key& only_beside(std::string_view key, std::string_view text) {
    company_hint = text;
    return companion = key, *this;
  }
  /// Another key for the same value, with a codec of its own; not both may stand there.
  Key& or_key(Key other) { return others.push_back(std::move(other)), *this; }
  Key& preferred() { return is_preferred = true, *this; }
  Key& beside(std::string_view text) { return given_with = text, *this; }
  /// An old name of the key.
  Key& was(std::string_view old_name);
  /// Takes over the section's source only where it stands in the file.
  Key& origin_if_given() { return inherits_if_given = true, *this; }
  /// Does not take over the section's source.
  Key& own_origin() { return inherit = nullptr, *this; }
  /// The value is one of these words, which must outlive the key.
  Key& words(std::vector<std::string_view> all) { return spec.words = std::move(all), *this; }
  Key& metavar(std::string_view word) { return placeholder = word, *this; }
  /// The default as the help of the flag says it, where it depends on other input.
  Key& by_default(std::string_view text) { return usual = text, *this; }
  /// Is an argument of the command line, not a flag.
  Key& positional() { return is_positional = true, *this; }
};

/// One alternative of a union: keys that stand in the map of the union itself.
struct Alternative {
  std::string_view word;  ///< of `kind`; empty in a union by keys
  Keys keys;
  void* (*emplace)(void* variant);          ///< makes the variant hold a fresh one
  const void* (*get)(const void* variant);  ///< nullptr where the variant holds another
  const void* fresh;
  std::string_view summary = {};

  Alternative doc(std::string_view line) && {
    summary = line;
    if (word.empty() && keys.size() == 1) keys.front().summary = line;
    return std::move(*this);
  }
};

/// Chooses an alternative by the word under the key `kind`, or, where that is empty, by the key that is
/// present: the first one of an alternative decides.
struct Union {
  std::string_view kind;
  std::vector<Alternative> alternatives;
  /// By keys: any key of an alternative decides, and with none of them the first one is meant.
  bool any_key_decides = false;
  /// With none of the keys the variant is left alone.
  bool is_optional = false;
  std::string_view hint = {};  ///< where `kind`, or each of the keys, is missing
  std::string_view noun = {};  ///< "shape": messages say that the map names no shape, or two
};

/// The keys of a struct, in the order of writing. Specialised in one .cpp of the module that reads the struct.
template <class T>
struct Table {
  static const Keys& fields();
  /// Adds to the schema of the struct what single keys cannot say, such as keys that depend on a sibling.
  static void refine(Json&) {}
};

/// The alternatives of a std::variant.
template <class V>
struct Choice {
  static const Union& alternatives();
};

/// Words of an enum, in the order of messages.
template <class E>
using Words = std::vector<std::pair<std::string_view, E>>;
template <class E>
const Words<E>& words();

// The walkers. They see tables only and are compiled once.

/// Reads a map whose keys are those of the table.
void read_map(const yaml::Field& field, const Keys& keys, void* object);
/// Reads the keys of the table from a map that has others too; the caller finishes the map.
void read_keys(yaml::Map& map, const yaml::Field& field, const Keys& keys, void* object);
void read_union(yaml::Map& map, const yaml::Field& field, const Union& choice, void* variant);
/// Leaves out optional keys whose value is that of `fresh`.
Json write_map(const Keys& keys, const void* object, const void* fresh);
void write_union(Json& out, const Union& choice, const void* variant);
/// Throws std::logic_error where two fields have one key.
Json schema_of_map(const Keys& keys, const void* fresh);
Json schema_of_union(const Union& choice);

/// Adds a finding at the key of `field`, at the line where its value stands.
void report(const yaml::Field& field, const std::string& message, std::string_view hint);

template <class T>
const T& fresh() {
  static const T object{};
  return object;
}

namespace internal {

template <class M>
struct Member;
template <class S, class M>
struct Member<M S::*> {
  using Struct = S;
  using Type = M;
};

}  // namespace internal

template <class T>
struct Codec;

/// A key of the member's struct.
template <auto member, class C = Codec<typename internal::Member<decltype(member)>::Type>>
Key field(std::string_view name) {
  using S = typename internal::Member<decltype(member)>::Struct;
  Key key{.name = name, .summary = {}};
  key.read = [](const yaml::Field& f, const Spec& s, void* o) { C::read(f, s, static_cast<S*>(o)->*member); };
  key.write = [](const void* o, const Spec& s) { return C::write(static_cast<const S*>(o)->*member, s); };
  key.schema = [](const Spec& s) { return C::schema(s); };
  if constexpr (requires(typename internal::Member<decltype(member)>::Type & m) {
                  C::inherit(m, yaml::Origin());
                })
    key.inherit = [](void* o, const yaml::Origin& origin) { C::inherit(static_cast<S*>(o)->*member, origin); };
  return key;
}

/// A key whose codec reads and writes the whole struct.
template <class S, class C = Codec<S>>
Key self(std::string_view name) {
  Key key{.name = name, .summary = {}};
  key.read = [](const yaml::Field& f, const Spec& s, void* o) { C::read(f, s, *static_cast<S*>(o)); };
  key.write = [](const void* o, const Spec& s) { return C::write(*static_cast<const S*>(o), s); };
  key.schema = [](const Spec& s) { return C::schema(s); };
  if constexpr (requires(S & whole) { C::inherit(whole, yaml::Origin()); })
    key.inherit = [](void* o, const yaml::Origin& origin) { C::inherit(*static_cast<S*>(o), origin); };
  return key;
}

/// A key for a member of a member.
template <auto outer, auto inner, class C = Codec<typename internal::Member<decltype(inner)>::Type>>
Key field_in(std::string_view name) {
  using S = typename internal::Member<decltype(outer)>::Struct;
  Key key = field<inner, C>(name);
  key.read = [](const yaml::Field& f, const Spec& s, void* o) {
    C::read(f, s, static_cast<S*>(o)->*outer.*inner);
  };
  key.write = [](const void* o, const Spec& s) { return C::write(static_cast<const S*>(o)->*outer.*inner, s); };
  if constexpr (requires(typename internal::Member<decltype(inner)>::Type & m) {
                  C::inherit(m, yaml::Origin());
                })
    key.inherit = [](void* o, const yaml::Origin& origin) {
      C::inherit(static_cast<S*>(o)->*outer.*inner, origin);
    };
  return key;
}

/// The keys, with ranges that the reader leaves to a check of the whole object, such as Robot::make.
inline Keys stated(Keys keys) {
  for (Key& key : keys) key.stated();
  return keys;
}

namespace internal {

/// A struct as a union of one.
template <class T>
const Union& whole() {
  static const Union only{"",
                          {{{},
                            Table<T>::fields(),
                            [](void* t) -> void* { return t; },
                            [](const void* t) -> const void* { return t; },
                            &fresh<T>()}},
                          true};
  return only;
}

}  // namespace internal

/// The member's keys stand in the map of its struct: those of a struct with a table or of a union.
template <auto member>
Key spread() {
  using S = typename internal::Member<decltype(member)>::Struct;
  using T = typename internal::Member<decltype(member)>::Type;
  Key key{.name = {}, .summary = {}};
  key.part = [](void* o) -> void* { return &(static_cast<S*>(o)->*member); };
  if constexpr (requires { std::variant_size<T>::value; })
    key.parts = &Choice<T>::alternatives();
  else
    key.parts = &internal::whole<T>();
  return key;
}

/// The keys of a base class, which has a table of its own.
template <class S, class Base>
Key inherited() {
  Key key{.name = {}, .summary = {}};
  key.part = [](void* o) -> void* { return static_cast<Base*>(static_cast<S*>(o)); };
  key.parts = &internal::whole<Base>();
  return key;
}

namespace internal {

template <class V, class A>
Alternative alternative(std::string_view word, Keys keys) {
  return {word, std::move(keys), [](void* v) -> void* { return &static_cast<V*>(v)->template emplace<A>(); },
          [](const void* v) -> const void* { return std::get_if<A>(static_cast<const V*>(v)); }, &fresh<A>()};
}

}  // namespace internal

/// An alternative by `kind: word`, whose keys stand beside `kind`.
template <class V, class A>
Alternative kind(std::string_view word) {
  return internal::alternative<V, A>(word, Table<A>::fields());
}
/// An alternative whose keys stand in the map of the union; the first one decides.
template <class V, class A>
Alternative inlined() {
  return internal::alternative<V, A>({}, Table<A>::fields());
}
/// An alternative that is the value of one key.
template <class V, class A, class C = Codec<A>>
Alternative nested(std::string_view key) {
  return internal::alternative<V, A>({}, {self<A, C>(key).required()});
}
template <class V, class A>
Alternative nested(Key key) {
  return internal::alternative<V, A>({}, {std::move(key.required())});
}
/// An alternative without keys: none of the others is there.
template <class V, class A>
Alternative nothing() {
  return internal::alternative<V, A>({}, {});
}

namespace internal {

struct SourceCodec {
  static void read(const yaml::Field& field, const Spec&, yaml::Origin& out) {
    out.source = field.text().value_or("");
  }
  static Json write(const yaml::Origin& origin, const Spec&) {
    return origin.source.empty() || origin.assumed ? absent() : Json(origin.source);
  }
  static Json schema(const Spec&);
};
struct AssumedCodec {
  static void read(const yaml::Field& field, const Spec&, yaml::Origin& out) {
    out = {field.text().value_or(""), true};
  }
  static Json write(const yaml::Origin& origin, const Spec&) {
    return origin.assumed ? Json(origin.source) : absent();
  }
  static Json schema(const Spec& spec) { return SourceCodec::schema(spec); }
};
/// Of a struct with the members `source` and `assumed`.
template <class S, class C>
struct OwnOrigin {
  static void read(const yaml::Field& field, const Spec& spec, S& out) {
    yaml::Origin origin;
    C::read(field, spec, origin);
    out.source = origin.source;
    out.assumed = origin.assumed;
  }
  static Json write(const S& of, const Spec& spec) {
    return C::write(yaml::Origin{of.source, of.assumed}, spec);
  }
  static Json schema(const Spec& spec) { return C::schema(spec); }
  static void inherit(S& of, const yaml::Origin& origin) {
    if (!of.source.empty() || of.assumed) return;
    of.source = origin.source;
    of.assumed = origin.assumed;
  }
};
Key origin_keys(Key source, Key assumed);

}  // namespace internal

/// `source` or `assumed` of the struct itself.
template <class S>
Key own_origin() {
  Key key = internal::origin_keys(self<S, internal::OwnOrigin<S, internal::SourceCodec>>("source"),
                                  self<S, internal::OwnOrigin<S, internal::AssumedCodec>>("assumed"));
  key.inherit = nullptr;
  key.others.front().inherit = nullptr;
  return key;
}
/// `source` or `assumed` of all values of the struct that do not state their own.
Key section_origin();

}  // namespace fathom::fields
