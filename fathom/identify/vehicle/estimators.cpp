#include "fathom/identify/vehicle/estimators.hpp"

#include <cmath>

#include "fathom/identify/vehicle/internal/estimator_covariance.hpp"
#include "fathom/identify/vehicle/prediction.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;

/// Standard deviation of each column's error, and of tau's last, in the units of weighed rows: what the
/// smoother says of nu, through each term; an error of nu lasts about as long as the blur, so that its rate is
/// nu's over that.
Eigen::VectorXd column_errors(const Regression& regression, const Eigen::VectorXd& row_sigma) {
  Vec6 nu_square = Vec6::Zero(), error_square = Vec6::Zero();
  double samples = 0;
  for (const Recording& recording : regression.recordings())
    for (Index k = 0; k < recording.size(); ++k)
      if (recording.usable[static_cast<std::size_t>(k)]) {
        nu_square += recording.track.nu_b.col(k).cwiseAbs2();
        error_square += recording.track.nu_sigma_b.col(k).cwiseAbs2();
        samples += 1;
      }
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

/// The recordings with the motion that the vehicle makes of the commands, attitudes as measured.
std::vector<Recording> simulated(const Regression& regression, const dynamics::Vehicle& vehicle,
                                 const Nuisance& at) {
  std::vector<Recording> out(regression.recordings().begin(), regression.recordings().end());
  PredictionOptions options;
  options.delay = at.delay;
  options.current_n = at.current_n;
  for (Recording& recording : out) {
    const Prediction prediction = predict(vehicle, recording, options);
    for (Index k = 0; k < recording.size(); ++k)
      if (prediction.nu_b.col(k).allFinite()) recording.track.nu_b.col(k) = prediction.nu_b.col(k);
  }
  return out;
}

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
                                         const FitOptions& options, const dynamics::Vehicle* instrument) {
  const auto n = static_cast<Index>(regression.structure().size());
  solve::Rows plain(n), weighed(n);
  regression.pass(fit.nuisance.value, [&](const RowBlock& block) {
    plain.add(block.Y, block.tau);
    weighed.add(block.Y, block.tau, repeated(fit.row_sigma, block.tau.size()));
  });
  std::vector<Estimate> out;
  const auto attempt = [&](const char* name, const char* about, const auto& solve) {
    Estimate estimate{name, about, false, "", {}};
    try {
      const Solved solved = solve();
      estimate.theta = solved.theta;
      estimate.covariance = internal::covariance_of(solved.score, solved.theta, regression, fit, options);
      estimate.found = estimate.theta.allFinite() && estimate.covariance.allFinite();
      if (!estimate.found) estimate.why_not = "no finite estimate";
    } catch (const InputError& error) {
      estimate.why_not = error.findings().empty() ? "failed" : error.findings().front().message;
    }
    out.push_back(std::move(estimate));
  };
  attempt("ordinary", "least squares, newton and newton-metre alike", [&] {
    return Solved{solve::ordinary(plain).x, {Eigen::VectorXd::Ones(regression.rows())}};
  });
  attempt("weighted", "each degree of freedom by its own residual", [&] {
    return Solved{solve::ordinary(weighed).x, {fit.row_sigma}};
  });
  attempt("total", "velocities have errors too", [&] { return total(regression, fit, weighed); });
  attempt("robust", "Huber: large residuals count less", [&] { return robust(regression, fit); });
  if (instrument)
    attempt("instrumental",
            "instruments: the motion that the model makes of the commands; biased where a controller made them",
            [&] { return instrumental(regression, fit, *instrument); });
  return out;
}

}  // namespace fathom::identify
