#include "fathom/excite/arm/internal/objective.hpp"

#include <cmath>
#include <numbers>

#include "fathom/base/constants.hpp"
#include "fathom/model/shaft_motion.hpp"

namespace fathom::excite::internal {
namespace {

/// Limits that are not linear are kept by so much at the samples, for what happens between them.
constexpr double inset = 0.01;
/// Below this share of a joint's speed, dry friction's sign is smoothed.
constexpr double smooth_share = 0.03;

/// Speed, acceleration and current or effort that a coordinate's own or its other side's limits allow.
struct Side {
  double speed, acceleration;
};
Side joint_side(const model::Joint& joint) { return {joint.limits.speed, joint.limits.acceleration}; }
Side motor_side(const model::Joint& joint) {
  if (!joint.actuator) return {infinity, infinity};
  return {joint.actuator->speed.value_or(infinity), joint.actuator->acceleration.value_or(infinity)};
}

/// A joint without a motor has one side alone.
bool is_in_motor_space(const ArmProblem& problem, const model::Joint& joint) {
  return problem.space == ArmSpace::motor && joint.actuator;
}

const ArmProblem& checked(const ArmProblem& problem) {
  problem.check();
  return problem;
}

/// Efforts in water are those of all columns, whichever of them the criterion counts.
dynamics::ArmColumns sweep_columns(const ArmProblem& problem) {
  dynamics::ArmColumns columns = problem.columns;
  bool is_effort_limited = false;
  for (const model::Joint& joint : problem.arm.joints())
    is_effort_limited |= std::isfinite(joint.limits.effort) || (joint.actuator && joint.actuator->current);
  if (is_effort_limited && problem.medium == dynamics::Medium::water)
    columns.buoyancy = columns.added_mass = columns.drag = true;
  return columns;
}

consistency::BaseParameters base_of(const ArmProblem& problem) {
  return consistency::base_parameters(regressor_of(problem, problem.columns),
                                      consistency::draw({.down_b = problem.down_b}, problem.arm.joints()));
}

/// Where the columns of `some` stand among those of `all`, by their names.
std::vector<Eigen::Index> places_of(const model::ParameterVector& some, const std::vector<std::size_t>& which,
                                    const model::ParameterVector& all) {
  std::vector<Eigen::Index> places;
  for (const std::size_t k : which) places.push_back(static_cast<Eigen::Index>(all.find(some[k].name).value()));
  return places;
}

void add_rows(const Eigen::MatrixXd& rows, double size, double low, double high, double tightened,
              std::vector<Eigen::Triplet<double>>& entries, std::vector<double>& lower,
              std::vector<double>& upper) {
  if (!std::isfinite(high)) return;
  for (Eigen::Index k = 0; k < rows.rows(); ++k) {
    const auto row = static_cast<int>(lower.size());
    for (Eigen::Index c = 0; c < rows.cols(); ++c)
      if (rows(k, c) != 0) entries.emplace_back(row, static_cast<int>(c), size * rows(k, c) / high);
    lower.push_back(tightened * low / high);
    upper.push_back(tightened);
  }
}

}  // namespace

ArmFrame::ArmFrame(const ArmProblem& given)
    : problem(checked(given)),
      arm(given.arm, given.environment, given.medium),
      base(base_of(given)),
      columns(sweep_columns(given)),
      nominal(regressor_of(given, columns).parameters().values()) {
  kept = places_of(regressor_of(problem, problem.columns).parameters(), base.kept,
                   regressor_of(problem, columns).parameters());
  column_scale = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(base.rank()));
  const Eigen::Index terms = 2 * problem.harmonics + 1, n = static_cast<Eigen::Index>(arm.size());
  value.resize(problem.samples, terms), rate.resize(problem.samples, terms);
  second.resize(problem.samples, terms);
  for (Eigen::Index k = 0; k < problem.samples; ++k) {
    Eigen::RowVectorXd a(terms), b(terms), c(terms);
    fourier_rows(problem.harmonics, problem.period, problem.period * static_cast<double>(k) / problem.samples,
                 a, b, c);
    value.row(k) = a, rate.row(k) = b, second.row(k) = c;
  }
  middle.resize(n), half.resize(n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const model::Joint& joint = problem.arm.joints()[static_cast<std::size_t>(j)];
    double low = joint.limits.min, high = joint.limits.max;
    const double fastest = (high - low) * std::numbers::pi * problem.harmonics / problem.period;
    sign_speed.push_back(smooth_share * std::min(joint.limits.speed, fastest));
    if (is_in_motor_space(problem, joint)) {
      low = model::motor_angle(joint.actuator->transmission, low).angle;
      high = model::motor_angle(joint.actuator->transmission, high).angle;
    }
    middle[j] = 0.5 * (low + high);
    half[j] = 0.5 * std::abs(high - low);
  }
}

solve::BlockProgram ArmFrame::linear_limits() const {
  const double tightened = std::cos(std::numbers::pi * problem.harmonics / problem.samples);
  solve::BlockProgram program;
  for (Eigen::Index j = 0; j < middle.size(); ++j) {
    const model::Joint& joint = problem.arm.joints()[static_cast<std::size_t>(j)];
    const Side side = is_in_motor_space(problem, joint) ? motor_side(joint) : joint_side(joint);
    std::vector<Eigen::Triplet<double>> entries;
    std::vector<double> lower, upper;
    add_rows(value, 1, -1, 1, tightened, entries, lower, upper);
    add_rows(rate, half[j], -side.speed, side.speed, tightened, entries, lower, upper);
    add_rows(second, half[j], -side.acceleration, side.acceleration, tightened, entries, lower, upper);
    solve::Block block;
    const auto rows = static_cast<Eigen::Index>(lower.size());
    block.A.resize(rows, coefficients());
    block.A.setFromTriplets(entries.begin(), entries.end());
    block.lower = Eigen::Map<const Eigen::VectorXd>(lower.data(), rows);
    block.upper = Eigen::Map<const Eigen::VectorXd>(upper.data(), rows);
    program.blocks.push_back(std::move(block));
  }
  return program;
}

FourierSeries ArmFrame::series(const Eigen::VectorXd& x) const {
  FourierSeries series;
  series.period = problem.period;
  series.coefficients.resize(middle.size(), coefficients());
  for (Eigen::Index j = 0; j < middle.size(); ++j)
    series.coefficients.row(j) = half[j] * x.segment(j * coefficients(), coefficients()).transpose();
  series.coefficients.col(0) += middle;
  return series;
}

ArmObjective::ArmObjective(const ArmFrame& frame)
    : frame_(&frame),
      sweep_(frame.arm, frame.columns, frame.problem.down_b, frame.sign_speed),
      criterion_(frame.problem.criterion, Eigen::VectorXd::Ones(static_cast<Eigen::Index>(frame.base.rank())),
                 Eigen::VectorXd::Zero(static_cast<Eigen::Index>(frame.base.rank()))) {
  const Eigen::Index n = frame.middle.size(), count = frame.problem.samples;
  const auto columns = static_cast<Eigen::Index>(sweep_.columns());
  const auto rank = static_cast<Eigen::Index>(frame.base.rank());
  samples_.assign(static_cast<std::size_t>(count), sweep_.sample());
  full_.assign(static_cast<std::size_t>(count), Eigen::MatrixXd(n, columns));
  rows_.resize(n * count, rank), weighted_.resize(n * count, rank);
  G_.resize(rank, rank), W_.resize(rank, rank);
  Z_.resize(n, columns);
  for (Eigen::MatrixXd* m :
       {&gain_, &effort_bar_, &by_q_, &by_dq_, &by_ddq_, &by_u_, &by_du_, &by_ddu_, &du_, &ddu_})
    m->resize(n, count);
  for (const model::Joint& joint : frame.problem.arm.joints()) {
    const Side other = is_in_motor_space(frame.problem, joint) ? joint_side(joint) : motor_side(joint);
    barrier_is_needed_ |= std::isfinite(other.speed) || std::isfinite(other.acceleration) ||
                          std::isfinite(joint.limits.effort) ||
                          (joint.actuator && joint.actuator->current.has_value());
  }
}

/// The motion at all samples, and the regressor of each.
void ArmObjective::move(const Eigen::VectorXd& x) {
  const Eigen::Index n = frame_->middle.size(), m = frame_->coefficients(), count = frame_->problem.samples;
  for (Eigen::Index j = 0; j < n; ++j) {
    const auto c = x.segment(j * m, m);
    by_u_.row(j) = (frame_->half[j] * (frame_->value * c)).transpose().array() + frame_->middle[j];
    du_.row(j) = (frame_->half[j] * (frame_->rate * c)).transpose();
    ddu_.row(j) = (frame_->half[j] * (frame_->second * c)).transpose();
  }
  const auto& joints = frame_->problem.arm.joints();
  for (Eigen::Index k = 0; k < count; ++k) {
    RegressorSweep::Sample& sample = samples_[static_cast<std::size_t>(k)];
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const auto i = static_cast<Eigen::Index>(j);
      double &q = sample.q[j], &dq = sample.dq[j], &ddq = sample.ddq[j];
      q = by_u_(i, k), dq = du_(i, k), ddq = ddu_(i, k);
      if (frame_->problem.space == ArmSpace::motor)
        joint_of_shaft(frame_->arm.transmissions()[j], model::middle_of_range(joints[j].limits), q, dq, ddq);
    }
    Eigen::MatrixXd& Y = full_[static_cast<std::size_t>(k)];
    sweep_.rows(sample, Y);
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const auto i = static_cast<Eigen::Index>(j);
      gain_(i, k) =
          frame_->problem.in_current ? 1 / (joints[j].actuator->motor.k_t * sample.motors[j].ratio) : 1;
      for (Eigen::Index c = 0; c < rows_.cols(); ++c)
        rows_(k * n + i, c) =
            gain_(i, k) * frame_->column_scale[c] * Y(i, frame_->kept[static_cast<std::size_t>(c)]);
    }
  }
}

const Eigen::MatrixXd& ArmObjective::information(const Eigen::VectorXd& x) {
  move(x);
  G_.setZero();
  G_.selfadjointView<Eigen::Lower>().rankUpdate(rows_.transpose());
  G_.triangularView<Eigen::StrictlyUpper>() = G_.transpose();
  return G_;
}

/// -log(1 - (value / limit)^2) with its slope; infinite beyond the limit.
double ArmObjective::bound(double value, double limit, double weight, double& slope) const {
  if (!std::isfinite(limit)) return 0;
  const double most = (1 - inset) * limit, left = 1 - (value / most) * (value / most);
  if (!(left > 0)) return infinity;
  slope += weight * 2 * value / (most * most * left);
  return -weight * std::log(left);
}

/// Of all samples, with slopes in effort_bar_, by_q_, by_dq_, by_ddq_; `weight` is that of one sample.
double ArmObjective::barrier(double weight) {
  effort_bar_.setZero(), by_q_.setZero(), by_dq_.setZero(), by_ddq_.setZero();
  if (!barrier_is_needed_) return 0;
  double sum = 0;
  const auto& joints = frame_->problem.arm.joints();
  for (std::size_t s = 0; s < samples_.size(); ++s) {
    const RegressorSweep::Sample& sample = samples_[s];
    const auto k = static_cast<Eigen::Index>(s);
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const auto i = static_cast<Eigen::Index>(j);
      const MotorCurve& motor = sample.motors[j];
      const double dq = sample.dq[j], ddq = sample.ddq[j];
      const double effort = full_[s].row(i).dot(frame_->nominal);
      sum += bound(effort, joints[j].limits.effort, weight, effort_bar_(i, k));
      if (joints[j].actuator && joints[j].actuator->current) {
        const double K = joints[j].actuator->motor.k_t * motor.ratio;
        double slope = 0;
        sum += bound(effort / K, *joints[j].actuator->current, weight, slope);
        effort_bar_(i, k) += slope / K;
        by_q_(i, k) -= slope * effort / K * motor.slope / motor.ratio;
      }
      if (is_in_motor_space(frame_->problem, joints[j])) {
        sum += bound(dq, joints[j].limits.speed, weight, by_dq_(i, k));
        sum += bound(ddq, joints[j].limits.acceleration, weight, by_ddq_(i, k));
        continue;
      }
      const Side side = motor_side(joints[j]);
      double speed = 0, acceleration = 0;
      sum += bound(motor.ratio * dq, side.speed, weight, speed);
      sum += bound(motor.ratio * ddq + motor.slope * dq * dq, side.acceleration, weight, acceleration);
      by_q_(i, k) += speed * motor.slope * dq + acceleration * (motor.slope * ddq + motor.bend * dq * dq);
      by_dq_(i, k) += speed * motor.ratio + acceleration * 2 * motor.slope * dq;
      by_ddq_(i, k) += acceleration * motor.ratio;
    }
  }
  return sum;
}

bool ArmObjective::is_inside(const Eigen::VectorXd& x) {
  move(x);
  return std::isfinite(barrier(1));
}

/// From the rows of one sample to its coordinates.
void ArmObjective::push_back(std::size_t s) {
  const Eigen::Index n = frame_->middle.size();
  const auto k = static_cast<Eigen::Index>(s);
  const RegressorSweep::Sample& sample = samples_[s];
  Z_ = effort_bar_.col(k) * frame_->nominal.transpose();
  for (Eigen::Index i = 0; i < n; ++i) {
    double along = 0;
    for (Eigen::Index c = 0; c < rows_.cols(); ++c) {
      const double z = weighted_(k * n + i, c);
      along += z * rows_(k * n + i, c);
      Z_(i, frame_->kept[static_cast<std::size_t>(c)]) += gain_(i, k) * frame_->column_scale[c] * z;
    }
    const MotorCurve& motor = sample.motors[static_cast<std::size_t>(i)];
    if (frame_->problem.in_current) by_q_(i, k) -= along * motor.slope / motor.ratio;
  }
  const auto size = static_cast<std::size_t>(n);
  sweep_.pull_back(sample, Z_, {&by_q_(0, k), size}, {&by_dq_(0, k), size}, {&by_ddq_(0, k), size});
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto j = static_cast<std::size_t>(i);
    double &by_u = by_u_(i, k), &by_du = by_du_(i, k), &by_ddu = by_ddu_(i, k);
    by_u = by_q_(i, k), by_du = by_dq_(i, k), by_ddu = by_ddq_(i, k);
    if (frame_->problem.space == ArmSpace::joint || !frame_->arm.transmissions()[j]) continue;
    // q = g(u): dq = g' du, ddq = g' ddu + g'' du^2.
    const MotorCurve& m = sample.motors[j];
    const double r = m.ratio, g1 = 1 / r, g2 = -m.slope * g1 * g1 * g1;
    const double g3 = (3 * m.slope * m.slope * g1 - m.bend) * g1 * g1 * g1 * g1;
    const double du = du_(i, k), ddu = ddu_(i, k), a = by_u, b = by_du, c = by_ddu;
    by_u = a * g1 + b * g2 * du + c * (g2 * ddu + g3 * du * du);
    by_du = b * g1 + c * 2 * g2 * du;
    by_ddu = c * g1;
  }
}

double ArmObjective::evaluate(const Eigen::VectorXd& x, double mu, Eigen::VectorXd& gradient) {
  information(x);
  value_ = criterion_.evaluate(G_, W_);
  const double weight = mu / static_cast<double>(samples_.size()), wall = barrier(weight);
  if (!std::isfinite(value_) || !std::isfinite(wall)) return infinity;
  weighted_.noalias() = 2 * rows_ * W_;
  for (std::size_t s = 0; s < samples_.size(); ++s) push_back(s);
  const Eigen::Index m = frame_->coefficients();
  for (Eigen::Index j = 0; j < frame_->middle.size(); ++j) {
    auto part = gradient.segment(j * m, m);
    part.noalias() = frame_->value.transpose() * by_u_.row(j).transpose();
    part.noalias() += frame_->rate.transpose() * by_du_.row(j).transpose();
    part.noalias() += frame_->second.transpose() * by_ddu_.row(j).transpose();
    part *= frame_->half[j];
  }
  return value_ + wall;
}

}  // namespace fathom::excite::internal
