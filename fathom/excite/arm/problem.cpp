#include "fathom/excite/arm/problem.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/fields/yaml.hpp"
#include "fathom/model/shaft_motion.hpp"

namespace fathom::excite {
namespace {

std::span<const double> numbers_of(const Eigen::VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

/// Efforts that transmissions give, friction and motors among them as far as the problem has columns for them:
/// those of the nominal arm in its medium.
class NominalEfforts {
 public:
  explicit NominalEfforts(const ArmProblem& problem)
      : problem_(problem),
        arm_(problem.arm, problem.environment, problem.medium),
        workspace_(arm_),
        efforts_(static_cast<Eigen::Index>(arm_.size())),
        theta_(regressor_of(problem, problem.columns).parameters().values()),
        Y_(static_cast<Eigen::Index>(arm_.size()), theta_.size()) {
    base_.down_b = problem.down_b;
    theta_.head(static_cast<Eigen::Index>(dynamics::link_begin(problem.columns, arm_.size()))).setZero();
  }

  const Eigen::VectorXd& at(const ArmInstant& joints) {
    const auto q = numbers_of(joints.u), dq = numbers_of(joints.du), ddq = numbers_of(joints.ddu);
    dynamics::arm_regressor(arm_, problem_.columns, base_, q, dq, ddq, workspace_, Y_);
    dynamics::inverse_dynamics(arm_, base_, q, dq, ddq, workspace_,
                               {efforts_.data(), static_cast<std::size_t>(efforts_.size())});
    efforts_ += Y_ * theta_;
    return efforts_;
  }

 private:
  const ArmProblem& problem_;
  dynamics::Arm arm_;
  dynamics::ArmWorkspace workspace_;
  dynamics::Motion base_;
  Eigen::VectorXd efforts_, theta_;
  Eigen::MatrixXd Y_;
};

}  // namespace

std::string to_string(ArmLimit limit) {
  static const char* names[] = {"position", "joint speed", "joint acceleration",
                                "effort",   "motor speed", "motor acceleration",
                                "current"};
  return names[static_cast<std::size_t>(limit)];
}

void ArmProblem::reject(const std::string& key, const std::string& message, const std::string& hint) const {
  fathom::reject(file, yaml::nearest_line(lines, key), key, message, hint);
}

void ArmProblem::check() const {
  if (harmonics < 1 || harmonics > 100) reject("harmonics", fmt::format("= {}, must be 1 to 100", harmonics));
  if (!(period > 0) || !std::isfinite(period)) reject("period", fmt::format("= {} s, must be > 0", period));
  if (samples < 4 * harmonics + 1)
    reject("samples",
           fmt::format("= {}, must be more than {}: four to the fastest sine", samples, 4 * harmonics));
  if (!columns.rigid) reject("columns", "must have those of rigid links", "rigid: true");
  if (medium == dynamics::Medium::air && (columns.buoyancy || columns.added_mass || columns.drag))
    reject("columns", "has buoyancy, added mass or drag, which an arm in air does not show",
           "medium: water, or leave them out");
  if (!(noise > 0) || !std::isfinite(noise)) reject("noise", fmt::format("= {}, must be > 0", noise));
  if (starts < 1) reject("starts", fmt::format("= {}, must be >= 1", starts));
  if (iterations < 1) reject("iterations", fmt::format("= {}, must be >= 1", iterations));
  for (const model::Joint& joint : arm.joints()) {
    if (!std::isfinite(joint.limits.min) || !std::isfinite(joint.limits.max))
      reject("arm", fmt::format("has joint {} without a range; a series needs one to stay within", joint.name),
             "give it limits with min and max");
    if (in_current && !joint.actuator)
      reject("measured", fmt::format("is current, but joint {} has no motor", joint.name),
             "measured: effort, or give it an actuator");
  }
}

dynamics::ArmRegressor regressor_of(const ArmProblem& problem, const dynamics::ArmColumns& columns) {
  return {problem.arm, problem.environment, columns, {.medium = problem.medium}};
}

Eigen::VectorXd instants_of_period(const ArmProblem& problem, int count) {
  return Eigen::VectorXd::LinSpaced(count, 0, count - 1) * (problem.period / count);
}

ArmTrace arm_trace(const ArmProblem& problem, const ArmPath& path, const Eigen::VectorXd& t,
                   const ArmClock& clock) {
  const auto n = static_cast<Eigen::Index>(problem.arm.size());
  const Eigen::Index count = t.size();
  ArmTrace trace{t, Eigen::MatrixXd(count, n), {}};
  for (Eigen::MatrixXd& one : trace.limited) one.setZero(count, n);
  auto& [q, dq, ddq, effort, shaft_speed, shaft_acceleration, current] = trace.limited;
  NominalEfforts nominal(problem);
  ArmInstant joints, shafts;
  for (Eigen::Index k = 0; k < count; ++k) {
    const ArmClock::Instant now = clock.at(t[k]);
    path.joints_at(now.time, joints);
    path.shafts_at(now.time, shafts);
    pace(now, joints);
    pace(now, shafts);
    q.row(k) = joints.u, dq.row(k) = joints.du, ddq.row(k) = joints.ddu;
    effort.row(k) = nominal.at(joints);
    trace.shaft.row(k) = shafts.u;
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto& actuator = problem.arm.joints()[static_cast<std::size_t>(i)].actuator;
      if (!actuator) continue;
      shaft_speed(k, i) = shafts.du[i];
      shaft_acceleration(k, i) = shafts.ddu[i];
      current(k, i) =
          effort(k, i) / (actuator->motor.k_t * model::motor_angle(actuator->transmission, joints.u[i]).ratio);
    }
  }
  return trace;
}

double allowed_of(const model::Joint& joint, ArmLimit limit) {
  const model::JointLimits& limits = joint.limits;
  const auto of_motor = [&](std::optional<double> model::Actuator::*which) {
    return joint.actuator ? ((*joint.actuator).*which).value_or(infinity) : infinity;
  };
  switch (limit) {
    case ArmLimit::position: return 0.5 * (limits.max - limits.min);
    case ArmLimit::joint_speed: return limits.speed;
    case ArmLimit::joint_acceleration: return limits.acceleration;
    case ArmLimit::effort: return limits.effort;
    case ArmLimit::motor_speed: return of_motor(&model::Actuator::speed);
    case ArmLimit::motor_acceleration: return of_motor(&model::Actuator::acceleration);
    case ArmLimit::current: return of_motor(&model::Actuator::current);
  }
  return infinity;
}

std::string unit_of(const model::Joint& joint, ArmLimit limit) {
  const bool turns = joint.kind == model::Joint::Kind::revolute;
  switch (limit) {
    case ArmLimit::position: return turns ? "rad" : "m";
    case ArmLimit::joint_speed: return turns ? "rad/s" : "m/s";
    case ArmLimit::joint_acceleration: return turns ? "rad/s^2" : "m/s^2";
    case ArmLimit::effort: return turns ? "N m" : "N";
    case ArmLimit::motor_speed: return "rad/s";
    case ArmLimit::motor_acceleration: return "rad/s^2";
    case ArmLimit::current: return "A";
  }
  return "";
}

std::vector<ArmMargin> arm_margins(const ArmProblem& problem, const ArmTrace& trace) {
  std::vector<ArmMargin> margins;
  for (std::size_t j = 0; j < problem.arm.size(); ++j)
    for (std::size_t c = 0; c < trace.limited.size(); ++c) {
      const model::Joint& joint = problem.arm.joints()[j];
      const auto limit = static_cast<ArmLimit>(c);
      const double allowed = allowed_of(joint, limit);
      if (!std::isfinite(allowed)) continue;
      const double middle = limit == ArmLimit::position ? model::middle_of_range(joint.limits) : 0;
      const auto reached = (trace.limited[c].col(static_cast<Eigen::Index>(j)).array() - middle).abs();
      // What is not a number is beyond every limit.
      margins.push_back({j, limit, reached.isNaN().any() ? infinity : reached.maxCoeff(), allowed});
    }
  return margins;
}

double least_share(const std::vector<ArmMargin>& margins) {
  double least = infinity;
  for (const ArmMargin& margin : margins) least = std::min(least, margin.share());
  return least;
}

}  // namespace fathom::excite
