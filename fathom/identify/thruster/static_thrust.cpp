#include "fathom/identify/thruster/static_thrust.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/identify/thruster/internal/side_fit.hpp"
#include "fathom/identify/thruster/thruster_dynamics.hpp"
#include "fathom/solve/least_squares.hpp"

namespace fathom::identify {

namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr int most_degree = 5;
constexpr Index fewest_commands = 2;  // of a side: two tell a bend
constexpr Index few_points = 6;       // of fewer no dead band is looked for, and the degree is 1 or 2
constexpr double band_of_few =
    0.05;  // of the full force: half of the band, at least, where there are few points
constexpr double largest_force = 1e12;  // N: no thruster, and squares of sums stay finite

/// Points of one side, in order of u; those at neutral belong to both.
SideChoice side_points(const BollardTest& test, const model::Command& command, double direction) {
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < test.commands.size(); ++k)
    if (direction * (test.commands[k] - command.neutral) >= 0) order.push_back(k);
  const auto u_of = [&](std::size_t k) { return direction * (test.commands[k] - command.neutral); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return u_of(a) < u_of(b); });
  SideChoice side;
  side.u.resize(static_cast<Index>(order.size()));
  side.forces.resize(side.u.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    side.u[static_cast<Index>(k)] = u_of(order[k]);
    side.forces[static_cast<Index>(k)] = direction * test.forces[order[k]];
  }
  return side;
}

/// Commands of a side beyond neutral. The force at neutral is known, and repeated points tell no shape.
Index distinct_commands(const SideChoice& side) {
  Index count = 0;
  double last = 0;
  for (const double u : side.u) {
    if (!(u > last)) continue;
    ++count;
    last = u;
  }
  return count;
}

void check_side(const SideChoice& side, const std::string& name, double direction) {
  const Index commands = distinct_commands(side);
  if (commands < fewest_commands)
    reject(
        "table",
        fmt::format("has {} points with commands {} neutral (repeated ones count once), must have {} or more",
                    commands, direction > 0 ? "above" : "below", fewest_commands),
        commands == 0 ? "one side only? A map needs both; is neutral right?" : "measure more commands");
  if (!(side.forces.maxCoeff() > 0))
    reject("table",
           fmt::format("has no {} force on the {} side", direction > 0 ? "positive" : "negative", name),
           "forces carry the sign of the thrust: forward positive");
  const double correlation =
      (side.forces.array() - side.forces.mean()).matrix().dot((side.u.array() - side.u.mean()).matrix());
  if (!(correlation > 0))
    reject("table", fmt::format("has a force that never rises on the {} side", name),
           "is it the force of that command, and the sign that of the thrust?");
}

/// Every fold-th point in order of command, but never the first or last: nothing is extrapolated.
SideChoice::Tried cross_validate(const SideChoice& side, int degree, int folds,
                                 const internal::EdgeSearch& edges) {
  const Index n = side.u.size();
  const double reach = side.u[n - 1];
  std::vector<double> squares;
  for (Index fold = 0; fold < folds; ++fold) {
    std::vector<Index> kept, held;
    for (Index k = 0; k < n; ++k) (k > 0 && k < n - 1 && k % folds == fold ? held : kept).push_back(k);
    if (held.empty()) continue;
    const SideLaw law = internal::fit_side(side.u(kept), side.forces(kept), degree, reach, edges);
    double square = 0;
    for (const Index k : held) square += std::pow(law.force(side.u[k]) - side.forces[k], 2);
    squares.push_back(square / static_cast<double>(held.size()));
  }
  const auto count = static_cast<double>(squares.size());
  const double mean = std::accumulate(squares.begin(), squares.end(), 0.0) / count;
  double spread = 0;
  for (const double square : squares) spread += std::pow(square - mean, 2);
  return {degree, std::sqrt(mean), mean, count > 1 ? std::sqrt(spread / ((count - 1) * count)) : 0};
}

int simplest(const std::vector<SideChoice::Tried>& tried) {
  const auto best = std::min_element(
      tried.begin(), tried.end(), [](const auto& a, const auto& b) { return a.mean_square < b.mean_square; });
  return std::find_if(tried.begin(), tried.end(),
                      [&](const auto& t) { return t.mean_square <= best->mean_square + best->standard_error; })
      ->degree;
}

void choose_law(SideChoice& side, const StaticThrustOptions& options, std::uint64_t seed) {
  const auto points = static_cast<int>(side.u.size());
  const auto moved = std::count_if(side.u.begin(), side.u.end(), [](double u) { return u > 0; });
  const bool are_few = moved < few_points;
  const double reach = side.u[side.u.size() - 1];
  const internal::EdgeSearch edges = are_few ? internal::EdgeSearch{0, 0, 2, 0} : internal::whole_side(reach);
  // Of few points each is held out alone: the others must still have a command for each unknown of degree 2.
  const int folds = !are_few                                    ? std::min(options.folds, points - 2)
                    : distinct_commands(side) > fewest_commands ? points
                                                                : 0;
  for (int degree = 1; degree <= (are_few ? 2 : std::min(most_degree, points - 3)); ++degree)
    side.tried.push_back(folds > 0 ? cross_validate(side, degree, folds, edges)
                                   : SideChoice::Tried{degree, nan, nan, nan});
  // Thrust grows about as the square of the command; two commands alone do not tell.
  const int degree = folds > 0 ? simplest(side.tried) : 2;
  side.law = internal::fit_side(side.u, side.forces, degree, reach, edges);
  const VectorXd fitted = side.u.unaryExpr([&](double u) { return side.law.force(u); });
  side.rmse = std::sqrt((fitted - side.forces).squaredNorm() / static_cast<double>(side.u.size()));
  side.full_force = side.forces.maxCoeff();
  internal::side_band(side, options, seed);
  if (!are_few) return;
  // A law through nearly every point leaves nothing to tell its error by, but for the points held out.
  const double held_out = folds > 0 ? side.chosen().error : 0;
  const double half = std::max(2 * held_out, band_of_few * side.full_force);
  for (Index k = 0; k < side.u.size(); ++k) {
    if (side.u[k] <= 0) continue;
    side.low[k] = std::max(0.0, std::min(side.low[k], fitted[k] - half));
    side.high[k] = std::max(side.high[k], fitted[k] + half);
  }
}

/// docs/model.md eqs. 25 and 26: below the dead band x is negative, and odd powers keep their sign.
model::ThrusterMap map_of(const SideLaw& forward, const SideLaw& reverse, model::Command command) {
  command.max = std::min(command.max, command.neutral + forward.reach);
  command.min = std::max(command.min, command.neutral - reverse.reach);
  const model::DeadBand band{command.neutral - reverse.edge, command.neutral + forward.edge};
  model::ThrusterMap map{command, {}, {}, {}, false};
  const auto &f = forward.c, &r = reverse.c;
  if (forward.degree <= 2 && reverse.degree <= 2)
    map.law = model::LinearQuadratic{{f[0], f[1]}, model::LinearQuadratic::Gains{r[0], r[1]}, band};
  else
    map.law = model::PolynomialPair{band, f, {r[0], -r[1], r[2], -r[3], r[4]}};
  return map;
}

void check_test(const BollardTest& test, const model::Command& command) {
  if (test.commands.size() != test.forces.size())
    reject("table", fmt::format("has {} commands and {} forces", test.commands.size(), test.forces.size()));
  for (std::size_t k = 0; k < test.commands.size(); ++k) {
    if (!std::isfinite(test.commands[k]) || !std::isfinite(test.forces[k]))
      reject("table", fmt::format("row {} has a number that is not finite", k + 1), "leave the row out");
    if (std::abs(test.forces[k]) > largest_force)
      reject("table", fmt::format("row {} has a force of {:g} N", k + 1, test.forces[k]), "is the unit right?");
    if (test.commands[k] < command.min || test.commands[k] > command.max)
      reject("table",
             fmt::format("row {} has command {}, outside [{}, {}]", k + 1, test.commands[k], command.min,
                         command.max),
             "is the unit right?");
  }
}

using Eigen::Index;
using Eigen::VectorXd;

constexpr Index fewest_steady_points = 3;

struct SteadySeries {
  VectorXd volts, thrust, speed;  // magnitudes
};

SteadySeries side_of(const std::vector<SteadyPoint>& points, double sign) {
  std::vector<SteadyPoint> side;
  for (const SteadyPoint& point : points) {
    if (!std::isfinite(point.volts) || !std::isfinite(point.thrust) || !std::isfinite(point.speed))
      reject("steady table", "has a number that is not finite", "leave the row out");
    if (sign * point.volts > 0) side.push_back(point);
  }
  const auto n = static_cast<Index>(side.size());
  if (n < fewest_steady_points)
    reject("steady table", fmt::format("has {} rows with {} voltage, must have {} or more", n,
                                       sign > 0 ? "positive" : "negative", fewest_steady_points));
  SteadySeries series{VectorXd(n), VectorXd(n), VectorXd(n)};
  for (Index k = 0; k < n; ++k) {
    const SteadyPoint& point = side[static_cast<std::size_t>(k)];
    series.volts[k] = std::abs(point.volts);
    series.thrust[k] = std::abs(point.thrust);
    series.speed[k] = std::abs(point.speed);
  }
  return series;
}

Eigen::MatrixXd powers(const VectorXd& n, const std::vector<int>& exponents) {
  Eigen::MatrixXd A(n.size(), static_cast<Index>(exponents.size()));
  for (Index k = 0; k < A.cols(); ++k) A.col(k) = n.array().pow(exponents[static_cast<std::size_t>(k)]);
  return A;
}

VectorXd fit_powers(const VectorXd& n, const VectorXd& thrust, const std::vector<int>& exponents) {
  solve::Rows rows(static_cast<Index>(exponents.size()));
  rows.add(powers(n, exponents), thrust);
  return solve::ordinary(rows).x;
}

/// Sum of squares of points left out one by one.
double left_out_square(const SteadySeries& side, const std::vector<int>& exponents) {
  double square = 0;
  const Index count = side.speed.size();
  for (Index out = 0; out < count; ++out) {
    std::vector<Index> kept;
    for (Index k = 0; k < count; ++k)
      if (k != out) kept.push_back(k);
    const VectorXd c = fit_powers(side.speed(kept), side.thrust(kept), exponents);
    const VectorXd n = side.speed.segment(out, 1);
    square += std::pow((powers(n, exponents) * c)[0] - side.thrust[out], 2);
  }
  return square;
}

SteadySide fit_steady_side(const SteadySeries& side) {
  Eigen::MatrixX2d A(side.volts.size(), 2);
  A.col(0) = side.volts;
  A.col(1).setOnes();
  solve::Rows rows(2);
  rows.add(A, side.speed);
  const VectorXd line = solve::ordinary(rows).x, c = fit_powers(side.speed, side.thrust, {2, 3});
  if (!(line[0] > 0)) reject("steady table", "has a speed that does not rise with the voltage");
  return {line[0], line[1], c[0], c[1]};
}

}  // namespace

double SideLaw::force(double u) const {
  const double x = std::min(u, reach) - edge;
  double sum = 0;
  for (std::size_t k = c.size(); k-- > 0;) sum = (sum + c[k]) * x;
  return x > 0 ? sum : 0;
}

SideLaw fit_side(const Eigen::Ref<const VectorXd>& u, const Eigen::Ref<const VectorXd>& forces, int degree) {
  if (degree < 1 || degree > most_degree)
    reject("degree", fmt::format("= {}, must be 1 to {}", degree, most_degree));
  if (u.size() != forces.size() || !u.allFinite() || !forces.allFinite() || u.size() == 0)
    reject("table", fmt::format("has {} commands and {} forces, must have as many, all finite", u.size(),
                                forces.size()));
  if (!(u.minCoeff() >= 0 && u.maxCoeff() > 0)) reject("table", "has commands below neutral, or none above it");
  return internal::fit_side(u, forces, degree, u.maxCoeff(), internal::whole_side(u.maxCoeff()));
}

StaticThrust identify_static_thrust(const BollardTest& test, const model::Command& command,
                                    const StaticThrustOptions& options) {
  check_test(test, command);
  StaticThrust found;
  found.forward = side_points(test, command, 1);
  found.reverse = side_points(test, command, -1);
  check_side(found.forward, "forward", 1);
  check_side(found.reverse, "reverse", -1);
  choose_law(found.forward, options, options.seed);
  choose_law(found.reverse, options, options.seed + 1);
  found.map = map_of(found.forward.law, found.reverse.law, command);
  if (Findings findings = model::check_thruster_map(found.map, {}, "map"); has_errors(findings))
    throw InputError(std::move(findings));
  return found;
}

double SteadySide::speed(double volts) const { return std::max(0.0, gain * volts + offset); }

SteadyLaws fit_steady_laws(const std::vector<SteadyPoint>& points) {
  const SteadySeries forward = side_of(points, 1), reverse = side_of(points, -1);
  SteadyLaws laws{fit_steady_side(forward), fit_steady_side(reverse), {}};
  const std::array<std::vector<int>, 3> candidates = {{{2}, {1, 2}, {2, 3}}};
  const auto count = static_cast<double>(forward.speed.size() + reverse.speed.size());
  for (std::size_t k = 0; k < candidates.size(); ++k)
    laws.left_out_error[k] =
        std::sqrt((left_out_square(forward, candidates[k]) + left_out_square(reverse, candidates[k])) / count);
  return laws;
}

}  // namespace fathom::identify
