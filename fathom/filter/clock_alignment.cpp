#include "fathom/filter/clock_alignment.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/filter/internal/clock_graph.hpp"

namespace fathom::filter {

namespace {

Eigen::Index rows_needed(MotionForm form, Eigen::Index given) {
  switch (form) {
    case MotionForm::as_it_is:
    case MotionForm::slope: return std::max<Eigen::Index>(1, given);
    case MotionForm::speed: return 3;
    case MotionForm::turning: return 4;
    case MotionForm::moving: return 7;
  }
  return 0;
}

void check_series(const MotionSeries& series) {
  if (series.t.size() < 2 || static_cast<Eigen::Index>(series.t.size()) != series.values.cols() ||
      series.values.rows() != rows_needed(series.form, series.values.rows()))
    reject(
        series.channel,
        fmt::format("{} times and {} x {} values", series.t.size(), series.values.rows(), series.values.cols()),
        "a column per time, 3 rows of a speed, 4 of an attitude, 7 of both; two samples at least");
  for (std::size_t k = 0; k < series.t.size(); ++k)
    if (!std::isfinite(series.t[k]) || (k > 0 && series.t[k] < series.t[k - 1]))
      reject(series.channel,
             fmt::format("time {} is {} after {}", k, series.t[k], k > 0 ? series.t[k - 1] : 0.0),
             "times must not fall");
}

std::vector<std::string> channels_of(const std::vector<MotionSeries>& series) {
  std::vector<std::string> names;
  for (const MotionSeries& one : series)
    if (std::find(names.begin(), names.end(), one.channel) == names.end()) names.push_back(one.channel);
  return names;
}

}  // namespace

bool Alignment::contradicts_itself() const {
  if (loops < 1) return false;
  constexpr double one_in_a_thousand = 3.09;  // of the normal distribution, by Wilson and Hilferty 1931
  const double spread = 2 / (9.0 * loops);
  return (std::cbrt(chi_square / loops) - (1 - spread)) / std::sqrt(spread) > one_in_a_thousand;
}

Alignment align_clocks(const std::vector<MotionSeries>& series, const std::string& reference,
                       const AlignmentOptions& options) {
  if (!(options.most > 0 && std::isfinite(options.most)))
    reject("most", fmt::format("= {} s, must be positive", options.most));
  const std::vector<std::string> channels = channels_of(series);
  if (std::find(channels.begin(), channels.end(), reference) == channels.end()) {
    const std::vector<std::string_view> names(channels.begin(), channels.end());
    reject("reference", fmt::format("{} shows no motion to align by", in_quotes(reference)),
           did_you_mean(reference, names, fmt::format("one of {}", join(channels, ", "))));
  }
  double begin = infinity, end = -infinity;
  for (const MotionSeries& one : series) {
    check_series(one);
    begin = std::min(begin, one.t.front());
    end = std::max(end, one.t.back());
  }
  Alignment alignment;
  alignment.t0 = 0.5 * (begin + end);
  for (std::size_t i = 0; i < series.size(); ++i)
    for (std::size_t j = i + 1; j < series.size(); ++j)
      if (series[i].quantity == series[j].quantity && series[i].channel != series[j].channel)
        alignment.pairs.push_back(internal::pair_offset(series[i], series[j], alignment.t0, options));
  internal::solve_graph(alignment, channels, reference);
  return alignment;
}

}  // namespace fathom::filter

namespace fathom::filter::internal {

namespace {

/// What is solved: offsets, or drifts.
struct Aspect {
  double PairOffset::*value;
  double PairOffset::*sigma;
};

using Pairs = std::vector<const PairOffset*>;

/// Channels that pairs connect with `start`.
std::set<std::string> reached_from(const std::string& start, const Pairs& pairs) {
  std::set<std::string> reached = {start};
  for (std::size_t before = 0; before != reached.size();) {
    before = reached.size();
    for (const PairOffset* pair : pairs)
      if (reached.contains(pair->from) || reached.contains(pair->to)) {
        reached.insert(pair->from);
        reached.insert(pair->to);
      }
  }
  return reached;
}

/// Numbers names.
std::map<std::string, Eigen::Index> numbered(const std::set<std::string>& names) {
  std::map<std::string, Eigen::Index> numbers;
  for (const std::string& name : names) numbers.emplace(name, static_cast<Eigen::Index>(numbers.size()));
  return numbers;
}

/// What one quantity says of the channels that show it: times up to a constant, each with an error of its own.
/// Pairs of one quantity share the noise of their channels, so they count as channels and not as pairs.
struct Witness {
  std::vector<std::string> channels;
  Eigen::VectorXd value, variance;
};

/// v_i + v_j = var_ij in least squares of their ratios, none below a tenth of the least variance: eq. 25. One
/// channel after the other; two channels have half each.
Eigen::VectorXd variances_of(const std::map<std::string, Eigen::Index>& number, const Pairs& pairs,
                             const Aspect& aspect) {
  const auto n = static_cast<Eigen::Index>(number.size());
  const auto variance = [&](const PairOffset* pair) { return std::pow(pair->*aspect.sigma, 2); };
  double least = infinity;
  for (const PairOffset* pair : pairs) least = std::min(least, variance(pair));
  Eigen::VectorXd v = Eigen::VectorXd::Constant(n, 0.5 * least);
  constexpr int rounds = 100;
  for (int round = 0; round < rounds; ++round)
    for (Eigen::Index i = 0; i < n; ++i) {
      double sum = 0, weights = 0;
      for (const PairOffset* pair : pairs) {
        const Eigen::Index from = number.at(pair->from), to = number.at(pair->to);
        if (from != i && to != i) continue;
        const double weight = 1 / std::pow(variance(pair), 2);
        sum += weight * (variance(pair) - v[from == i ? to : from]);
        weights += weight;
      }
      v[i] = std::max(0.1 * least, sum / weights);
    }
  return v;
}

Witness witness_of(const std::set<std::string>& members, const Pairs& pairs, const Aspect& aspect) {
  const auto number = numbered(members);
  const auto n = static_cast<Eigen::Index>(number.size());
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(n);
  for (const PairOffset* pair : pairs) {
    const Eigen::Index i = number.at(pair->from), j = number.at(pair->to);
    const double weight = 1 / std::pow(pair->*aspect.sigma, 2);
    normal(i, i) += weight, normal(j, j) += weight, normal(i, j) -= weight, normal(j, i) -= weight;
    right[j] += weight * (pair->*aspect.value);
    right[i] -= weight * (pair->*aspect.value);
  }
  normal(0, 0) += normal(0, 0);  // the constant is free: the first counts from 0
  Witness witness{
      {members.begin(), members.end()}, normal.ldlt().solve(right), variances_of(number, pairs, aspect)};
  return witness;
}

/// Every connected group of channels of every quantity.
std::vector<Witness> witnesses_of(const Pairs& pairs, const Aspect& aspect) {
  std::map<std::string, Pairs> by_quantity;
  for (const PairOffset* pair : pairs) by_quantity[pair->quantity].push_back(pair);
  std::vector<Witness> witnesses;
  for (const auto& entry : by_quantity) {
    std::set<std::string> left;
    for (const PairOffset* pair : entry.second) left.insert({pair->from, pair->to});
    while (!left.empty()) {
      const std::set<std::string> group = reached_from(*left.begin(), entry.second);
      Pairs of_group;
      for (const PairOffset* pair : entry.second)
        if (group.contains(pair->from)) of_group.push_back(pair);
      witnesses.push_back(witness_of(group, of_group, aspect));
      for (const std::string& name : group) left.erase(name);
    }
  }
  return witnesses;
}

struct Solution {
  Eigen::VectorXd value, sigma;
};

/// value = o_channel + constant_witness + error, with o of the reference 0: eq. 26.
Solution solve(const std::vector<Witness>& witnesses, const std::map<std::string, Eigen::Index>& number,
               const std::string& reference) {
  const auto n = static_cast<Eigen::Index>(number.size()),
             all = n + static_cast<Eigen::Index>(witnesses.size());
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(all, all);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(all);
  for (std::size_t w = 0; w < witnesses.size(); ++w)
    for (std::size_t c = 0; c < witnesses[w].channels.size(); ++c) {
      const auto at = static_cast<Eigen::Index>(c);
      const double weight = 1 / witnesses[w].variance[at];
      const std::array columns = {number.at(witnesses[w].channels[c]), n + static_cast<Eigen::Index>(w)};
      for (const Eigen::Index i : columns) {
        right[i] += weight * witnesses[w].value[at];
        for (const Eigen::Index j : columns) normal(i, j) += weight;
      }
    }
  const Eigen::Index fixed = number.at(reference);
  normal.row(fixed).setZero();
  normal.col(fixed).setZero();
  normal(fixed, fixed) = 1;
  right[fixed] = 0;
  const Eigen::MatrixXd covariance = normal.ldlt().solve(Eigen::MatrixXd::Identity(all, all));
  Solution solution{(covariance * right).head(n), covariance.diagonal().head(n).cwiseMax(0).cwiseSqrt()};
  solution.sigma[fixed] = 0;
  return solution;
}

Pairs of_component(const Alignment& alignment, const std::set<std::string>& reached, bool with_drift) {
  Pairs pairs;
  for (const PairOffset& pair : alignment.pairs)
    if (pair.why_not.empty() && reached.contains(pair.from) && (!with_drift || pair.has_drift))
      pairs.push_back(&pair);
  return pairs;
}

/// Why a channel that no pair reaches has no offset: the nearest miss.
std::string reason_for(const Alignment& alignment, const std::string& channel) {
  const PairOffset* best = nullptr;
  bool has_partner = false;
  for (const PairOffset& pair : alignment.pairs) {
    if (pair.from != channel && pair.to != channel) continue;
    has_partner = has_partner || pair.why_not.empty();
    if (!best || pair.correlation > best->correlation) best = &pair;
  }
  if (!best) return "shows nothing that another channel shows too";
  if (has_partner) return "is aligned with others, but nothing links them to the reference";
  return fmt::format("{} against {}: {}", best->quantity, best->from == channel ? best->to : best->from,
                     best->why_not);
}

}  // namespace

void solve_graph(Alignment& alignment, const std::vector<std::string>& channels, const std::string& reference) {
  constexpr Aspect offset = {&PairOffset::seconds, &PairOffset::sigma};
  constexpr Aspect drift = {&PairOffset::drift, &PairOffset::drift_sigma};
  Pairs known;
  for (const PairOffset& pair : alignment.pairs)
    if (pair.why_not.empty()) known.push_back(&pair);
  const std::set<std::string> reached = reached_from(reference, known);
  const Pairs pairs = of_component(alignment, reached, false),
              drifting = of_component(alignment, reached, true);
  const auto number = numbered(reached);
  const Solution offsets = solve(witnesses_of(pairs, offset), number, reference);
  const std::set<std::string> drift_reached = reached_from(reference, drifting);
  const auto drift_number = numbered(drift_reached);
  const Solution drifts = solve(witnesses_of(drifting, drift), drift_number, reference);
  for (const std::string& channel : channels) {
    ChannelOffset result{channel, 0, 0, {}, {}, ""};
    if (const auto found = number.find(channel); found == number.end()) {
      result.why_not = reason_for(alignment, channel);
    } else {
      result.seconds = offsets.value[found->second];
      result.sigma = offsets.sigma[found->second];
      if (const auto of_drift = drift_number.find(channel);
          of_drift != drift_number.end() && !drifting.empty()) {
        result.drift = drifts.value[of_drift->second];
        result.drift_sigma = drifts.sigma[of_drift->second];
      }
    }
    alignment.channels.push_back(result);
  }
  for (const PairOffset* pair : pairs) {
    const double closed =
        pair->seconds - (offsets.value[number.at(pair->to)] - offsets.value[number.at(pair->from)]);
    alignment.chi_square += std::pow(closed / pair->sigma, 2);
  }
  alignment.loops = static_cast<int>(pairs.size()) - static_cast<int>(reached.size()) + 1;
}

}  // namespace fathom::filter::internal
