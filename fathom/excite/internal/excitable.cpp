#include "fathom/excite/internal/excitable.hpp"

#include <cmath>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fathom/base/text.hpp"
#include "fathom/excite/accuracy.hpp"

namespace fathom::excite::internal {
namespace {

constexpr double no_column = 1e-20;     // its square over that of the largest, in units of the scales
constexpr double no_direction = 1e-11;  // eigenvalue, once every column has length one: far above rounding

}  // namespace

Findings unexcitable(const Problem& problem, const Eigen::MatrixXd& G) {
  const bool heeds_priors = problem.criterion != Criterion::condition;
  const std::string remedy =
      heeds_priors ? "or state a prior" : "or choose a criterion that heeds priors and state one";
  Eigen::MatrixXd information = G;
  if (heeds_priors) information.diagonal() += prior_information(problem);
  const Eigen::VectorXd scale = parameter_scales(problem);
  information = scale.asDiagonal() * information * scale.asDiagonal();
  const auto name = [&](Eigen::Index k) {
    return model::name_of(problem.structure.terms[static_cast<std::size_t>(k)]);
  };
  Findings findings;
  const auto add = [&](const std::string& what, const std::string& hint) {
    findings.push_back(
        {Severity::error, problem.file, problem.line_of("structure"), "structure", what, hint + remedy});
  };

  std::vector<Eigen::Index> seen;
  for (Eigen::Index k = 0; k < information.rows(); ++k)
    if (information(k, k) > no_column * information.diagonal().maxCoeff())
      seen.push_back(k);
    else
      add(fmt::format("has {}, which no motion within the limits shows: its column of the regressor is zero",
                      name(k)),
          "free that motion in the limits, leave the parameter out, ");
  Eigen::MatrixXd alike = information(seen, seen);
  const Eigen::VectorXd length = alike.diagonal().cwiseSqrt();
  alike = length.cwiseInverse().asDiagonal() * alike * length.cwiseInverse().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(alike);
  for (Eigen::Index k = 0; k < alike.rows() && spectrum.eigenvalues()[k] < no_direction; ++k) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (std::abs(spectrum.eigenvectors()(static_cast<Eigen::Index>(i), k)) > 0.05)
        names.push_back(name(seen[i]));
    add(fmt::format(
            "has {}, whose columns of the regressor are dependent for every motion within the limits: only a "
            "combination can be seen",
            join(names, ", ")),
        "leave one out, ");
  }
  return findings;
}

}  // namespace fathom::excite::internal
