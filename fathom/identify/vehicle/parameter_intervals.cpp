#include "fathom/identify/vehicle/parameter_intervals.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/base/constants.hpp"
#include "fathom/solve/truncated_gaussian.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;

/// An estimate that is nearer to a bound of its own than this share of its sigma is at it: a solver's iterates
/// stay inside.
constexpr double at_bound_share = 0.1;

struct OwnBounds {
  double low = -infinity, high = infinity;
};

/// slope x + constant >= 0 for one unknown x alone.
void add_bound(double slope, double constant, OwnBounds& of) {
  if (slope == 0) return;
  const double at = -constant / slope;
  if (slope > 0)
    of.low = std::max(of.low, at);
  else
    of.high = std::min(of.high, at);
}

/// Bounds of each parameter by itself: scalar inequalities, and diagonal elements of matrices that may not be
/// negative, such as q55|1| of a Q + Q' >= 0.
std::vector<OwnBounds> own_bounds(const solve::ConicSet& set, std::size_t parameters) {
  std::vector<OwnBounds> bounds(parameters);
  for (const solve::ScalarInequality& scalar : set.scalars)
    if (scalar.entries.size() == 1)
      add_bound(scalar.entries.front().value, scalar.constant,
                bounds[static_cast<std::size_t>(scalar.entries.front().unknown)]);
  for (const solve::MatrixInequality& matrix : set.matrices)
    for (Index row = 0; row < matrix.constant.rows(); ++row) {
      const auto is_here = [&](const auto& entry) { return entry.row == row && entry.column == row; };
      if (std::count_if(matrix.entries.begin(), matrix.entries.end(), is_here) != 1) continue;
      const auto one = std::find_if(matrix.entries.begin(), matrix.entries.end(), is_here);
      add_bound(one->value, matrix.constant(row, row), bounds[static_cast<std::size_t>(one->unknown)]);
    }
  return bounds;
}

class Quantiles {
 public:
  Quantiles(const model::ParameterVector& parameters, const solve::ConicSet& constraints)
      : parameters_(parameters) {
    Eigen::VectorXd mean(static_cast<Index>(parameters.size()));
    for (std::size_t k = 0; k < parameters.size(); ++k) mean[static_cast<Index>(k)] = parameters[k].value;
    if (mean.allFinite() && parameters.covariance().allFinite() && constraints.unknowns == mean.size())
      truncated_.emplace(mean, parameters.covariance(), constraints);
  }
  /// The value that a share `below` of parameter k's distribution is below; `sigmas` is that share's standard
  /// normal quantile.
  double at(std::size_t k, double below, double sigmas) const {
    if (truncated_ && truncated_->is_truncated()) return truncated_->quantile(static_cast<Index>(k), below);
    return parameters_[k].value + sigmas * parameters_.sigma(k);
  }
  double accepted() const { return truncated_ ? truncated_->accepted() : 1; }
  bool has_too_few_draws() const { return truncated_ && truncated_->has_too_few_draws(); }

 private:
  const model::ParameterVector& parameters_;
  std::optional<solve::TruncatedGaussian> truncated_;
};

std::array<double, 2> clamped(double low, double high, const OwnBounds& bounds) {
  return {std::max(low, bounds.low), std::min(high, bounds.high)};
}

ParameterInterval interval_of(const Quantiles& quantiles, std::size_t k, double value, double sigma,
                              const OwnBounds& bounds) {
  ParameterInterval out;
  out.accepted = quantiles.accepted();
  out.has_too_few_draws = quantiles.has_too_few_draws();
  out.of_50 = clamped(quantiles.at(k, 0.25, -0.6744898), quantiles.at(k, 0.75, 0.6744898), bounds);
  out.of_80 = clamped(quantiles.at(k, 0.1, -1.2815516), quantiles.at(k, 0.9, 1.2815516), bounds);
  out.of_95 = clamped(quantiles.at(k, 0.025, -sigmas_of_95), quantiles.at(k, 0.975, sigmas_of_95), bounds);
  // The mode of a Gaussian that matrix inequalities cut off need not lie between its marginal quantiles.
  out.of_95 = {std::min((*out.of_95)[0], value), std::max((*out.of_95)[1], value)};
  const double near = at_bound_share * sigma;
  const bool at_low = value - bounds.low < near, at_high = bounds.high - value < near;
  const bool is_weak = (*out.of_95)[1] - (*out.of_95)[0] > std::abs(value);
  if (at_low || at_high)
    out.kind = ParameterInterval::Kind::at_bound;
  else if (is_weak)
    out.kind = ParameterInterval::Kind::weak;
  out.begins_at_bound = at_low || (is_weak && bounds.low == 0);
  out.ends_at_bound = at_high && !at_low;
  if (out.begins_at_bound) out.of_95 = {bounds.low, std::min(bounds.high, quantiles.at(k, 0.95, 1.6448536))};
  if (out.ends_at_bound) out.of_95 = {std::max(bounds.low, quantiles.at(k, 0.05, -1.6448536)), bounds.high};
  return out;
}

}  // namespace

std::vector<ParameterInterval> parameter_intervals(const Identified& found,
                                                   const solve::ConicSet& constraints) {
  const model::ParameterVector& parameters = found.parameters;
  const Quantiles quantiles(parameters, constraints);
  const std::vector<OwnBounds> bounds = own_bounds(constraints, parameters.size());
  const std::vector<std::size_t>& hidden = found.identifiability.unidentifiable;
  std::vector<ParameterInterval> list;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (std::find(hidden.begin(), hidden.end(), k) != hidden.end())
      list.push_back({.kind = ParameterInterval::Kind::not_identifiable});
    else
      list.push_back(interval_of(quantiles, k, parameters[k].value, parameters.sigma(k), bounds[k]));
  }
  return list;
}

}  // namespace fathom::identify
