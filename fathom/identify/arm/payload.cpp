#include "fathom/identify/arm/payload.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/base/error.hpp"
#include "fathom/identify/arm/internal/arm_rows.hpp"
#include "fathom/identify/internal/student.hpp"
#include "fathom/identify/vehicle/internal/uncertainty.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;
constexpr Index body_count = 10;

/// The payload's columns of every row, those of the fit, and the prediction of the fit without a payload.
template <class Take>
void visit_payload(const ArmFit& fit, std::size_t link, const ArmRun& run, const Take& take) {
  const std::vector<Index> kept(fit.base.kept.begin(), fit.base.kept.end());
  const Eigen::VectorXd beta = fit.estimate.values();
  const auto begin = static_cast<Index>(dynamics::link_begin(fit.options.columns, link));
  internal::visit_samples(internal::regressor_of(fit.arm, fit.options), fit.options, run,
                          [&](Index k, const Eigen::MatrixXd& Y, const Eigen::VectorXd& known) {
                            const Eigen::MatrixXd before = Y(Eigen::all, kept);
                            take(k, Y.middleCols(begin, body_count), before,
                                 Eigen::VectorXd(before * beta + known));
                          });
}

}  // namespace

double PayloadFit::half_width(std::size_t k) const {
  const auto i = static_cast<Index>(k);
  const double of_run = run_covariance(i, i), of_fit = fit_covariance(i, i), both = of_run + of_fit;
  const double run_freedom = std::max(1.0, effective_samples),
               fit_freedom = std::max(1.0, fit_effective_samples);
  const double freedom =
      both * both / std::max(of_run * of_run / run_freedom + of_fit * of_fit / fit_freedom, 1e-300);
  return internal::student_t(0.975, std::max(1.0, freedom)) * std::sqrt(both);
}

PayloadFit fit_payload(const ArmFit& fit, const ArmRun& run) {
  if (!fit.options.columns.rigid) reject("payload", "the fit knows nothing of bodies");
  PayloadFit out;
  out.link = fit.arm.size() - 1;
  const Eigen::VectorXd weight = fit.joint_sigma.cwiseInverse();
  const auto pass = [&](const auto& take) {
    visit_payload(
        fit, out.link, run,
        [&](Index k, const Eigen::MatrixXd& columns, const Eigen::MatrixXd& before,
            const Eigen::VectorXd& predicted) {
          Eigen::VectorXd rows = weight;
          for (Index j = 0; j < rows.size(); ++j)
            if (is_at_rest(fit.arm, fit.options, static_cast<std::size_t>(j), run.q(k, j), run.dq(k, j)))
              rows[j] = 0;
          take(k, Eigen::MatrixXd(rows.asDiagonal() * columns), Eigen::MatrixXd(rows.asDiagonal() * before),
               Eigen::VectorXd(rows.cwiseProduct(run.effort.row(k).transpose() - predicted)));
        });
  };
  solve::Rows rows(body_count);
  Eigen::MatrixXd cross = Eigen::MatrixXd::Zero(body_count, fit.free_beta.size());
  pass([&](Index, const Eigen::MatrixXd& A, const Eigen::MatrixXd& B, const Eigen::VectorXd& y) {
    rows.add(A, y);
    cross += A.transpose() * B;
  });
  out.value = solve::ordinary(rows).x;
  Eigen::MatrixXd moments(body_count, run.samples());
  pass([&](Index k, const Eigen::MatrixXd& A, const Eigen::MatrixXd&, const Eigen::VectorXd& y) {
    moments.col(k) = A.transpose() * (y - A * out.value);
  });
  const solve::LongRun long_run = solve::long_run_covariance(moments, run.breaks);
  out.run_covariance = solve::sandwich(rows.gram(), long_run, run.samples());
  out.effective_samples = long_run.effective_samples;
  // value = (A'A)^-1 A' (y - B beta), so that an error of beta comes through (A'A)^-1 A'B.
  const Eigen::MatrixXd by_beta = internal::scaled_inverse(rows.gram()) * cross;
  out.fit_covariance = by_beta * fit.estimate.covariance() * by_beta.transpose();
  out.fit_effective_samples = fit.degrees;
  return out;
}

Eigen::MatrixXd predict(const PayloadFit& payload, const ArmFit& fit, const ArmRun& run) {
  Eigen::MatrixXd efforts(run.samples(), run.q.cols());
  visit_payload(
      fit, payload.link, run,
      [&](Index k, const Eigen::MatrixXd& columns, const Eigen::MatrixXd&, const Eigen::VectorXd& before) {
        efforts.row(k) = (before + columns * payload.value).transpose();
      });
  return efforts;
}

std::vector<Metrics> score(const PayloadFit& payload, const ArmFit& fit, const ArmRun& run) {
  return internal::score_moving(fit, run, predict(payload, fit, run));
}

}  // namespace fathom::identify
