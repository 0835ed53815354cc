#pragma once
#include "fathom/fields/codec.hpp"
#include "fathom/model/robot.hpp"

// Values of robot, arm and hull files: `13.5`, or `{value: 13.5, unit: kg, source: ..., sigma: 0.1}`.
namespace fathom::fields {

// What the codecs of all values share, compiled once.
void read_unit(yaml::Map& map, std::string_view unit);
/// Any sigma >= 0 and infinity: unknown.
Spec spec_of_sigma(const Spec& spec);
Spec without_range(Spec spec);
/// The entry, under the key of the map that it stands in.
yaml::Field under_key_of(const yaml::Field& map, const yaml::Field& entry);
/// Adds source or assumed.
void write_origin(Json& out, const std::string& source, bool assumed);
/// The number itself, or a map with the rest.
Json value_schema(Json value, Json sigma, const Spec& spec);

template <class T, class C = Codec<T>, class SigmaC = C>
struct ValueCodec {
  static void read(const yaml::Field& field, const Spec& spec, model::Value<T>& out) {
    if (!field.has("value")) return C::read(field, spec, out.value);
    yaml::Map map(field);
    if (const auto entry = map.take("value")) {
      entry->also_known_as(field.key());
      const std::size_t before = field.reading().findings().size();
      C::read(*entry, without_range(spec), out.value);
      if (!spec.is_stated_only && field.reading().findings().size() == before)
        C::read(under_key_of(field, *entry), spec, out.value);  // a range is that of the key, not of its part
    }
    read_unit(map, spec.unit);
    if (const auto entry = map.take("sigma"))
      SigmaC::read(*entry, spec_of_sigma(spec), out.sigma.emplace(model::zero<T>()));
    yaml::take_origin(map, out);
    map.finish();
  }
  static Json write(const model::Value<T>& value, const Spec& spec) {
    Json number = C::write(value.value, spec);
    if (!has_more(value)) return number;
    Json out = {{"value", std::move(number)}};
    if (value.sigma) out["sigma"] = SigmaC::write(*value.sigma, spec);
    write_origin(out, value.source, value.assumed);
    return out;
  }
  static Json schema(const Spec& spec) {
    return value_schema(C::schema(spec), SigmaC::schema(spec_of_sigma(spec)), spec);
  }
  static void inherit(model::Value<T>& value, const yaml::Origin& origin) {
    if (!value.source.empty() || value.assumed) return;
    value.source = origin.source;
    value.assumed = origin.assumed;
  }
  /// Does the value state more than its number?
  static bool has_more(const model::Value<T>& value) {
    return !value.source.empty() || value.assumed || value.sigma;
  }
};
template <class T>
struct Codec<model::Value<T>> : ValueCodec<T> {};

/// Degrees of a value in radians; written only where it has no sigma or source of its own and the decimal is
/// exact.
struct DegreesValue {
  using Base = ValueCodec<Vec3>;
  static void read(const yaml::Field& field, const Spec& spec, model::Value<Vec3>& out) {
    Base::read(field, spec, out);
    out.value *= degree;
    if (out.sigma) *out.sigma *= degree;
  }
  static Json write(const model::Value<Vec3>& value, const Spec& spec) {
    return Base::has_more(value) ? absent() : Degrees<Vec3>::write(value.value, spec);
  }
  static Json schema(const Spec& spec) { return Base::schema(spec); }
};

/// Roll, pitch, yaw of a part of the robot, in rad or, as attitude_deg, in degrees.
template <auto member>
Key attitude() {
  return field<member>("attitude")
      .unit("rad")
      .what("roll, pitch, yaw")
      .doc("Roll, pitch, yaw (z-y-x) from body axes to its own.")
      .or_key(field<member, DegreesValue>("attitude_deg")
                  .unit("deg")
                  .what("roll, pitch, yaw")
                  .preferred()
                  .doc("The same in degrees."));
}
template <auto member>
Key position() {
  return field<member>("position")
      .unit("m")
      .what("x, y, z in m, body axes")
      .doc("Position from the body origin, axes forward, starboard, down.");
}

/// 6 numbers, or six matrices by the velocity whose speed they belong to.
template <>
struct Codec<model::QuadraticDrag> {
  static void read(const yaml::Field& field, const Spec& spec, model::QuadraticDrag& out);
  static Json write(const model::QuadraticDrag& drag, const Spec& spec);
  static Json schema(const Spec& spec);
};

inline constexpr std::string_view model_matrix_shape =
    "rows and columns X Y Z K M N, u v w p q r; body axes forward, starboard, down";

Mat6 negated(const Mat6& m);
model::QuadraticDrag negated(const model::QuadraticDrag& drag);

/// A matrix with the signs of SNAME's derivatives.
template <class T>
struct SnameCodec {
  static void read(const yaml::Field& field, const Spec& spec, T& out) {
    T value = model::zero<T>();
    Codec<T>::read(field, spec, value);
    out = negated(value);
  }
  static Json write(const T&, const Spec&) { return absent(); }
  static Json schema(const Spec& spec) { return Codec<T>::schema(spec); }
};

template <class T>
using SnameValue = ValueCodec<T, SnameCodec<T>, Codec<T>>;

/// One value with two keys: `negative` has the signs of SNAME's derivatives.
inline Key with_sname(Key positive, Key negative, std::string_view what, std::string_view doc,
                      std::string_view positive_hint) {
  negative.unit("SI").what(what).at_most(0).hint(positive_hint);
  negative.doc("The same with the signs of SNAME's derivatives, <= 0.");
  return positive.unit("SI").what(what).at_least(0).doc(doc).or_key(std::move(negative));
}
template <auto member, class T>
Key signed_matrix(std::string_view name, std::string_view sname, std::string_view what, std::string_view doc,
                  std::string_view positive_hint) {
  return with_sname(field<member>(name), field<member, SnameValue<T>>(sname), what, doc, positive_hint);
}
/// Of a hull or of a link.
inline Key added_mass(Key positive, Key negative) {
  return with_sname(std::move(positive), std::move(negative), model_matrix_shape,
                    "Added mass at the body origin, positive semi-definite.", "positive? use added_mass");
}

/// More than ten turns in rad are meant in degrees. Of the parts of arms, which no rule of `fathom lint` looks
/// at.
Key within_ten_turns(Key attitude);

template <auto member, class C = WordText>
Key name_key() {
  return field<member, C>("name").required("a short word").doc("A short word of its own among the others.");
}

// Tables of structs that several files have.
template <>
const Keys& Table<model::Hull>::fields();
template <>
const Keys& Table<model::DragElement>::fields();
template <>
const Keys& Table<model::Sensor>::fields();
template <>
void Table<model::Sensor>::refine(Json& schema);
template <>
const Keys& Table<model::Thruster>::fields();
template <>
const Keys& Table<model::ThrusterMap>::fields();
template <>
void Table<model::ThrusterMap>::refine(Json& schema);
template <>
const Keys& Table<model::Transient>::fields();

}  // namespace fathom::fields
