#include "fathom/identify/vehicle/estimators.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <Eigen/LU>

#include "fathom/base/constants.hpp"
#include "fathom/base/parallel_map.hpp"
#include "fathom/identify/vehicle/internal/uncertainty.hpp"
#include "fathom/identify/vehicle/internal/weighed_rows.hpp"
#include "fathom/identify/vehicle/prediction.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify::internal {
namespace {

/// The equations sum_t m_t = 0 that an estimator solves. With rows a, residuals r and instruments z over
/// `row_scale`, m_t sums over the rows of sample t: docs/identification.md eq. 20a.
struct Score {
  Eigen::VectorXd row_scale;
  double corner = infinity;  ///< of Huber's psi
  /// Variance of each column's error in any row, that of y being one, where `total` supposes them; else empty.
  Eigen::VectorXd column_variance = {};
  /// Z of each block of rows, as the regression gives them; empty where z is a.
  std::vector<Eigen::MatrixXd> instruments = {};
};

using Eigen::Index;

/// Sums of an estimator's equations and of their slopes, made in one pass over the rows.
class Sums {
 public:
  Sums(const Score& score, const Eigen::VectorXd& theta, const Regression& regression, const Fit& fit,
       const FitOptions& options)
      : score_(score),
        theta_(theta),
        regression_(regression),
        attitude_sigma_(options.attitude_sigma.value_or(Vec3::Zero())) {
    const Index n = theta.size();
    extra_ = {options.estimate_delay, options.estimate_current};
    const Nuisance& at = fit.nuisance.value;
    nuisances_ = with_currents(at, extra_.current);
    for (const double side : {1, -1}) {
      nuisances_.push_back(at);
      nuisances_.back().split = side;
    }
    for (int axis = 0; axis < 3; ++axis) {
      nuisances_.push_back(at);
      nuisances_.back().attitude_error_b[axis] = attitude_sigma_[axis];
    }
    m.resize(n, regression.samples());
    slope.setZero(n, n);
    by_nuisance.setZero(n, extra_.count());
    by_attitude.setZero(n, 3);
    by_noise.setZero(n);
    if (has_columns()) pull_ = score.column_variance.cwiseProduct(theta) / (1 + columns_square());
    regression.pass(nuisances_, [&](std::span<const RowBlock> blocks) { add(blocks); });
    // Fuller 1987, section 2.2.
    if (has_columns()) {
      slope.diagonal() -= square_ / (1 + columns_square()) * score.column_variance;
      by_noise += square_ * pull_;
    }
    if (!has_split()) by_noise.setZero();
  }

  Eigen::MatrixXd m;            // n x samples
  Eigen::MatrixXd slope;        // -d(sum m)/d theta
  Eigen::MatrixXd by_nuisance;  // d(sum m)/d(delay, current)
  Eigen::MatrixXd by_attitude;  // what one sigma of each angle adds to sum m
  Eigen::VectorXd by_noise;     // what noise in velocities adds to sum m on average

 private:
  bool has_columns() const { return score_.column_variance.size() > 0; }
  double columns_square() const { return score_.column_variance.dot(theta_.cwiseAbs2()); }
  bool has_split() const {
    return std::any_of(regression_.recordings().begin(), regression_.recordings().end(),
                       [](const Recording& r) { return r.nu_split_b.cols() > 0; });
  }

  Eigen::VectorXd scaled_residual(const RowBlock& block, const Eigen::VectorXd& weight) const {
    return weight.cwiseProduct(block.tau - block.Y * theta_);
  }

  void add(std::span<const RowBlock> blocks) {
    const RowBlock& block = blocks.front();
    const Index rows = regression_.rows(), currents = extra_.current ? 2 : 0;
    const Eigen::VectorXd weight = score_.row_scale.cwiseInverse().replicate(block.tau.size() / rows, 1);
    const Eigen::MatrixXd A = weight.asDiagonal() * block.Y;
    const bool instruments = !score_.instruments.empty();
    const Eigen::MatrixXd Z =
        instruments ? Eigen::MatrixXd(weight.asDiagonal() * score_.instruments[number_]) : A;
    ++number_;
    const Eigen::VectorXd r = scaled_residual(block, weight);
    const Eigen::VectorXd inside = (r.array().abs() <= score_.corner).cast<double>();
    const Eigen::MatrixXd ZI = (inside.asDiagonal() * Z).transpose();  // times psi'
    slope.noalias() += ZI * A;
    if (extra_.delay) by_nuisance.col(0) += ZI * weight.cwiseProduct(block.tau_by_delay);
    for (Index axis = 0; axis < currents; ++axis)
      by_nuisance.col((extra_.delay ? 1 : 0) + axis) -=
          ZI * weight.cwiseProduct((blocks[static_cast<std::size_t>(1 + axis)].Y - block.Y) * theta_) /
          current_step;
    const auto split = static_cast<std::size_t>(1 + currents);
    if (!instruments) {
      const Eigen::MatrixXd D = 0.5 * weight.asDiagonal() * (blocks[split].Y - blocks[split + 1].Y);
      by_noise -= D.transpose() * inside.cwiseProduct(D * theta_);
    }
    for (Index axis = 0; axis < 3; ++axis)
      if (attitude_sigma_[axis] > 0)
        by_attitude.col(axis) +=
            ZI * (scaled_residual(blocks[split + 2 + static_cast<std::size_t>(axis)], weight) - r);
    square_ += r.squaredNorm();
    add_moments(block, Z, r);
  }

  void add_moments(const RowBlock& block, const Eigen::MatrixXd& Z, const Eigen::VectorXd& r) {
    const Eigen::VectorXd psi = r.cwiseMax(-score_.corner).cwiseMin(score_.corner);
    const Index rows = regression_.rows();
    for (Index k = 0; k < r.size() / rows; ++k) {
      auto moment = m.col(block.first_sample + k);
      moment.noalias() = Z.middleRows(k * rows, rows).transpose() * psi.segment(k * rows, rows);
      if (has_columns()) moment += r.segment(k * rows, rows).squaredNorm() * pull_;
    }
  }

  const Score& score_;
  const Eigen::VectorXd& theta_;
  const Regression& regression_;
  Vec3 attitude_sigma_;  // rad
  Extra extra_{};
  std::vector<Nuisance> nuisances_;
  Eigen::VectorXd pull_;    // of `total`, per squared residual
  double square_ = 0;       // sum of squared residuals
  std::size_t number_ = 0;  // of the block
};

/// Of the estimate `theta` at the delay and the current of `fit`: residuals that remember, errors of delay and
/// current, of attitude and thrust, as that of the fit; and the square of the bias that noise in velocities
/// makes, as far as the split of the samples shows it. Throws InputError where the rows do not tell the
/// parameters apart.
Eigen::MatrixXd covariance_of(const Score& score, const Eigen::VectorXd& theta, const Regression& regression,
                              const Fit& fit, const FitOptions& options) {
  const Sums sums(score, theta, regression, fit, options);
  const NuisanceErrors& errors = fit.nuisance_errors;
  Eigen::MatrixXd m = sums.m + sums.by_nuisance * errors.by_sample;
  m.colwise() -= m.rowwise().mean().eval();
  Eigen::MatrixXd covariance =
      solve::sandwich(sums.slope, solve::long_run_covariance(m, fit.residuals.breaks), regression.samples());
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(sums.slope);
  const Eigen::MatrixXd by_nuisance = lu.solve(sums.by_nuisance);
  const Eigen::MatrixXd by_attitude = lu.solve(sums.by_attitude + sums.by_nuisance * errors.attitude);
  const Eigen::VectorXd bias = lu.solve(sums.by_noise);
  for (const Eigen::MatrixXd& root :
       {Eigen::MatrixXd(by_nuisance * root_of(errors.prior)), Eigen::MatrixXd(by_attitude),
        Eigen::MatrixXd(bias), Eigen::MatrixXd(options.thrust_sigma * theta)})
    covariance += square_of(root);
  return covariance;
}

}  // namespace

}  // namespace fathom::identify::internal

namespace fathom::identify {

std::vector<Recording> simulated(const Regression& regression, const dynamics::Vehicle& vehicle,
                                 const Nuisance& at) {
  std::vector<Recording> out(regression.recordings().begin(), regression.recordings().end());
  PredictionOptions options;
  options.delay = at.delay;
  options.current_n = at.current_n;
  for (Recording& recording : out) {
    const Prediction prediction = predict(vehicle, recording, options);
    for (Eigen::Index k = 0; k < recording.size(); ++k)
      if (prediction.nu_b.col(k).allFinite())
        for (const int i : regression.free()) recording.track.nu_b(i, k) = prediction.nu_b(i, k);
  }
  return out;
}

namespace {

using Eigen::Index;

/// Standard deviation of each column's error, and of tau's last, in the units of weighed rows: what the
/// smoother says of nu, through each term; an error of nu lasts about as long as the blur, so that its rate is
/// nu's over that.
Eigen::VectorXd column_errors(const Regression& regression, const Eigen::VectorXd& row_sigma) {
  Vec6 nu_square = Vec6::Zero(), error_square = Vec6::Zero();
  double samples = 0;
  each_usable(regression.recordings(), [&](const Recording& recording, Index k) {
    nu_square += recording.track.nu_b.col(k).cwiseAbs2();
    error_square += recording.track.nu_sigma_b.col(k).cwiseAbs2();
    samples += 1;
  });
  const Vec6 nu = (nu_square / samples).cwiseSqrt(), error = (error_square / samples).cwiseSqrt();
  const auto& terms = regression.structure().terms;
  Eigen::VectorXd sigma(static_cast<Index>(terms.size()) + 1);
  const auto row_of = [&](int dof) {
    const auto at = std::find(regression.free().begin(), regression.free().end(), dof);
    return row_sigma[at - regression.free().begin()];
  };
  using Kind = model::Term::Kind;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const model::Term& term = terms[k];
    double s = 0;
    switch (term.kind) {
      case Kind::inertia:
      case Kind::inertia_entry:
        s = error[term.column] / (std::sqrt(2.0) * regression.options().blur) / row_of(term.row);
        break;
      case Kind::linear: s = error[term.column] / row_of(term.row); break;
      case Kind::quadratic:
        s = std::hypot(error[term.column] * nu[term.speed], error[term.speed] * nu[term.column]) /
            row_of(term.row);
        break;
      case Kind::net_weight:  // where down is, is known
      case Kind::weight:
      case Kind::buoyancy:
      case Kind::first_moment: break;
    }
    // `total` gives every row of a sample the same error, where this column has one in a single row.
    sigma[static_cast<Index>(k)] = s / std::sqrt(static_cast<double>(regression.rows()));
  }
  sigma[static_cast<Index>(terms.size())] = 1;  // rows are divided by the rms of their residual
  return sigma;
}

Eigen::VectorXd repeated(const Eigen::VectorXd& row_sigma, Index rows) {
  return row_sigma.replicate(rows / row_sigma.size(), 1);
}

/// What an estimator found, and the equations that it solved.
struct Solved {
  Eigen::VectorXd theta;
  internal::Score score;
};

Solved instrumental(const Regression& regression, const Fit& fit, const dynamics::Vehicle& vehicle) {
  const Nuisance& at = fit.nuisance.value;
  const std::vector<Recording> motions = simulated(regression, vehicle, at);
  const Regression instruments(regression.structure(), motions, regression.options());
  Solved out;
  out.score.row_scale = fit.row_sigma;
  std::vector<Eigen::MatrixXd>& Z = out.score.instruments;
  instruments.pass(at, [&](const RowBlock& block) { Z.push_back(block.Y); });
  solve::InstrumentalRows rows(static_cast<Index>(regression.structure().size()));
  std::size_t number = 0;
  regression.pass(at, [&](const RowBlock& block) {
    const Eigen::VectorXd weight = repeated(fit.row_sigma, block.tau.size()).cwiseInverse();
    rows.add(weight.asDiagonal() * block.Y, weight.asDiagonal() * Z[number++], weight.cwiseProduct(block.tau));
  });
  out.theta = solve::instrumental(rows).x;
  return out;
}

Solved robust(const Regression& regression, const Fit& fit) {
  constexpr double corner = 1.345;  // scales: 95 % efficient for Gaussian residuals
  const auto source = [&](const solve::RowTaker& take) {
    regression.pass(fit.nuisance.value, [&](const RowBlock& block) {
      const Eigen::VectorXd weight = repeated(fit.row_sigma, block.tau.size()).cwiseInverse();
      take(weight.asDiagonal() * block.Y, weight.cwiseProduct(block.tau));
    });
  };
  const solve::RobustFit found =
      solve::huber(static_cast<Index>(regression.structure().size()), source, corner);
  return {found.x, {fit.row_sigma, corner * found.scale}};
}

Solved total(const Regression& regression, const Fit& fit, const solve::Rows& weighed) {
  const Eigen::VectorXd sigma = column_errors(regression, fit.row_sigma);
  Solved out{solve::total(weighed, sigma).x, {fit.row_sigma}};
  out.score.column_variance = sigma.head(sigma.size() - 1).cwiseAbs2();
  return out;
}

}  // namespace

solve::ConicObjective sum_of_squares(const solve::Rows& rows) {
  solve::ConicObjective objective;
  objective.G = rows.gram();
  objective.b = rows.moment();
  objective.c = rows.square();
  return objective;
}

std::vector<Estimate> compare_estimators(const Regression& regression, const Fit& fit,
                                         const FitOptions& options, const dynamics::Vehicle* instrument,
                                         int threads) {
  const auto n = static_cast<Index>(regression.structure().size());
  solve::Rows plain(n), weighed(n);
  regression.pass(fit.nuisance.value, [&](const RowBlock& block) {
    plain.add(block.Y, block.tau);
    weighed.add(block.Y, block.tau, repeated(fit.row_sigma, block.tau.size()));
  });
  using Solve = std::function<Solved(const Regression&)>;
  std::vector<std::function<Estimate(const Regression&)>> jobs;
  const auto attempt = [&](const char* name, const char* about, const Solve& solve) {
    jobs.emplace_back([&fit, &options, name, about, solve](const Regression& at) {
      Estimate estimate{name, about, false, "", {}};
      try {
        const Solved solved = solve(at);
        estimate.theta = solved.theta;
        estimate.covariance = internal::covariance_of(solved.score, solved.theta, at, fit, options);
        estimate.found = estimate.theta.allFinite() && estimate.covariance.allFinite();
        if (!estimate.found) estimate.why_not = "no finite estimate";
      } catch (const InputError& error) {
        estimate.why_not = error.findings().empty() ? "failed" : error.findings().front().message;
      }
      return estimate;
    });
  };
  attempt("ordinary", "least squares, newton and newton-metre alike", [&](const Regression& at) {
    return Solved{solve::ordinary(plain).x, {Eigen::VectorXd::Ones(at.rows())}};
  });
  attempt("weighted", "each degree of freedom by its own residual", [&](const Regression&) {
    return Solved{solve::ordinary(weighed).x, {fit.row_sigma}};
  });
  attempt("total", "velocities have errors too", [&](const Regression& at) { return total(at, fit, weighed); });
  attempt("robust", "Huber: large residuals count less", [&](const Regression& at) { return robust(at, fit); });
  if (instrument)
    attempt("instrumental",
            "instruments: the motion that the model makes of the commands; biased where a controller made them",
            [&](const Regression& at) { return instrumental(at, fit, *instrument); });
  ThreadPool pool(threads);
  return parallel_map(pool, static_cast<int>(jobs.size()), [&](int k) {
    const auto& job = jobs[static_cast<std::size_t>(k)];
    if (pool.size() == 1) return job(regression);
    // A regression keeps rows of the last pass: each thread needs one of its own.
    return job(Regression(regression.structure(), regression.recordings(), regression.options()));
  });
}

}  // namespace fathom::identify
