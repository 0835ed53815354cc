#include "fathom/excite/arm/problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"

namespace fathom::excite {
namespace {

std::span<const double> numbers_of(const Eigen::VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

/// Drag against one unit of each component of a twist, linear and quadratic apart, as one diagonal element.
std::vector<model::DragElement> diagonal_drag(const std::vector<model::DragElement>& elements) {
  const auto drags = dynamics::make_drag_list(elements);
  model::DragElement one;
  one.name = "diagonal";
  for (Eigen::Index k = 0; k < 6; ++k) {
    const Vec6 unit = Vec6::Unit(k);
    // f(u) = D u + Q u^2 of one component alone: two speeds tell the two apart.
    const double slow = dynamics::damping_force(drags, unit)[k],
                 fast = dynamics::damping_force(drags, 2 * unit)[k];
    one.linear.value(k, k) = std::max(0.0, 2 * slow - 0.5 * fast);
    one.quadratic.value.by_speed[static_cast<std::size_t>(k)](k, k) = std::max(0.0, 0.5 * fast - slow);
  }
  return {one};
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
        theta_(values_of(arm_numbers(problem, problem.columns))),
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

/// Finite limits of one joint in the order of ArmLimit.
std::array<double, 7> allowed_of(const model::Joint& joint) {
  const model::JointLimits& limits = joint.limits;
  const auto of = [&](const std::optional<double>& number) { return number.value_or(infinity); };
  std::array<double, 7> allowed = {0.5 * (limits.max - limits.min),
                                   limits.speed,
                                   limits.acceleration,
                                   limits.effort,
                                   infinity,
                                   infinity,
                                   infinity};
  if (joint.actuator) {
    allowed[4] = of(joint.actuator->speed);
    allowed[5] = of(joint.actuator->acceleration);
    allowed[6] = of(joint.actuator->current);
  }
  return allowed;
}

}  // namespace

std::string to_string(ArmLimit limit) {
  static const char* names[] = {"position", "joint speed", "joint acceleration",
                                "effort",   "motor speed", "motor acceleration",
                                "current"};
  return names[static_cast<std::size_t>(limit)];
}

void ArmProblem::check() const {
  if (harmonics < 1 || harmonics > 100) refuse("harmonics", fmt::format("= {}, must be 1 to 100", harmonics));
  if (!(period > 0) || !std::isfinite(period)) refuse("period", fmt::format("= {} s, must be > 0", period));
  if (samples < 4 * harmonics + 1)
    refuse("samples",
           fmt::format("= {}, must be more than {}: four to the fastest sine", samples, 4 * harmonics));
  if (!columns.rigid) refuse("columns", "must have those of rigid links", "rigid: true");
  if (medium == dynamics::Medium::air && (columns.buoyancy || columns.added_mass || columns.drag))
    refuse("columns", "has buoyancy, added mass or drag, which an arm in air does not show",
           "medium: water, or leave them out");
  if (starts < 1) refuse("starts", fmt::format("= {}, must be >= 1", starts));
  if (iterations < 1) refuse("iterations", fmt::format("= {}, must be >= 1", iterations));
  for (const model::Joint& joint : arm.joints()) {
    if (!std::isfinite(joint.limits.min) || !std::isfinite(joint.limits.max))
      refuse(joint.name, "has no range; a series needs one to stay within", "give limits.min and limits.max");
    if (in_current && !joint.actuator)
      refuse(joint.name, "has no motor, so no current", "leave in_current out, or give it an actuator");
  }
}

std::vector<dynamics::ArmParameter> arm_numbers(const ArmProblem& problem,
                                                const dynamics::ArmColumns& columns) {
  if (!columns.drag) return dynamics::arm_parameters(problem.arm, problem.environment, columns);
  model::ArmSpec spec = problem.arm.spec();
  for (model::Link& link : spec.links) link.damping = diagonal_drag(link.damping);
  return dynamics::arm_parameters(model::Arm::make(std::move(spec)), problem.environment, columns);
}

Eigen::VectorXd values_of(const std::vector<dynamics::ArmParameter>& numbers) {
  Eigen::VectorXd values(static_cast<Eigen::Index>(numbers.size()));
  for (std::size_t k = 0; k < numbers.size(); ++k) values[static_cast<Eigen::Index>(k)] = numbers[k].value;
  return values;
}

std::vector<ArmMargin> arm_margins(const ArmProblem& problem, const ArmPath& path, int count) {
  const std::size_t n = problem.arm.size();
  std::vector<std::array<double, 7>> reached(n, std::array<double, 7>{});
  NominalEfforts nominal(problem);
  ArmInstant joints, shafts;
  for (int k = 0; k < count; ++k) {
    const double t = problem.period * k / count;
    path.joints_at(t, joints);
    path.shafts_at(t, shafts);
    const Eigen::VectorXd& efforts = nominal.at(joints);
    for (std::size_t j = 0; j < n; ++j) {
      const auto i = static_cast<Eigen::Index>(j);
      const model::Joint& joint = problem.arm.joints()[j];
      double current = 0;
      if (joint.actuator)
        current = efforts[i] / (joint.actuator->motor.k_t *
                                model::motor_angle(joint.actuator->transmission, joints.u[i]).ratio);
      const double now[] = {joints.u[i] - middle_of(joint.limits),
                            joints.du[i],
                            joints.ddu[i],
                            efforts[i],
                            shafts.du[i],
                            shafts.ddu[i],
                            current};
      for (std::size_t c = 0; c < 7; ++c)  // what is not a number is beyond every limit
        reached[j][c] = std::isnan(now[c]) ? infinity : std::max(reached[j][c], std::abs(now[c]));
    }
  }
  std::vector<ArmMargin> margins;
  for (std::size_t j = 0; j < n; ++j) {
    const auto allowed = allowed_of(problem.arm.joints()[j]);
    for (std::size_t c = 0; c < 7; ++c)
      if (std::isfinite(allowed[c]))
        margins.push_back({j, static_cast<ArmLimit>(c), reached[j][c], allowed[c]});
  }
  return margins;
}

double least_share(const std::vector<ArmMargin>& margins) {
  double least = infinity;
  for (const ArmMargin& margin : margins) least = std::min(least, margin.share());
  return least;
}

}  // namespace fathom::excite
