#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/excite/arm/problem.hpp"
#include "fathom/excite/internal/problem_fields.hpp"
#include "fathom/model/held_joint.hpp"

namespace fathom::excite {
namespace {

using namespace internal;
using Coulomb = dynamics::ArmColumns::Coulomb;

constexpr int most_harmonics = 100, most_samples_of_a_period = 10000, most_arm_starts = 100000;

/// The number of a joint by its name; nothing, and an error, where there is none.
std::optional<std::size_t> joint_of(const Field& field, const std::string& name, const model::ArmSpec& arm) {
  std::vector<std::string_view> names;
  for (std::size_t k = 0; k < arm.joints.size(); ++k) {
    if (arm.joints[k].name == name) return k;
    names.emplace_back(arm.joints[k].name);
  }
  field.error(fmt::format("names {}, which is no joint of {}", in_quotes(name), arm.name),
              did_you_mean(name, names, fmt::format("joints: {}", join(names, ", "))));
  return std::nullopt;
}

/// A limit may be tighter than the arm's own, not wider: what the arm can do is for its file to say.
void tighten(Map& map, std::string_view key, std::string_view key_deg, std::string_view unit, double& limit) {
  const auto angle = key_deg.empty() ? std::nullopt : take_angle(map, key, key_deg);
  const auto plain = key_deg.empty() ? map.take(key) : std::nullopt;
  if (!angle && !plain) return;
  const Field& field = angle ? angle->field : *plain;
  const auto number = field.number(unit);
  if (!number) return;
  const double value = *number * (angle ? angle->unit : 1);
  if (!(value > 0))
    field.error(fmt::format("= {}, must be > 0", *number), "the most in either direction");
  else if (value > limit * (1 + 1e-12))
    field.error(fmt::format("= {}, beyond the arm's own {:.6g}", *number, limit / (angle ? angle->unit : 1)),
                angle && angle->unit == 1 && value * degree <= limit
                    ? fmt::format("{}; degrees? use {}", unit, key_deg)
                    : "the arm file says what the arm can do");
  else
    limit = value;
}

void tighten(Map& map, std::string_view key, std::string_view unit, std::optional<double>& limit) {
  double most = limit.value_or(infinity);
  tighten(map, key, "", unit, most);
  if (std::isfinite(most)) limit = most;
}

bool is_in(double value, double low, double high) { return value >= low - 1e-12 && value <= high + 1e-12; }

/// One end of a range.
void narrow(Map& map, std::string_view key, std::string_view key_deg, bool turns, double low, double high,
            double& end) {
  std::optional<Angle> angle;
  if (turns)
    angle = take_angle(map, key, key_deg);
  else if (const auto f = map.take(key))
    angle = Angle{*f, 1};
  if (!angle) return;
  const auto number = angle->field.number(turns ? "rad" : "m");
  if (!number) return;
  const double value = *number * angle->unit;
  if (!is_in(value, low, high))
    angle->field.error(fmt::format("= {}, outside of the arm's own range, {:.6g} to {:.6g}", *number,
                                   low / angle->unit, high / angle->unit),
                       turns && angle->unit == 1 && is_in(value * degree, low, high)
                           ? fmt::format("rad; degrees? use {}", key_deg)
                           : "the arm file says what the arm can do");
  else
    end = value;
}

void read_joint_limits(const Field& field, model::Joint& joint) {
  Map map(field);
  const bool turns = joint.kind == model::Joint::Kind::revolute;
  model::JointLimits& limits = joint.limits;
  const double low = limits.min, high = limits.max;
  narrow(map, "min", "min_deg", turns, low, high, limits.min);
  narrow(map, "max", "max_deg", turns, low, high, limits.max);
  if (!(limits.min < limits.max))
    field.error(fmt::format("leaves no range: {:.6g} to {:.6g}", limits.min, limits.max), "min < max");
  tighten(map, "speed", turns ? "speed_deg" : "", turns ? "rad/s" : "m/s", limits.speed);
  tighten(map, "acceleration", turns ? "acceleration_deg" : "", turns ? "rad/s^2" : "m/s^2",
          limits.acceleration);
  tighten(map, "effort", "", turns ? "N m" : "N", limits.effort);
  for (const std::string_view key : {"motor_speed", "motor_acceleration", "current"}) {
    if (joint.actuator || !map.has(key)) continue;
    map.take(key)->error(fmt::format("is of a motor, and joint {} has none", in_quotes(joint.name)),
                         "give the arm's joint an actuator, or leave it out");
  }
  if (joint.actuator) {
    tighten(map, "motor_speed", "rad/s", joint.actuator->speed);
    tighten(map, "motor_acceleration", "rad/s^2", joint.actuator->acceleration);
    tighten(map, "current", "A", joint.actuator->current);
  }
  map.finish();
}

void read_arm_limits(const Field& field, model::ArmSpec& arm) {
  Map map(field);
  const std::vector<std::string> names = map.names();  // take() keeps views of them
  for (const std::string& name : names) {
    const auto f = map.take(name);
    if (const auto k = joint_of(*f, name, arm)) read_joint_limits(*f, arm.joints[*k]);
  }
  map.finish();
}

/// Joints that stand still: {name: rad or m}, or _deg.
model::Arm read_held(const Field& field, double unit, const model::Arm& whole, std::vector<std::string>& held) {
  model::Arm arm = whole;
  Map map(field);
  const std::vector<std::string> names = map.names();
  for (const std::string& name : names) {
    const auto f = map.take(name);
    const auto k = joint_of(*f, name, arm.spec());
    const auto number = f->number("");
    if (!k || !number) continue;
    const model::Joint& joint = arm.joints()[*k];
    if (unit != 1 && joint.kind == model::Joint::Kind::prismatic) {
      f->error(fmt::format("= {} degrees, but the joint slides", *number), "held: {name: m}");
      continue;
    }
    const double q = *number * unit;
    if (!(q >= joint.limits.min && q <= joint.limits.max)) {
      const bool is_in_degrees = unit == 1 && joint.kind == model::Joint::Kind::revolute &&
                                 is_in(q * degree, joint.limits.min, joint.limits.max);
      f->error(fmt::format("= {}, outside of its range, {:.6g} to {:.6g}", *number, joint.limits.min / unit,
                           joint.limits.max / unit),
               is_in_degrees ? "rad; degrees? use held_deg" : "where the joint is held");
      continue;
    }
    held.push_back(fmt::format("{} at {:g}{}", name, *number, unit == 1 ? "" : " deg"));
    yaml::check_under(*f, [&] { arm = model::with_joint_held(arm, *k, q); });
  }
  map.finish();
  return arm;
}

/// What `fathom identify --what arm` fits unless it is told otherwise.
dynamics::ArmColumns usual_columns(const model::Arm& arm) {
  dynamics::ArmColumns columns;
  columns.motor = arm.has_motor();
  columns.viscous = !columns.motor;
  columns.coulomb = columns.motor ? Coulomb::none : Coulomb::symmetric;
  columns.offset = true;
  return columns;
}

dynamics::ArmColumns read_columns(const Field& field, const model::Arm& arm) {
  dynamics::ArmColumns columns = usual_columns(arm);
  Map map(field);
  if (const auto f = map.take("friction"))
    if (const auto k = yaml::choice(*f, {"none", "viscous", "coulomb", "direction"})) {
      columns.viscous = *k > 0;
      columns.coulomb = std::array{Coulomb::none, Coulomb::none, Coulomb::symmetric, Coulomb::by_direction}[*k];
    }
  const auto flag = [&](std::string_view key, bool& out) {
    auto f = map.take(key);
    if (f) out = f->yes_or_no().value_or(out);
    return f;
  };
  flag("offset", columns.offset);
  const auto motor = flag("motor", columns.motor);
  if (motor && columns.motor && !arm.has_motor())
    motor->error(fmt::format("is true, but no joint of {} has a motor", arm.name()), "false, or leave it out");
  flag("buoyancy", columns.buoyancy);
  flag("added_mass", columns.added_mass);
  flag("drag", columns.drag);
  map.finish();
  return columns;
}

void read_surroundings(Map& map, ArmProblem& problem) {
  if (const auto f = map.take("environment")) {
    Map environment(*f);
    problem.environment = model::take_environment(environment);
    environment.finish();
  }
  if (const auto f = map.take("medium"))
    if (const auto k = yaml::choice(*f, {"water", "air"}))
      problem.medium = std::array{dynamics::Medium::water, dynamics::Medium::air}[*k];
  if (problem.arm_file.ends_with(".urdf")) problem.down_b = -Vec3::UnitZ();
  if (const auto f = map.take("down"))
    if (const auto down = point(*f, "down in the frame of the arm's base")) {
      if (down->norm() > 1e-6)
        problem.down_b = down->normalized();
      else
        f->error("= [0, 0, 0], expected a direction", "such as [0, 0, 1], or [0, 0, -1] where z is up");
    }
}

void read_search(Map& map, std::optional<double> period, ArmProblem& problem) {
  if (const auto f = map.take("space"))
    if (const auto k = yaml::choice(*f, {"joint", "motor"})) {
      problem.space = std::array{ArmSpace::joint, ArmSpace::motor}[*k];
      if (problem.space == ArmSpace::motor && !problem.arm.has_motor())
        f->error(fmt::format("is motor, but no joint of {} that moves has one", problem.arm.name()),
                 "space: joint, or give the joints actuators");
    }
  if (const auto f = map.take("harmonics"))
    problem.harmonics = yaml::whole(*f, 1, most_harmonics).value_or(problem.harmonics);
  read_between(map, "period", "s", 1e-3, 1e7, problem.period);
  if (period) problem.period = *period;
  problem.samples = std::max(problem.samples, 16 * problem.harmonics);
  if (const auto f = map.take("samples"))
    problem.samples = yaml::whole(*f, 1, most_samples_of_a_period).value_or(problem.samples);
  read_criterion(map, problem.criterion);
  if (const auto f = map.take("measured"))
    if (const auto k = yaml::choice(*f, {"effort", "current"})) problem.in_current = *k == 1;
  read_between(map, "noise", problem.in_current ? "A" : "N m or N", 1e-9, 1e9, problem.noise);
  if (const auto f = map.take("starts"))
    problem.starts = yaml::whole(*f, 1, most_arm_starts).value_or(problem.starts);
  if (const auto f = map.take("iterations"))
    problem.iterations = yaml::whole(*f, 1, 100000).value_or(problem.iterations);
}

std::optional<ArmProblem> read_arm_spec(const Field& root, const std::filesystem::path& beside,
                                        const std::vector<std::filesystem::path>& folders,
                                        std::optional<double> period) {
  Map map(root);
  const ProblemTitle title = read_title(map);
  std::string arm_file;
  const auto arm_field =
      map.require("arm", "the name of an arm that ships, or the path of an arm file or URDF");
  auto arm = arm_field ? model::read_named_arm(*arm_field, beside, folders, &arm_file) : std::nullopt;
  if (!arm) return std::nullopt;  // what else is said about it cannot be judged
  ArmProblem problem(*std::move(arm));
  problem.name = title.name, problem.title = title.title, problem.arm_file = arm_file;
  if (const auto f = take_angle(map, "held", "held_deg"))
    problem.arm = read_held(f->field, f->unit, problem.arm, problem.held);
  if (const auto f = map.take("limits")) {
    model::ArmSpec spec = problem.arm.spec();
    read_arm_limits(*f, spec);
    yaml::check_under(*f, [&] { problem.arm = model::Arm::make(std::move(spec)); });
  }
  read_surroundings(map, problem);
  const auto columns = map.take("columns");
  problem.columns = columns ? read_columns(*columns, problem.arm) : usual_columns(problem.arm);
  read_search(map, period, problem);
  map.finish();
  return problem;
}

}  // namespace

ArmProblem parse_arm_problem(const std::string& text, const std::string& file,
                             const std::vector<std::filesystem::path>& arm_folders,
                             std::optional<double> period) {
  check_duration(period);
  yaml::Reading reading(file);
  auto problem = read_arm_spec(Field(problem_document(text, file), "", reading),
                               std::filesystem::path(file).parent_path(), arm_folders, period);
  if (has_errors(reading.findings())) throw InputError(reading.findings());
  problem->file = file;
  problem->lines = reading.lines();
  problem->check();
  return *std::move(problem);
}

}  // namespace fathom::excite
