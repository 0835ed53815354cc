#include "fathom/model_file/internal/arm_table.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/model_file/fields.hpp"
#include "fathom/model_file/internal/value_codec.hpp"

// Keys of arm files. model::Arm::make enforces the ranges, because an arm need not come from a file.
namespace fathom::model {
namespace {

using fields::Json;
using fields::Spec;
using yaml::Field;

constexpr double nearly_one = 1e-9;

/// An entry of `joints`: a joint and the link that it moves.
struct JointEntry {
  Joint joint;
  Link link;
  const ArmSpec* arm = nullptr;  ///< the joints above
};
bool turns(const JointEntry& entry) { return entry.joint.kind == Joint::Kind::revolute; }

/// The earlier link that a joint sits on, by the link's name or by its joint's.
struct ParentCodec {
  static void read(const Field& field, const Spec&, JointEntry& out) {
    out.joint.parent.reset();
    const auto word = field.text();
    if (!word || *word == "base") return;
    std::vector<std::string_view> names = {"base"};
    for (const Link& above : out.arm->links) names.emplace_back(above.name);
    for (const Joint& above : out.arm->joints) names.emplace_back(above.name);
    const auto found = std::find(names.begin() + 1, names.end(), *word);
    if (found != names.end())
      out.joint.parent = static_cast<std::size_t>(found - names.begin() - 1) % out.arm->links.size();
    else
      field.error(fmt::format("= {}, expected base, or a link or joint that stands above", in_quotes(*word)),
                  did_you_mean(*word, names, "joints come after the ones that they sit on"));
  }
  static Json write(const JointEntry& entry, const Spec&) {
    if (!entry.arm) return fields::absent();
    return entry.joint.parent ? entry.arm->links[*entry.joint.parent].name : "base";
  }
  static Json schema(const Spec&) { return fields::text_schema(); }
};

/// Degrees of an angle in radians; written where they are exact and shorter.
struct ShortDegrees : fields::Degrees<double> {
  static Json write(double radians, const Spec&) {
    const auto exact = fields::exact_quotient(radians, degree);
    return exact && fmt::format("{}", *exact).size() < fmt::format("{}", radians).size() ? Json(*exact)
                                                                                         : fields::absent();
  }
};
/// Without limit where it is left out.
struct LimitCodec : fields::Codec<double> {
  static Json write(double value, const Spec&) { return std::isfinite(value) ? Json(value) : fields::absent(); }
};

/// Roll, pitch and yaw that give the same quaternion back, in whole millionths of a degree if some do.
std::optional<Vec3> exact_angles(const Quat& q) {
  const Vec3 angles = euler_from_quaternion(q);
  Vec3 rounded;
  for (int i = 0; i < 3; ++i) rounded[i] = std::round(angles[i] * degrees * 1e6) / 1e6 * degree + 0.0;
  for (const Vec3& candidate : {rounded, angles})
    if (quaternion_from_euler(candidate).coeffs() == q.coeffs()) return candidate;
  return std::nullopt;
}
template <class C>
struct ExactAngles : fields::EulerAngles<C> {
  static Json write(const Quat& q, const Spec& spec) {
    const auto angles = exact_angles(q);
    return angles ? C::write(*angles, spec) : fields::absent();
  }
};
struct QuaternionCodec {
  static void read(const Field& field, const Spec& spec, Quat& out) {
    const auto q = fields::read_numbers(field, spec, 4);
    if (!q) return;
    out = Quat((*q)[0], (*q)[1], (*q)[2], (*q)[3]);
    if (!(std::abs(out.norm() - 1) <= nearly_one))
      field.error(fmt::format("has length {:.9g}, must be 1", out.norm()), "all its digits; w first");
  }
  static Json write(const Quat& q, const Spec&) { return {q.w(), q.x(), q.y(), q.z()}; }
  static Json schema(const Spec& spec) { return fields::numbers_schema(spec, 4); }
};

struct KhalilCodec : fields::ReadOnly {
  static void read(const Field& field, const Spec&, Pose& out) {
    KhalilKleinfinger parameters;
    fields::read(field, parameters);
    out = pose_of(parameters);
  }
  static Json schema(const Spec&) { return fields::schema_of<KhalilKleinfinger>(); }
};

/// Any direction; what has length one stays as it is written, to the last digit.
struct AxisCodec : fields::Codec<Vec3> {
  static void read(const Field& field, const Spec& spec, Vec3& out) {
    Codec::read(field, spec, out);
    const double length = out.norm();
    if (!(length > 1e-6)) return field.error("is zero", "the direction about or along which the joint moves");
    if (std::abs(length - 1) > nearly_one) out /= length;
  }
};

/// Keys whose units are those of the joint's kind.
template <auto member, class Turn, class Slide>
struct ByKind {
  static void read(const Field& field, const Spec& spec, JointEntry& out) {
    return turns(out) ? Turn::read(field, spec, out.joint.*member)
                      : Slide::read(field, spec, out.joint.*member);
  }
  static Json write(const JointEntry& entry, const Spec& spec) {
    return turns(entry) ? Turn::write(entry.joint.*member, spec) : Slide::write(entry.joint.*member, spec);
  }
  static Json schema_for(bool turns) { return turns ? Turn::schema({}) : Slide::schema({}); }
  static Json schema(const Spec&) { return {{"anyOf", {schema_for(true), schema_for(false)}}}; }
};

/// One number for both directions.
struct CoulombCodec : fields::ReadOnly {
  using C = fields::Codec<Value<double>>;
  static void read(const Field& field, const Spec& spec, JointFriction& out) {
    C::read(field, spec, out.coulomb_forward);
    out.coulomb_backward = out.coulomb_forward;
  }
  static Json schema(const Spec& spec) { return C::schema(spec); }
  static void inherit(JointFriction& friction, const yaml::Origin& origin) {
    C::inherit(friction.coulomb_forward, origin);
    C::inherit(friction.coulomb_backward, origin);
  }
};

/// Each joint sits on the one before, unless it says another; a link without a name has that of its joint.
struct JointsCodec {
  static void read(const Field& field, const Spec& spec, ArmSpec& out) {
    for (const Field& item : fields::read_items(field, spec)) {
      JointEntry entry{{}, {}, &out};
      if (!out.joints.empty()) entry.joint.parent = out.joints.size() - 1;
      if (item.has("name") && item.node()["name"].IsScalar()) entry.link.name = item.node()["name"].Scalar();
      fields::read(item, entry);
      out.joints.push_back(std::move(entry.joint));
      out.links.push_back(std::move(entry.link));
    }
  }
  static Json write(const ArmSpec& arm, const Spec&) {
    Json list = Json::array();
    for (std::size_t k = 0; k < arm.joints.size(); ++k)
      list.push_back(fields::to_json(JointEntry{arm.joints[k], arm.links[k], &arm}));
    return list;
  }
  static Json schema(const Spec& spec) { return fields::list_schema(spec, fields::schema_of<JointEntry>()); }
};

}  // namespace
}  // namespace fathom::model

// clang-format off
namespace fathom::fields {

using namespace model;

namespace {

/// `name` in rad or rad/s, or `name_deg`.
template <auto member, class C = Codec<double>>
Key angle(std::string_view name, std::string_view name_deg, std::string_view unit, std::string_view doc) {
  return field<member, C>(name).unit(unit).doc(doc)
      .or_key(field<member, ShortDegrees>(name_deg).unit("degrees").preferred().doc("The same in degrees."));
}
/// A limit that a joint without it has not.
template <auto member>
Key joint_limit(std::string_view name, std::string_view name_deg, bool turns, std::string_view unit, std::string_view doc) {
  return turns ? angle<member, LimitCodec>(name, name_deg, unit, doc) : field<member, LimitCodec>(name).unit(unit).doc(doc);
}
Key positive(Key key) {
  for (Key& other : key.others) other.above(0).stated();
  return key.above(0).stated();
}
template <auto member>
Key friction(std::string_view name, std::string_view unit) {
  return field<member>(name).unit(unit).at_least(0).stated().always().origin_if_given();
}
/// A number that the maker of an actuator may give.
template <auto member>
Key rating(std::string_view name, std::string_view unit) { return field<member>(name).unit(unit).above(0).stated(); }

const Keys& origin_keys() {
  static const Keys keys{
      field<&Pose::p_pc_p>("position").unit("m").what("x, y, z in m, in the parent's frame").always()
          .doc("Position in the parent's frame."),
      within_ten_turns(
          field<&Pose::q_pc, ExactAngles<Codec<Vec3>>>("attitude").unit("rad").what("roll, pitch, yaw")
              .doc("Roll, pitch, yaw (z-y-x) from the parent's axes.")
              .or_key(field<&Pose::q_pc, ExactAngles<Degrees<Vec3>>>("attitude_deg").unit("deg").what("roll, pitch, yaw")
                          .preferred().doc("The same in degrees."))
              .or_key(field<&Pose::q_pc, QuaternionCodec>("quaternion").what("w, x, y, z").doc("The same as w, x, y, z, of length one.")))};
  return keys;
}
template <bool turns> const Keys& limit_keys() {
  using T = JointLimits;
  static const Keys keys{
      joint_limit<&T::min>("min", "min_deg", turns, turns ? "rad" : "m", "Smallest position."),
      joint_limit<&T::max>("max", "max_deg", turns, turns ? "rad" : "m", "Largest position."),
      positive(joint_limit<&T::speed>("speed", "speed_deg", turns, turns ? "rad/s" : "m/s", "Largest speed in either direction.")),
      positive(joint_limit<&T::acceleration>("acceleration", "acceleration_deg", turns, turns ? "rad/s^2" : "m/s^2",
          "Largest acceleration in either direction.")),
      positive(field<&T::effort, LimitCodec>("effort").unit(turns ? "N m" : "N").doc("Largest effort in either direction."))};
  return keys;
}
template <bool turns> const Keys& friction_keys() {
  using T = JointFriction;
  constexpr std::string_view unit = turns ? "N m" : "N", both = "coulomb is that of both directions";
  static const Keys keys{
      section_origin(),
      friction<&T::viscous>("viscous", turns ? "N m s" : "N s/m").doc("Viscous friction."),
      self<T, CoulombCodec>("coulomb").unit(unit).at_least(0).stated().origin_if_given().doc("Coulomb friction of both directions."),
      friction<&T::coulomb_forward>("coulomb_forward", unit).not_beside("coulomb", both).doc("Coulomb friction where dq > 0."),
      friction<&T::coulomb_backward>("coulomb_backward", unit).not_beside("coulomb", both).doc("Coulomb friction where dq < 0.")};
  return keys;
}
using LimitsCodec = ByKind<&Joint::limits, MapOf<JointLimits, limit_keys<true>>, MapOf<JointLimits, limit_keys<false>>>;
using FrictionCodec = ByKind<&Joint::friction, MapOf<JointFriction, friction_keys<true>>, MapOf<JointFriction, friction_keys<false>>>;

}  // namespace

template <> const Words<Joint::Kind>& words<Joint::Kind>() {
  static const Words<Joint::Kind> all{{"revolute", Joint::Kind::revolute}, {"prismatic", Joint::Kind::prismatic}};
  return all;
}

template <> const Keys& Table<KhalilKleinfinger>::fields() {
  using T = KhalilKleinfinger;
  static const Keys keys{
      angle<&T::gamma>("gamma", "gamma_deg", "rad", "Turn about the parent's z."),
      angle<&T::alpha>("alpha", "alpha_deg", "rad", "Turn about x, after gamma and b."),
      angle<&T::theta>("theta", "theta_deg", "rad", "Turn about the new z, the joint's axis."),
      field<&T::b>("b").unit("m").doc("Way along the parent's z."),
      field<&T::d>("d").unit("m").doc("Way along x."),
      field<&T::r>("r").unit("m").doc("Way along the new z.")};
  return keys;
}

template <> const Keys& Table<Gear>::fields() {
  static const Keys keys{
      field<&Gear::ratio>("ratio").required("turns of the motor per turn of the joint")
          .doc("Turns of the motor per turn of the joint; not 0.")};
  return keys;
}
template <> const Keys& Table<ScrewLever>::fields() {
  using T = ScrewLever;
  static const Keys keys = stated({
      field<&T::ratio>("ratio").required("turns of the motor per turn of the screw")
          .doc("Turns of the motor per turn of the screw; not 0."),
      field<&T::pitch>("pitch").unit("m").above(0).required("m of the screw per turn").doc("Way of the screw per turn."),
      field<&T::l1>("l1").unit("m").above(0).required("m, from the joint's axis to one end of the screw")
          .doc("Joint's axis to one end of the screw."),
      field<&T::l2>("l2").unit("m").above(0).required("m, from the joint's axis to the other end").doc("Joint's axis to the other end."),
      angle<&T::offset>("offset", "offset_deg", "rad", "Angle between l1 and l2 at q = 0.")
          .required("or offset_deg: the angle between l1 and l2 at q = 0"),
      field<&T::sense>("sense").unit("1 or -1").always().doc("1 where that angle grows with q, else -1.")});
  return keys;
}
template <> void Table<ScrewLever>::refine(Json& schema) { schema["properties"]["sense"]["enum"] = {1, -1}; }
template <> const Union& Choice<Transmission>::alternatives() {
  static const Union choice{
      .kind = "",
      .alternatives = {nested<Transmission, Gear>("gear").doc("Constant ratio."),
                       nested<Transmission, ScrewLever>("screw_lever").doc("Ball screw across the joint (Leborne et al. 2018, Fig. 2).")},
      .hint = "gear: {ratio}, or screw_lever: {ratio, pitch, l1, l2, offset_deg}"};
  return choice;
}
template <> const Keys& Table<JointMotor>::fields() {
  using T = JointMotor;
  static const Keys keys = stated({
      field<&T::k_t>("k_t").unit("N m/A").above(0).required("N m/A").doc("Torque constant."),
      field<&T::inertia>("inertia").unit("kg m^2").at_least(0).always().doc("Inertia of all that turns with the shaft."),
      field<&T::viscous>("viscous").unit("N m s").at_least(0).always().doc("Viscous friction at the shaft."),
      field<&T::coulomb>("coulomb").unit("N m").at_least(0).always().doc("Coulomb friction at the shaft.")});
  return keys;
}
template <> const Keys& Table<Actuator>::fields() {
  using T = Actuator;
  static const Keys keys{
      own_origin<T>(),
      spread<&T::transmission>(),
      field<&T::motor>("motor").required("{k_t, inertia, viscous, coulomb}").doc("Motor, and what turns with its shaft."),
      rating<&T::current>("current", "A").doc("Largest current in either direction."),
      rating<&T::speed>("speed", "rad/s of the shaft").doc("Largest speed of the shaft."),
      rating<&T::acceleration>("acceleration", "rad/s^2 of the shaft").doc("Largest acceleration of the shaft."),
      rating<&T::increments>("increments", "per turn of the shaft").doc("Increments of the counter per turn of the shaft.")};
  return keys;
}

template <> const Keys& Table<Joint>::fields() {
  static const Keys keys{
      name_key<&Joint::name, NameText>(),
      own_origin<Joint>(),
      field<&Joint::kind>("kind").always().doc("Whether it turns or slides.")};
  return keys;
}
template <> const Keys& Table<JointEntry>::fields() {
  constexpr auto joint = &JointEntry::joint;
  static const Keys keys{
      spread<joint>(),
      self<JointEntry, ParentCodec>("parent").always()
          .doc("base, or a link or joint that stands above; left out: the one before, or base."),
      field_in<joint, &Joint::zero, MapOf<Pose, origin_keys>>("origin").required("or khalil_kleinfinger: where the joint is on its parent")
          .doc("Pose of the moved link's frame in its parent's at q = 0.")
          .or_key(field_in<joint, &Joint::zero, KhalilCodec>("khalil_kleinfinger")
          .beside("give one of them: by Khalil's parameters the joint's axis is z")
                      .doc("The same by Khalil and Kleinfinger's parameters; the joint's axis is z.")),
      field_in<joint, &Joint::axis, AxisCodec>("axis").what("of the joint, in the moved link's frame").always()
          .not_beside("khalil_kleinfinger", "give one of them: by Khalil's parameters the joint's axis is z")
          .doc("Direction about or along which it moves, in the moved link's frame; any length but zero."),
      self<JointEntry, LimitsCodec>("limits").doc("Limits; what is left out is unlimited."),
      self<JointEntry, FrictionCodec>("friction").doc("Friction at the joint itself, beside that of its motor."),
      field_in<joint, &Joint::actuator>("actuator").doc("Transmission and motor; without it the effort is the command."),
      field<&JointEntry::link, model::internal::LinkCodec>("link").required("what the joint moves: mass, and shape or inertia, volume ...")
          .doc("Link that it moves.")};
  return keys;
}
template <> void Table<JointEntry>::refine(Json& schema) {
  schema["properties"]["name"]["not"] = {{"const", "base"}};
  const auto of_kind = [](bool turns) -> Json {
    return {{"properties", {{"limits", LimitsCodec::schema_for(turns)}, {"friction", FrictionCodec::schema_for(turns)}}}};
  };
  schema["if"] = {{"properties", {{"kind", {{"const", "prismatic"}}}}}, {"required", {"kind"}}};
  schema["then"] = of_kind(false);
  schema["else"] = of_kind(true);
}

template <> const Keys& Table<ArmSpec>::fields() {
  using T = ArmSpec;
  static const Keys keys{
      name_key<&T::name, NameText>().doc("Letters, digits, - and _; a letter or digit first."),
      field<&T::title>("title").doc("One line for people."),
      field<&T::notes>("notes").doc("Free text."),
      self<T, JointsCodec>("joints").entries(1, most_arm_joints).what("an arm has one joint at least").hint("several arms?")
          .required("a list, each after the one that it sits on")
          .doc("Joints, each after the one that it sits on, with the link that it moves.")};
  return keys;
}

}  // namespace fathom::fields
// clang-format on
