#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/excite/any_problem.hpp"
#include "fathom/excite/internal/problem_file.hpp"
#include "fathom/fields/describe.hpp"
#include "fathom/model/held_joint.hpp"
#include "fathom/model_file/fields.hpp"

// The problem of an arm as it is written, the tables of its keys, and what is made of them.
namespace fathom::excite::internal {

/// A number as the file has it, with its unit in SI.
struct Given {
  double number = 0, unit = 1;

  double value() const { return number * unit; }
};
template <bool in_degrees>
struct GivenCodec : fields::ReadOnly {
  static void read(const yaml::Field& field, const fields::Spec& spec, std::optional<Given>& out) {
    if (const auto number = fields::read_number(field, spec)) out = {*number, in_degrees ? degree : 1};
  }
  static fields::Json schema(const fields::Spec& spec) { return fields::number_schema(spec); }
};

struct StatedJoint {
  std::optional<Given> min, max, speed, acceleration, effort, motor_speed, motor_acceleration, current;
};

struct StatedColumns {
  enum class Friction { none, viscous, coulomb, direction };

  std::optional<Friction> friction;
  std::optional<bool> offset, motor, buoyancy, added_mass, drag;
};

struct ArmProblemFile {
  enum class Measured { effort, current };

  std::string name, title;
  fields::Later arm;
  std::map<std::string, double> held, held_deg;
  std::map<std::string, StatedJoint> limits;
  Water environment;
  dynamics::Medium medium = dynamics::Medium::water;
  std::optional<Vec3> down;
  StatedColumns columns;
  ArmSpace space = ArmSpace::joint;
  int harmonics = 5;
  double period = 80;
  std::optional<int> samples;
  Criterion criterion = Criterion::condition;
  Measured measured = Measured::effort;
  double noise = 0.05;
  int starts = 20, iterations = 60;
};

template <auto member, bool in_degrees = false>
fields::Key end_of_range(std::string_view key, std::string_view unit, std::string_view doc) {
  return fields::field<member, GivenCodec<in_degrees>>(key).unit(unit).doc(doc).beside(keep_one);
}
template <auto member, bool in_degrees = false>
fields::Key tighter(std::string_view key, std::string_view unit, std::string_view doc) {
  return end_of_range<member, in_degrees>(key, unit, doc).above(0).hint("the most in either direction");
}

}  // namespace fathom::excite::internal

namespace fathom::fields {
namespace {

using namespace excite::internal;
using Friction = StatedColumns::Friction;
using Measured = ArmProblemFile::Measured;
using dynamics::Medium;
using excite::ArmSpace;

}  // namespace

template <>
const Words<Friction>& words<Friction>() {
  static const Words<Friction> all{{"none", Friction::none},
                                   {"viscous", Friction::viscous},
                                   {"coulomb", Friction::coulomb},
                                   {"direction", Friction::direction}};
  return all;
}
template <>
const Words<Measured>& words<Measured>() {
  static const Words<Measured> all{{"effort", Measured::effort}, {"current", Measured::current}};
  return all;
}
template <>
const Words<Medium>& words<Medium>() {
  static const Words<Medium> all{{"water", Medium::water}, {"air", Medium::air}};
  return all;
}
template <>
const Words<ArmSpace>& words<ArmSpace>() {
  static const Words<ArmSpace> all{{"joint", ArmSpace::joint}, {"motor", ArmSpace::motor}};
  return all;
}

template <>
const Keys& Table<StatedJoint>::fields() {
  using J = StatedJoint;
  static const Keys keys{
      end_of_range<&J::min>("min", "rad or m", "Lower end of the range.")
          .or_key(end_of_range<&J::min, true>("min_deg", "degrees", "Lower end of the range.")),
      end_of_range<&J::max>("max", "rad or m", "Upper end of the range.")
          .or_key(end_of_range<&J::max, true>("max_deg", "degrees", "Upper end of the range.")),
      tighter<&J::speed>("speed", "rad/s or m/s", "Largest speed.")
          .or_key(tighter<&J::speed, true>("speed_deg", "degrees/s", "Largest speed.")),
      tighter<&J::acceleration>("acceleration", "rad/s^2 or m/s^2", "Largest acceleration.")
          .or_key(tighter<&J::acceleration, true>("acceleration_deg", "degrees/s^2", "Largest acceleration.")),
      tighter<&J::effort>("effort", "N m or N", "Largest effort."),
      tighter<&J::motor_speed>("motor_speed", "rad/s", "Largest speed of the motor's shaft."),
      tighter<&J::motor_acceleration>("motor_acceleration", "rad/s^2", "Largest acceleration of the shaft."),
      tighter<&J::current>("current", "A", "Largest current of the motor.")};
  return keys;
}

template <>
const Keys& Table<StatedColumns>::fields() {
  using C = StatedColumns;
  static const Keys keys{
      field<&C::friction>("friction")
          .doc("Joint friction; coulomb includes viscous, direction is dry friction by direction. Default: "
               "none with motors, else coulomb."),
      field<&C::offset>("offset").doc("A constant effort on each joint. Default: true."),
      field<&C::motor>("motor").doc("Inertia and friction of the motors. Default: true where there are any."),
      field<&C::buoyancy>("buoyancy").doc("Displaced mass and its moments of each link, in water."),
      field<&C::added_mass>("added_mass").doc("Added mass of each link, 21 numbers, in water."),
      field<&C::drag>("drag").doc("Linear and quadratic drag at each link's origin, in water.")};
  return keys;
}

template <>
const Keys& Table<ArmProblemFile>::fields() {
  using P = ArmProblemFile;
  static const Keys keys{
      field<&P::name, PlainName>("name").required(name_hint).doc(
          "Name of the problem and of the folder of its results."),
      field<&P::title>("title").doc("One line for people."),
      field<&P::arm, NameOrPath>("arm")
          .required("the name of an arm that ships, or the path of an arm file or URDF")
          .doc("A shipped arm, or the path of an arm file or a URDF, relative to this file."),
      field<&P::held>("held")
          .doc("Joints that stand still, at rad or m, by name.")
          .or_key(field<&P::held_deg>("held_deg")
                      .doc("Joints that stand still, at degrees, by name.")
                      .beside(keep_one)),
      field<&P::limits>("limits").doc("Limits by the name of a joint, tighter than those of the arm file."),
      field<&P::environment>("environment").doc("The water."),
      field<&P::medium>("medium").doc("Medium in which the arm moves."),
      field<&P::down, OptionalCodec<Vec3, Direction>>("down")
          .between(-1e5, 1e5)
          .what("down in the frame of the arm's base")
          .must("= [0, 0, 0], expected a direction")
          .hint("such as [0, 0, 1], or [0, 0, -1] where z is up")
          .doc("Down in the frame of the arm's base. Default: [0, 0, 1]; of a URDF [0, 0, -1]."),
      field<&P::columns>("columns").doc("Parameters beside those of rigid links. Default: those of identify."),
      field<&P::space>("space").doc("Coordinates of the series: joints, or shafts of their motors."),
      field<&P::harmonics>("harmonics").between(1, 100).doc("Harmonics of each series."),
      field<&P::period>("period").unit("s").between(1e-3, 1e7).doc("Period of the motion."),
      field<&P::samples>("samples").between(1, 10000).doc(
          "Samples of a period in the criterion. Default: 16 times the harmonics, at least 80."),
      field<&P::criterion>("criterion")
          .doc("condition: condition number of the base regressor; d-optimal: volume of the confidence "
               "ellipsoid; a-optimal: mean variance."),
      field<&P::measured>("measured").doc("Efforts of the joints, or currents of their motors."),
      field<&P::noise>("noise").between(1e-9, 1e9).doc("Standard deviation of a sample [N m, N, A]."),
      field<&P::starts>("starts").between(1, 100000).doc("Random initial guesses."),
      field<&P::iterations>("iterations").between(1, 100000).doc("Most iterations of each start.")};
  return keys;
}

}  // namespace fathom::fields

namespace fathom::excite {
namespace {

using namespace internal;
using Coulomb = dynamics::ArmColumns::Coulomb;

constexpr std::string_view ask_the_arm = "the arm file says what the arm can do";

bool is_in(double value, double low, double high) { return value >= low - 1e-12 && value <= high + 1e-12; }

bool turns(const model::Joint& joint) { return joint.kind == model::Joint::Kind::revolute; }

/// The number of a joint by its name; nothing, and an error, where there is none.
std::optional<std::size_t> joint_of(const std::string& key, const std::string& name, const model::ArmSpec& arm,
                                    Findings& findings) {
  std::vector<std::string_view> names;
  for (std::size_t k = 0; k < arm.joints.size(); ++k) {
    if (arm.joints[k].name == name) return k;
    names.emplace_back(arm.joints[k].name);
  }
  add_error(findings, key, fmt::format("names {}, which is no joint of {}", in_quotes(name), arm.name),
            did_you_mean(name, names, fmt::format("joints: {}", join(names, ", "))));
  return std::nullopt;
}

/// Runs a check that throws, and puts its findings under `key`.
template <class Check>
void check_under(const std::string& key, Findings& findings, const Check& check) {
  if (has_errors(findings)) return;
  try {
    check();
  } catch (const InputError& error) {
    for (const Finding& finding : error.findings())
      add_error(findings, key, fmt::format("{} {}", finding.key, finding.message), finding.hint);
  }
}

/// Tightens the limits of one joint. A limit may not be wider than the arm's own, which its file states.
class JointLimiter {
 public:
  JointLimiter(std::string key, model::Joint& joint, Findings& findings)
      : key_(std::move(key)), joint_(joint), findings_(findings) {}

  void apply(const StatedJoint& stated) {
    model::JointLimits& limits = joint_.limits;
    const double low = limits.min, high = limits.max;
    narrow("min", stated.min, low, high, limits.min);
    narrow("max", stated.max, low, high, limits.max);
    if (!(limits.min < limits.max))
      add_error(findings_, key_, fmt::format("leaves no range: {:.6g} to {:.6g}", limits.min, limits.max),
                "min < max");
    tighten("speed", stated.speed, limits.speed, "rad/s; degrees? use speed_deg");
    tighten("acceleration", stated.acceleration, limits.acceleration, "rad/s^2; degrees? use acceleration_deg");
    tighten("effort", stated.effort, limits.effort);
    of_motor("motor_speed", stated.motor_speed, &model::Actuator::speed);
    of_motor("motor_acceleration", stated.motor_acceleration, &model::Actuator::acceleration);
    of_motor("current", stated.current, &model::Actuator::current);
  }

 private:
  /// The key as the file spells it.
  std::string key_of(std::string_view name, const Given& given) const {
    return fmt::format("{}.{}{}", key_, name, given.unit == 1 ? "" : "_deg");
  }
  bool slides(std::string_view name, const Given& given) {
    if (given.unit == 1 || turns(joint_)) return false;
    add_error(findings_, key_of(name, given), fmt::format("= {} degrees, but the joint slides", given.number),
              fmt::format("{}: in m", name));
    return true;
  }
  void narrow(std::string_view name, const std::optional<Given>& given, double low, double high, double& end) {
    if (!given || slides(name, *given)) return;
    if (is_in(given->value(), low, high)) {
      end = given->value();
      return;
    }
    const bool is_in_degrees = turns(joint_) && given->unit == 1 && is_in(given->value() * degree, low, high);
    add_error(findings_, key_of(name, *given),
              fmt::format("= {}, outside of the arm's own range, {:.6g} to {:.6g}", given->number,
                          low / given->unit, high / given->unit),
              is_in_degrees ? fmt::format("rad; degrees? use {}_deg", name) : std::string(ask_the_arm));
  }
  void tighten(std::string_view name, const std::optional<Given>& given, double& limit,
               std::string_view in_degrees = {}) {
    if (!given || slides(name, *given)) return;
    if (!(given->value() > limit * (1 + 1e-12))) {
      limit = given->value();
      return;
    }
    const bool is_in_degrees =
        turns(joint_) && !in_degrees.empty() && given->unit == 1 && given->value() * degree <= limit;
    add_error(findings_, key_of(name, *given),
              fmt::format("= {}, beyond the arm's own {:.6g}", given->number, limit / given->unit),
              std::string(is_in_degrees ? in_degrees : ask_the_arm));
  }
  void of_motor(std::string_view name, const std::optional<Given>& given,
                std::optional<double> model::Actuator::*limit) {
    if (!given) return;
    if (!joint_.actuator)
      return add_error(findings_, key_of(name, *given),
                       fmt::format("is of a motor, and joint {} has none", in_quotes(joint_.name)),
                       "give the arm's joint an actuator, or leave it out");
    double most = ((*joint_.actuator).*limit).value_or(infinity);
    tighten(name, given, most);
    (*joint_.actuator).*limit = most;
  }

  std::string key_;
  model::Joint& joint_;
  Findings& findings_;
};

/// Holds joints at the places of `held`, which are in `unit`.
void hold(const std::map<std::string, double>& held, double unit, ArmProblem& problem, Findings& findings) {
  for (const auto& [name, number] : held) {
    const std::string key = fmt::format("{}.{}", unit == 1 ? "held" : "held_deg", name);
    const auto k = joint_of(key, name, problem.arm.spec(), findings);
    if (!k) continue;
    const model::Joint& joint = problem.arm.joints()[*k];
    const double q = number * unit, low = joint.limits.min, high = joint.limits.max;
    if (unit != 1 && !turns(joint)) {
      add_error(findings, key, fmt::format("= {} degrees, but the joint slides", number), "held: {name: m}");
    } else if (!(q >= low && q <= high)) {
      const bool is_in_degrees = unit == 1 && turns(joint) && is_in(q * degree, low, high);
      add_error(findings, key,
                fmt::format("= {}, outside of its range, {:.6g} to {:.6g}", number, low / unit, high / unit),
                is_in_degrees ? "rad; degrees? use held_deg" : "where the joint is held");
    } else {
      problem.held.push_back(fmt::format("{} at {:g}{}", name, number, unit == 1 ? "" : " deg"));
      check_under(key, findings, [&] { problem.arm = model::with_joint_held(problem.arm, *k, q); });
    }
  }
}

/// The columns that `fathom identify --what arm` fits by default, unless the file states others.
dynamics::ArmColumns columns_of(const StatedColumns& stated, const model::Arm& arm, Findings& findings) {
  dynamics::ArmColumns columns;
  columns.motor = stated.motor.value_or(arm.has_motor());
  columns.offset = stated.offset.value_or(true);
  columns.buoyancy = stated.buoyancy.value_or(columns.buoyancy);
  columns.added_mass = stated.added_mass.value_or(columns.added_mass);
  columns.drag = stated.drag.value_or(columns.drag);
  using Friction = StatedColumns::Friction;
  const auto friction = stated.friction.value_or(arm.has_motor() ? Friction::none : Friction::coulomb);
  columns.viscous = friction != Friction::none;
  columns.coulomb = friction == Friction::coulomb     ? Coulomb::symmetric
                    : friction == Friction::direction ? Coulomb::by_direction
                                                      : Coulomb::none;
  if (stated.motor && columns.motor && !arm.has_motor())
    add_error(findings, "columns.motor", fmt::format("is true, but no joint of {} has a motor", arm.name()),
              "false, or leave it out");
  return columns;
}

}  // namespace

ArmProblem parse_arm_problem(const std::string& text, const std::string& file,
                             const std::vector<std::filesystem::path>& arm_folders,
                             std::optional<double> period) {
  check_duration(period);
  yaml::Reading reading(file);
  ArmProblemFile stated;
  read_problem_keys(yaml::Field(problem_document(text, file), "", reading),
                    fields::Table<ArmProblemFile>::fields(), &stated);
  std::string arm_file;
  auto arm = stated.arm.field
                 ? model::read_named_arm(*stated.arm.field, std::filesystem::path(file).parent_path(),
                                         arm_folders, &arm_file)
                 : std::nullopt;
  throw_errors(reading);
  Findings findings;
  ArmProblem problem(*std::move(arm));
  problem.name = stated.name, problem.title = stated.title, problem.file = file, problem.arm_file = arm_file;
  problem.lines = reading.lines();
  hold(stated.held, 1, problem, findings);
  hold(stated.held_deg, degree, problem, findings);
  model::ArmSpec spec = problem.arm.spec();
  for (const auto& [name, joint] : stated.limits)
    if (const auto k = joint_of("limits." + name, name, spec, findings))
      JointLimiter("limits." + name, spec.joints[*k], findings).apply(joint);
  if (!stated.limits.empty())
    check_under("limits", findings, [&] { problem.arm = model::Arm::make(std::move(spec)); });
  problem.environment = model::Environment(stated.environment.density, stated.environment.gravity);
  problem.medium = stated.medium;
  problem.down_b = stated.down.value_or(arm_file.ends_with(".urdf") ? Vec3(0, 0, -1) : Vec3(0, 0, 1));
  problem.columns = columns_of(stated.columns, problem.arm, findings);
  problem.space = stated.space;
  if (problem.space == ArmSpace::motor && !problem.arm.has_motor())
    add_error(findings, "space",
              fmt::format("is motor, but no joint of {} that moves has one", problem.arm.name()),
              "space: joint, or give the joints actuators");
  problem.harmonics = stated.harmonics;
  problem.period = period.value_or(stated.period);
  problem.samples = stated.samples.value_or(std::max(problem.samples, 16 * problem.harmonics));
  problem.criterion = stated.criterion;
  problem.in_current = stated.measured == ArmProblemFile::Measured::current;
  problem.noise = stated.noise;
  problem.starts = stated.starts;
  problem.iterations = stated.iterations;
  throw_errors(reading, findings);
  problem.check();
  return problem;
}

fields::Json problem_schema() {
  fields::Json both = {{"oneOf", fields::Json::array({with_format(fields::schema_of<ProblemFile>()),
                                                      with_format(fields::schema_of<ArmProblemFile>())})}};
  return fields::schema_file(std::move(both), "urn:fathom:problem:1", "A problem of excitation");
}

}  // namespace fathom::excite
