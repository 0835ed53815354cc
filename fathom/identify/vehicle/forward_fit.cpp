#include "fathom/identify/vehicle/forward_fit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/LU>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/consistency/constraints.hpp"
#include "fathom/dynamics/regressor.hpp"
#include "fathom/identify/vehicle/estimators.hpp"
#include "fathom/identify/vehicle/internal/conic_words.hpp"
#include "fathom/identify/vehicle/internal/uncertainty.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;

constexpr int most_forward_rounds = 30;
constexpr double delay_step = 0.02;     // s
constexpr double forward_still = 1e-3;  // of the parameters, each against its own size

/// The columns of Y that an acceleration of the free velocities adds.
Eigen::MatrixXd inertial_part(const Regression& regression, const Eigen::VectorXd& acceleration) {
  dynamics::Motion motion;
  motion.down_b.setZero();
  for (Index row = 0; row < regression.rows(); ++row)
    motion.nu_r_dot_b[regression.free()[static_cast<std::size_t>(row)]] = acceleration[row];
  return dynamics::regressor(regression.structure(), motion);
}

Eigen::MatrixXd inverse_mass(const Regression& regression, const Eigen::VectorXd& theta) {
  const Index rows = regression.rows();
  Eigen::MatrixXd M(rows, rows);
  for (Index j = 0; j < rows; ++j) M.col(j) = inertial_part(regression, Eigen::VectorXd::Unit(rows, j)) * theta;
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(M);
  if (!lu.isInvertible())
    reject("structure", regression.structure().name + ": its mass is singular on the way");
  return lu.inverse();
}

/// One step's rows, by the mass and the residuals of theta.
class ForwardRows {
 public:
  ForwardRows(const Regression& regression, const Nuisance& at, const Eigen::VectorXd& theta)
      : regression_(regression), at_(at), theta_(theta), M_inverse_(inverse_mass(regression, theta)) {
    Eigen::VectorXd square = Eigen::VectorXd::Zero(regression.rows());
    each([&](const Eigen::MatrixXd&, const Eigen::VectorXd& left) { square += left.cwiseAbs2(); });
    sigma_ = (square / static_cast<double>(regression.samples())).cwiseSqrt().cwiseMax(1e-9);
  }
  const Eigen::VectorXd& sigma() const { return sigma_; }

  /// By eq. 10, of the rows that the last step saw.
  Eigen::MatrixXd covariance() const {
    Eigen::MatrixXd moments(theta_.size(), regression_.samples()),
        H = Eigen::MatrixXd::Zero(theta_.size(), theta_.size());
    std::vector<Index> breaks;
    regression_.pass(at_, [&](const RowBlock& block) {
      if (block.begins) breaks.push_back(block.first_sample);
    });
    Index sample = 0;
    each([&](const Eigen::MatrixXd& Y, const Eigen::VectorXd& left) {
      const Eigen::MatrixXd A =
          sigma_.cwiseInverse().asDiagonal() * (M_inverse_ * (Y + inertial_part(regression_, left)));
      moments.col(sample++) = A.transpose() * left.cwiseQuotient(sigma_);
      H += A.transpose() * A;
    });
    moments.colwise() -= moments.rowwise().mean().eval();
    return solve::sandwich(H, solve::long_run_covariance(moments, breaks), regression_.samples());
  }

  solve::Rows sums() const {
    solve::Rows rows(theta_.size());
    each([&](const Eigen::MatrixXd& Y, const Eigen::VectorXd& left) {
      // At the model's own acceleration: that is what theta moves.
      const Eigen::MatrixXd A = M_inverse_ * (Y + inertial_part(regression_, left));
      rows.add(A, A * theta_ + left, sigma_);
    });
    return rows;
  }

 private:
  /// take(Y, left): of each sample, and the acceleration that the model has beyond the measured one.
  template <class Take>
  void each(const Take& take) const {
    const Index rows = regression_.rows();
    regression_.pass(at_, [&](const RowBlock& block) {
      for (Index k = 0; k < block.tau.size(); k += rows) {
        const Eigen::MatrixXd Y = block.Y.middleRows(k, rows);
        take(Y, M_inverse_ * (block.tau.segment(k, rows) - Y * theta_));
      }
    });
  }

  const Regression& regression_;
  const Nuisance& at_;
  const Eigen::VectorXd& theta_;
  Eigen::MatrixXd M_inverse_;
  Eigen::VectorXd sigma_;
};

}  // namespace

ForwardFit forward_fit(const Regression& regression, const Nuisance& at, const solve::ConicSet& constraints,
                       const Eigen::VectorXd& start) {
  ForwardFit out;
  out.theta = start;
  solve::ConicSolver solver(constraints);
  while (!out.settled && out.rounds < most_forward_rounds) {
    const solve::ConicResult& result =
        solver.solve(sum_of_squares(ForwardRows(regression, at, out.theta).sums()));
    if (result.status != solve::ConicStatus::solved)
      throw InputError(internal::no_estimate(regression.structure().name, constraints, result));
    const Eigen::VectorXd step = result.x - out.theta;
    out.theta += step;
    ++out.rounds;
    out.settled = (step.array().abs() <= forward_still * out.theta.array().abs() + 1e-6).all();
  }
  const ForwardRows last(regression, at, out.theta);
  out.unexplained = last.sigma();
  out.covariance = last.covariance();
  return out;
}

namespace {

/// The forward estimate at the delay of the least unexplained acceleration.
struct BestForward {
  Nuisance at;
  ForwardFit fit;
  Eigen::VectorXd by_delay;  ///< slope of theta by the delay there, from its neighbours on the list
};

BestForward best_forward(const Regression& regression, const solve::ConicSet& constraints,
                         const IdentifyOptions& options, const Fit& start) {
  const double most = options.fit.estimate_delay ? options.regression.most_delay : 0;
  std::vector<std::pair<double, Eigen::VectorXd>> tried;  // those that found an estimate
  BestForward best{start.nuisance.value, {}, Eigen::VectorXd::Zero(start.theta.size())};
  double least = infinity;
  std::size_t at_best = 0;
  for (double delay = 0; delay <= most + 1e-9; delay += delay_step) {
    Nuisance at = start.nuisance.value;
    if (options.fit.estimate_delay) at.delay = std::min(delay, most);
    try {
      ForwardFit one = forward_fit(regression, at, constraints, start.theta);
      if (!one.settled) continue;
      tried.emplace_back(at.delay, one.theta);
      if (const double cost = one.unexplained.array().log().sum(); cost < least) {
        least = cost;
        at_best = tried.size() - 1;
        best.at = at;
        best.fit = std::move(one);
      }
    } catch (const InputError&) {
      continue;  // a delay that is far off may have no estimate
    }
  }
  if (tried.empty()) reject("--estimator", "forward finds no estimate", "the default one may");
  const auto& before = tried[at_best > 0 ? at_best - 1 : 0];
  const auto& after = tried[std::min(at_best + 1, tried.size() - 1)];
  if (after.first > before.first) best.by_delay = (after.second - before.second) / (after.first - before.first);
  return best;
}

/// As (10) has it for the fit, and what delay, dead band and scale of the thrust move theta by.
Eigen::MatrixXd forward_covariance(const BestForward& best, double delay_sigma, double thrust_sigma,
                                   const Eigen::VectorXd& by_dead_band, const Eigen::VectorXd& by_saturation) {
  Eigen::MatrixXd C = best.fit.covariance;
  for (const Eigen::VectorXd& moved :
       {Eigen::VectorXd(delay_sigma * best.by_delay), Eigen::VectorXd(thrust_sigma * best.fit.theta),
        by_dead_band, by_saturation})
    C += moved * moved.transpose();
  return C;
}

}  // namespace

ForwardFit take_forward(const std::vector<Recording>& recordings, const model::Robot& robot,
                        const model::Environment& environment, const IdentifyOptions& options,
                        const CommandPathFit& command_path, Identified& found) {
  const solve::ConicSet constraints =
      consistency::constraints(found.structure, robot, environment, options.constraints);
  Fit& fit = found.fit;
  BestForward best =
      best_forward(Regression(found.structure, recordings, options.regression), constraints, options, fit);
  fit.nuisance.delay_sigma = std::max({fit.nuisance.delay_sigma, delay_step / std::sqrt(12.0),
                                       std::abs(best.at.delay - fit.nuisance.value.delay)});
  fit.nuisance.value = best.at;
  const Eigen::VectorXd fitted = std::exchange(fit.theta, best.fit.theta);
  Eigen::VectorXd by_dead_band = Eigen::VectorXd::Zero(fit.theta.size()), by_saturation = by_dead_band;
  const auto estimate = [&](const std::vector<Recording>& other) {
    const Regression regression(found.structure, other, options.regression);
    return forward_fit(regression, best.at, constraints, fit.theta).theta;
  };
  const auto& band = command_path.dead_band;
  if (band) by_dead_band = internal::moved_by_dead_band(recordings, band->value, band->sigma, estimate);
  if (const auto& most = command_path.saturation)
    by_saturation = internal::moved_by_saturation(recordings, band ? band->value : robot.dead_band(),
                                                  most->value, most->sigma, estimate);
  Eigen::MatrixXd C = forward_covariance(best, options.fit.estimate_delay ? fit.nuisance.delay_sigma : 0,
                                         options.fit.thrust_sigma, by_dead_band, by_saturation);
  best.fit.inconsistent = internal::hausman_test(fitted, fit.covariance, fit.theta, C);
  fit.covariance = C;
  fit.information = internal::scaled_inverse(fit.covariance);
  found.parameters = model::ParameterVector(found.structure.parameters(fit.theta), fit.covariance);
  found.estimates.push_back({"forward",
                             "the commands explain the acceleration: kept in place of the consistent one", true,
                             "", fit.theta, fit.covariance});
  return best.fit;
}

}  // namespace fathom::identify
