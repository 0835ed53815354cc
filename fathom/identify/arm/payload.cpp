#include "fathom/identify/arm/payload.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/base/error.hpp"
#include "fathom/identify/arm/internal/arm_rows.hpp"
#include "fathom/identify/internal/student.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;
constexpr Index body_count = 10;

/// The payload's columns of every row, and what the fit without it leaves.
template <class Take>
void visit_payload(const ArmFit& fit, std::size_t link, const ArmRun& run, const Take& take) {
  const std::vector<Index> kept(fit.base.kept.begin(), fit.base.kept.end());
  const auto begin = static_cast<Index>(dynamics::link_begin(fit.options.columns, link));
  internal::visit_samples(
      fit.arm, fit.options, run, [&](Index k, const Eigen::MatrixXd& Y, const Eigen::VectorXd& known) {
        take(k, Y.middleCols(begin, body_count), Eigen::VectorXd(Y(Eigen::all, kept) * fit.beta + known));
      });
}

}  // namespace

double PayloadFit::half_width(std::size_t k) const {
  const auto i = static_cast<Index>(k);
  return internal::student_t(0.975, std::max(1.0, effective_samples)) * std::sqrt(covariance(i, i));
}

PayloadFit fit_payload(const ArmFit& fit, const ArmRun& run) {
  if (!fit.options.columns.rigid) refuse("payload", "the fit knows nothing of bodies");
  PayloadFit out;
  out.link = fit.arm.size() - 1;
  const Eigen::VectorXd weight = fit.joint_sigma.cwiseInverse();
  solve::Rows rows(body_count);
  const auto pass = [&](const auto& take) {
    visit_payload(
        fit, out.link, run, [&](Index k, const Eigen::MatrixXd& columns, const Eigen::VectorXd& before) {
          Eigen::MatrixXd A = weight.asDiagonal() * columns;
          Eigen::VectorXd y = weight.cwiseProduct(run.effort.row(k).transpose() - before);
          for (Index j = 0; j < y.size(); ++j)
            if (is_at_rest(fit.arm, fit.options, static_cast<std::size_t>(j), run.q(k, j), run.dq(k, j))) {
              A.row(j).setZero();
              y[j] = 0;
            }
          take(k, A, y);
        });
  };
  pass([&](Index, const Eigen::MatrixXd& A, const Eigen::VectorXd& y) { rows.add(A, y); });
  out.value = solve::ordinary(rows).x;
  Eigen::MatrixXd moments(body_count, run.samples());
  pass([&](Index k, const Eigen::MatrixXd& A, const Eigen::VectorXd& y) {
    moments.col(k) = A.transpose() * (y - A * out.value);
  });
  const solve::LongRun long_run = solve::long_run_covariance(moments, run.breaks);
  out.covariance = solve::sandwich(rows.gram(), long_run, run.samples());
  out.effective_samples = long_run.effective_samples;
  return out;
}

Eigen::MatrixXd predict(const PayloadFit& payload, const ArmFit& fit, const ArmRun& run) {
  Eigen::MatrixXd efforts(run.samples(), run.q.cols());
  visit_payload(fit, payload.link, run,
                [&](Index k, const Eigen::MatrixXd& columns, const Eigen::VectorXd& before) {
                  efforts.row(k) = (before + columns * payload.value).transpose();
                });
  return efforts;
}

std::vector<Metrics> score(const PayloadFit& payload, const ArmFit& fit, const ArmRun& run) {
  return internal::score_moving(fit, run, predict(payload, fit, run));
}

}  // namespace fathom::identify
