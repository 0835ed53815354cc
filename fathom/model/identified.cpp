#include "fathom/model/identified.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/geometry/spectrum.hpp"
#include "fathom/model/structure.hpp"

namespace fathom::model {
namespace {

constexpr double tolerance = 1e-9;  // of correlations, which are at most 1

class IdentifiedChecker {
 public:
  void error(std::string key, std::string message, std::string hint) {
    findings.push_back(
        {Severity::error, "", 0, "identified." + std::move(key), std::move(message), std::move(hint)});
  }
  Findings findings;
};

/// vehicle-24 and its like are names of the literature; any other word is the user's own.
bool is_reserved(std::string_view name) {
  constexpr std::string_view prefix = "vehicle-";
  return name.size() > prefix.size() && name.starts_with(prefix) &&
         name.find_first_not_of("0123456789", prefix.size()) == std::string_view::npos;
}

/// The structure of that name, if its parameters are known here.
std::optional<Structure> known_structure(IdentifiedChecker& check, const std::string& name) {
  if (name == full_structure().name) return full_structure();
  if (!is_reserved(name)) return std::nullopt;
  try {
    return structure_by_name(name);
  } catch (const InputError& error) {
    const Finding& finding = error.findings().front();
    check.error(finding.key, finding.message, finding.hint);
    return std::nullopt;
  }
}

void check_names(IdentifiedChecker& check, const IdentifiedParameters& identified) {
  std::set<std::string> allowed, seen;
  const std::optional<Structure> structure = known_structure(check, identified.structure);
  if (structure)
    for (const Term& term : structure->terms) allowed.insert(name_of(term));
  for (std::size_t k = 0; k < identified.parameters.size(); ++k) {
    const std::string& name = identified.parameters[k].name;
    const std::string key = fmt::format("parameters[{}].name", k);
    if (!term_by_name(name))
      check.error(key, fmt::format("= {} is no parameter", in_quotes(name)),
                  "such as m11, d26, q11|1|, W-B, zgW-zbB");
    else if (!seen.insert(name).second)
      check.error(key, fmt::format("= {} is used twice", in_quotes(name)), "one entry for each parameter");
    else if (structure && !allowed.contains(name))
      check.error(key, fmt::format("= {} is no parameter of {}", in_quotes(name), structure->name),
                  "give the structure a name of its own");
  }
}

void check_covariance(IdentifiedChecker& check, const ParameterVector& parameters) {
  const Eigen::MatrixXd& C = parameters.covariance();
  const Eigen::Index n = C.rows();
  Eigen::MatrixXd correlation = Eigen::MatrixXd::Identity(n, n);
  bool each_fits = true;
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < i; ++j) {
      const double bound =
          std::isfinite(C(i, i)) && std::isfinite(C(j, j)) ? std::sqrt(C(i, i)) * std::sqrt(C(j, j)) : 0;
      if (bound > 0) correlation(i, j) = correlation(j, i) = C(i, j) / bound;
      if (std::abs(C(i, j)) <= (1 + tolerance) * bound) continue;
      each_fits = false;
      check.error(fmt::format("parameters[{}].covariance[{}]", i, j),
                  fmt::format("= {}, must be within +-{:.6g}, by the variances of {} and {}", C(i, j), bound,
                              parameters[static_cast<std::size_t>(i)].name,
                              parameters[static_cast<std::size_t>(j)].name),
                  bound > 0 ? "was a number edited, or a row moved?"
                            : "what is exact or unknown has no covariance with the rest");
    }
  if (!each_fits) return;
  const Eigen::VectorXd eigenvalues = symmetric_eigenvalues(correlation);
  if (eigenvalues[0] < -tolerance * eigenvalues[n - 1])
    check.error("parameters",
                fmt::format("have an indefinite covariance: the smallest eigenvalue of their correlations is "
                            "{:.6g}, must be >= 0",
                            eigenvalues[0]),
                "was a number edited, or a row moved?");
}

void check_residual(IdentifiedChecker& check, const IdentifiedParameters::Residual& residual) {
  for (const auto& [key, values] :
       {std::pair("sigma", residual.sigma), {"correlation_time", residual.correlation_time}})
    if (!values.allFinite() || values.minCoeff() < 0)
      check.error(fmt::format("residual.{}", key), "must be finite and >= 0", "estimate again");
}

void check_range(IdentifiedChecker& check, const IdentifiedParameters::Range& range) {
  const auto pair = [&](const std::string& key, const Eigen::VectorXd& least, const Eigen::VectorXd& most) {
    if (!least.allFinite() || !most.allFinite() || (most - least).minCoeff() < 0)
      check.error(fmt::format("range.{}_max", key), fmt::format("must be finite and at least {}_min", key),
                  "estimate again");
  };
  pair("wrench", range.wrench_min, range.wrench_max);
  pair("velocity", range.velocity_min, range.velocity_max);
  pair("attitude", range.attitude_min, range.attitude_max);
  if (range.command_min.size() != range.command_max.size())
    check.error("range.command_max", "must have as many entries as command_min", "one for each thruster");
  else if (!range.command_min.empty())
    pair("command", Eigen::Map<const Eigen::VectorXd>(range.command_min.data(), std::ssize(range.command_min)),
         Eigen::Map<const Eigen::VectorXd>(range.command_max.data(), std::ssize(range.command_max)));
  if (!range.extrapolation.allFinite() || range.extrapolation.minCoeff() < 1)
    check.error("range.extrapolation", "must be finite and >= 1", "2 where nothing is known");
}

void check_by_thrusters(IdentifiedChecker& check, const IdentifiedParameters& identified) {
  const auto& rows = identified.by_thrusters;
  if (rows.empty()) return;
  bool fits = rows.size() == identified.parameters.size();
  for (std::size_t k = 0; k < rows.size(); ++k)
    fits = fits && rows[k].size() == k + 1 && rows[k].back() >= 0 &&
           std::all_of(rows[k].begin(), rows[k].end(), [](double x) { return std::isfinite(x); });
  if (!fits)
    check.error("by_thrusters",
                "must be the rows of a lower triangle, finite, with variances "
                "that are not negative",
                "one row for each parameter; estimate again");
}

void check_baseline(IdentifiedChecker& check, const IdentifiedParameters::Baseline& line) {
  if (!std::isfinite(line.lag) || !line.wrench.allFinite() || !line.velocity.allFinite() ||
      !line.constant.allFinite())
    check.error("baseline", "must be finite", "estimate again");
}

}  // namespace

std::vector<std::vector<double>> lower_triangle(const Eigen::MatrixXd& symmetric) {
  std::vector<std::vector<double>> rows;
  for (Eigen::Index i = 0; i < symmetric.rows(); ++i) {
    const Eigen::VectorXd row = symmetric.row(i).head(i + 1);
    rows.emplace_back(row.begin(), row.end());
  }
  return rows;
}

Eigen::MatrixXd covariance_given_thrusters(const IdentifiedParameters& identified) {
  Eigen::MatrixXd C = identified.parameters.covariance();
  if (identified.by_thrusters.empty()) return C;
  const Eigen::Index n = C.rows();
  // In units of the sigmas, without what is exact or unknown: eigenvalues below
  // zero are rounding there.
  Eigen::VectorXd sigma = C.diagonal().cwiseSqrt();
  for (double& s : sigma)
    if (!std::isfinite(s)) s = 0;
  Eigen::MatrixXd rest = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j <= i; ++j)
      if (sigma[i] > 0 && sigma[j] > 0)
        rest(i, j) = rest(j, i) =
            (C(i, j) - identified.by_thrusters[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]) /
            (sigma[i] * sigma[j]);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(rest);
  const Eigen::MatrixXd root =
      sigma.asDiagonal() * eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
  const Eigen::MatrixXd positive = root * root.transpose();
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j <= i; ++j)
      if (sigma[i] > 0 && sigma[j] > 0) C(i, j) = C(j, i) = positive(i, j);
  return C;
}

Findings check_identified(const IdentifiedParameters& identified) {
  IdentifiedChecker check;
  for (const auto& [key, value] : {std::pair("density", identified.density), {"gravity", identified.gravity}})
    if (!(std::isfinite(value) && value > 0))
      check.error(key, fmt::format("= {}, must be > 0", value), "kg/m^3 and m/s^2, such as 1000 and 9.81");
  check_names(check, identified);
  for (std::size_t k = 0; k < identified.parameters.size(); ++k)
    if (const double value = identified.parameters[k].value; !std::isfinite(value))
      check.error(fmt::format("parameters[{}].value", k), fmt::format("= {}, must be finite", value),
                  "the estimate failed?");
  if (identified.delay) {
    const auto& [value, sigma] = *identified.delay;
    if (!(std::isfinite(value) && value >= 0 && std::isfinite(sigma) && sigma >= 0))
      check.error("delay", fmt::format("= [{}, {}], must be finite and >= 0", value, sigma),
                  "seconds, and their standard deviation");
  }
  if (identified.residual) check_residual(check, *identified.residual);
  if (identified.range) check_range(check, *identified.range);
  if (identified.baseline) check_baseline(check, *identified.baseline);
  check_by_thrusters(check, identified);
  if (identified.parameters.size() == 0)
    check.error("parameters", "is empty", "leave identified out if nothing was");
  else
    check_covariance(check, identified.parameters);
  return check.findings;
}

}  // namespace fathom::model
