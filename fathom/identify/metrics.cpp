#include "fathom/identify/metrics.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"

namespace fathom::identify {
namespace {

void check_series(const Eigen::Ref<const Eigen::VectorXd>& measured,
                  const Eigen::Ref<const Eigen::VectorXd>& predicted) {
  if (measured.size() != predicted.size())
    reject("prediction", fmt::format("has {} samples, the measurement {}", predicted.size(), measured.size()),
           "one for each");
  for (const auto* series : {&measured, &predicted})
    if (!series->allFinite())
      reject(series == &measured ? "measurement" : "prediction", "has a sample that is not finite",
             "leave out what cannot be compared");
}

bool is_constant(const Eigen::VectorXd& y) { return y.minCoeff() == y.maxCoeff(); }

}  // namespace

Metrics metrics(const Eigen::Ref<const Eigen::VectorXd>& measured,
                const Eigen::Ref<const Eigen::VectorXd>& predicted) {
  check_series(measured, predicted);
  Metrics result;
  result.samples = static_cast<std::size_t>(measured.size());
  if (result.samples == 0) return result;
  const auto n = static_cast<double>(result.samples);
  const Eigen::VectorXd error = measured - predicted;
  result.rmse = std::sqrt(error.squaredNorm() / n);
  result.mae = error.lpNorm<1>() / n;
  if (is_constant(measured)) return result;  // no variance to explain: a rounded mean must not feign one

  const Eigen::VectorXd y = measured.array() - measured.mean(), p = predicted.array() - predicted.mean();
  const double yy = y.squaredNorm(), yp = y.dot(p), pp = p.squaredNorm();
  result.r2 = 1 - error.squaredNorm() / yy;
  result.nrmse = result.rmse / (measured.maxCoeff() - measured.minCoeff());
  result.slope = yp / yy;
  if (!is_constant(predicted)) result.pearson = yp / std::sqrt(yy * pp);
  return result;
}

}  // namespace fathom::identify
