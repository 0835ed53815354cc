#include "fathom/identify/vehicle/internal/check_commands.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Cholesky>

#include "fathom/base/constants.hpp"

namespace fathom::identify::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr double least_shift = -1, most_shift = 1.5, shift_step = 0.1;  // s
constexpr double fewest_rows = 200;                                     // 20 s
/// Of the motion's squares: what the rough model of the water leaves to commands that are right.
constexpr double share_of_squares = 0.04;
/// An axis tells nothing where commands explain less than this of its squares.
constexpr double least_explained = 0.15;
constexpr Index other_columns =
    6;  // nu, nu |nu|, products of rates, of velocities, gravity, and the motion last

/// Squares that are left of the last column after the first ones; `use` columns.
double remainder(const MatrixXd& sums) {
  const Index n = sums.rows() - 1;
  MatrixXd normal = sums.topLeftCorner(n, n);
  const Eigen::VectorXd right = sums.col(n).head(n);
  for (Index i = 0; i < n; ++i) normal(i, i) += 1e-9 * normal(i, i) + 1e-12;
  const Eigen::VectorXd solution = normal.ldlt().solve(right);
  return std::max(0.0, sums(n, n) - solution.dot(right));
}

/// Sums with the inputs taken together to one column.
MatrixXd together(const MatrixXd& sums, const Eigen::VectorXd& weights) {
  const Index n = weights.size(), rest = sums.rows() - n;
  MatrixXd map = MatrixXd::Zero(1 + rest, sums.rows());
  map.row(0).head(n) = weights.transpose();
  map.bottomRightCorner(rest, rest).setIdentity();
  return map * sums * map.transpose();
}

}  // namespace

CommandColumns command_columns(const CheckMotion& motion) {
  CommandColumns out;
  const MatrixXd omega_b = rate_of_body(motion);
  const MatrixXd v_b = origin_velocity(motion, omega_b);
  const CheckSeries &attitude = motion[Checked::attitude], &velocity = motion[Checked::velocity],
                    &rate = motion[Checked::rate];
  const double blur = std::hypot(motion.blur, check_blur);
  for (int axis = 0; axis < 6; ++axis) {
    const bool is_linear = axis < 3;
    const MatrixXd& source = is_linear ? v_b : omega_b;
    if (source.cols() == 0) continue;
    const Index i = axis % 3;
    MatrixXd columns(other_columns, motion.clock.size);
    columns.row(0) = source.row(i);
    columns.row(1) = source.row(i).array() * source.row(i).array().abs();
    for (Index k = 0; k < columns.cols(); ++k) {
      columns(2, k) = !is_linear           ? omega_b((i + 1) % 3, k) * omega_b((i + 2) % 3, k)
                      : omega_b.cols() > 0 ? Vec3(omega_b.col(k)).cross(Vec3(v_b.col(k)))[i]
                                           : 0;
      // Munk's moment: added masses differ from axis to axis.
      columns(3, k) = !is_linear && v_b.cols() > 0 ? v_b((i + 1) % 3, k) * v_b((i + 2) % 3, k) : 0;
      // Weight and buoyancy pull along the vertical, and turn about the axes across it.
      const Index along = axis == 3 ? 1 : axis == 4 ? 0 : i;
      columns(4, k) = attitude.known() ? rotation_at(attitude, k)(2, along) : 0;
    }
    columns.row(5) = slope_of_rows(source.row(i));
    const auto at = static_cast<std::size_t>(axis);
    out.columns[at] = blurred_rows(columns, check_blur);
    const bool is_second = is_linear ? !velocity.known() : !rate.known();
    const CheckSeries& sensor =
        is_linear ? (is_second ? motion[Checked::position] : velocity) : (is_second ? attitude : rate);
    // White noise through the first or second derivative of a Gaussian; a quaternion has half of an angle.
    const double once = std::sqrt(1 / (4 * std::sqrt(std::numbers::pi) * std::pow(blur, 3) * sensor.rate_hz));
    const double twice = std::sqrt(3 / (8 * std::sqrt(std::numbers::pi) * std::pow(blur, 5) * sensor.rate_hz));
    out.noise[at] = sensor.noise * (is_second ? (is_linear ? 1 : 2) * twice : once);
  }
  return out;
}

CommandFit::CommandFit(const CheckMotion& motion, const CommandColumns& columns, double delay)
    : inputs_(motion.commands.inputs.rows()) {
  const MatrixXd inputs = blurred_rows(earlier_by(motion.commands.inputs, -delay, 0), check_blur);
  const Index n = inputs_, all = n + other_columns + 1;
  Eigen::VectorXd row(all);
  for (std::size_t axis = 0; axis < 6; ++axis) {
    const MatrixXd& own = columns.columns[axis];
    Axis& out = axes_[axis];
    if (own.cols() == 0) continue;
    out.sums = MatrixXd::Zero(all, all);
    for (Index k = 0; k < own.cols(); ++k) {
      row << inputs.col(k), 1, own.col(k);
      if (!row.allFinite()) continue;
      out.sums.selfadjointView<Eigen::Lower>().rankUpdate(row);
      ++out.count;
    }
    out.sums = MatrixXd(out.sums.selfadjointView<Eigen::Lower>());
    const double mean = out.sums(all - 1, n) / std::max(1.0, out.count);
    const double squares = out.sums(all - 1, all - 1) - out.count * mean * mean;
    if (out.count < fewest_rows || !(squares > 0)) {
      out.count = 0;
      continue;
    }
    out.noise_share = std::pow(columns.noise[axis], 2) * out.count / squares;
  }
}

Eigen::VectorXd command_costs_by_window(const CheckMotion& motion, const CommandColumns& columns, double delay,
                                        Index window) {
  const MatrixXd rates =
      blurred_rows(earlier_by(motion.commands.to_rate * motion.commands.inputs, -delay, 0), check_blur);
  Eigen::VectorXd costs = Eigen::VectorXd::Zero(rates.cols() / window);
  constexpr Index all = other_columns + 2;
  using Row = Eigen::Matrix<double, all, 1>;
  for (std::size_t axis = 0; axis < 6; ++axis) {
    const MatrixXd& own = columns.columns[axis];
    if (own.cols() == 0) continue;
    const double size = trimmed_mean_square(own.row(other_columns - 1));
    const double scale = share_of_squares * size + std::pow(columns.noise[axis], 2);
    for (Index w = 0; w < costs.size(); ++w) {
      MatrixXd sums = MatrixXd::Zero(all, all);
      double count = 0;
      for (Index k = w * window; k < (w + 1) * window; ++k) {
        Row row;
        row << rates(static_cast<Index>(axis), k), 1, own.col(k);
        if (!row.allFinite()) continue;
        sums += row * row.transpose();
        ++count;
      }
      if (count < 0.5 * static_cast<double>(window))
        costs[w] = nan;
      else
        costs[w] += remainder(sums) / count / scale;
    }
  }
  return costs;
}

double CommandFit::left_over_freely(int axis) const {
  const MatrixXd& sums = axes_[static_cast<std::size_t>(axis)].sums;
  const Index last = sums.rows() - 1;
  const double count = axes_[static_cast<std::size_t>(axis)].count, mean = sums(last, inputs_) / count;
  return remainder(sums) / (sums(last, last) - count * mean * mean);
}

double CommandFit::left_over(int axis, const MatrixXd& to_rate) const {
  const MatrixXd& sums = axes_[static_cast<std::size_t>(axis)].sums;
  const Index last = sums.rows() - 1;
  const double count = axes_[static_cast<std::size_t>(axis)].count, mean = sums(last, inputs_) / count;
  const double squares = sums(last, last) - count * mean * mean;
  const double without = remainder(sums.bottomRightCorner(last + 1 - inputs_, last + 1 - inputs_));
  if (factor(axis, to_rate).value <= 0) return without / squares;
  return remainder(together(sums, to_rate.row(axis).transpose())) / squares;
}

CommandFit::Factor CommandFit::factor(int axis, const MatrixXd& to_rate) const {
  const Axis& of = axes_[static_cast<std::size_t>(axis)];
  const MatrixXd sums = together(of.sums, to_rate.row(axis).transpose());
  const Index n = sums.rows() - 1;
  MatrixXd normal = sums.topLeftCorner(n, n);
  for (Index i = 0; i < n; ++i) normal(i, i) += 1e-9 * normal(i, i) + 1e-12;
  const MatrixXd inverse = normal.ldlt().solve(MatrixXd::Identity(n, n));
  const Eigen::VectorXd solution = inverse * sums.col(n).head(n);
  const double rest = std::max(0.0, sums(n, n) - solution.dot(sums.col(n).head(n)));
  return {solution[0], std::sqrt(inverse(0, 0) * rest / std::max(1.0, of.count))};
}

DelayRange likely_delays(const CheckCommands& commands) {
  // Nothing moves before it is commanded. The inputs have the lag that the file states, which may be too long.
  return {commands.lag > 0 ? -0.25 * commands.lag - 0.03 : 0, most_shift};
}

namespace {

/// Remainders by delay, from least_shift on.
class DelayCurve {
 public:
  void push_back(double left) { left_.push_back(left); }
  bool empty() const { return left_.empty(); }

  /// s: the least of a parabola through the least remainder and its neighbours.
  double delay() const {
    const auto best = least();
    double place = static_cast<double>(best - left_.begin());
    if (best != left_.begin() && best + 1 != left_.end()) {
      const double a = *(best - 1), b = *best, c = *(best + 1);
      if (a - 2 * b + c > 0) place += 0.5 * (a - c) / (a - 2 * b + c);
    }
    return least_shift + shift_step * place;
  }

  /// What is left at that delay, over the least.
  double rise(double delay) const {
    const auto at = std::clamp<std::ptrdiff_t>(std::lround((delay - least_shift) / shift_step), 0,
                                               static_cast<std::ptrdiff_t>(left_.size()) - 1);
    return left_[static_cast<std::size_t>(at)] / *least();
  }

 private:
  std::vector<double>::const_iterator least() const { return std::min_element(left_.begin(), left_.end()); }

  std::vector<double> left_;
};

/// At another delay more is left by a seventh.
constexpr double clearly = 1.15;

/// s: mean delay of the axes from `first` on whose delay the log shows well, if there are enough and they
/// agree. Behind an autopilot they do not: what it does besides the commands moves the delay of each axis by
/// another amount. `most_left`: share of the squares of an axis.
std::optional<double> common_delay(const std::array<DelayCurve, 6>& curves, const CommandFloor& floor,
                                   std::size_t first, int fewest, double most_left) {
  constexpr double beside = 0.2, sharp = 1.2, most_spread = 0.06;  // s, ratio of what is left, s
  double sum = 0, least = infinity, largest = -infinity;
  int count = 0;
  for (std::size_t axis = first; axis < first + 3; ++axis) {
    const DelayCurve& curve = curves[axis];
    if (curve.empty() || floor.left_over[axis] > most_left) continue;
    const double delay = curve.delay();
    if (std::min(curve.rise(delay - beside), curve.rise(delay + beside)) < sharp) continue;
    sum += delay;
    least = std::min(least, delay), largest = std::max(largest, delay);
    ++count;
  }
  if (count < fewest || largest - least > most_spread) return std::nullopt;
  return sum / count;
}

}  // namespace

CommandFloor command_floor(const CheckMotion& motion) {
  CommandFloor floor;
  floor.left_over.fill(1);
  const CommandColumns columns = command_columns(motion);
  std::array<DelayCurve, 6> curves;
  DelayCurve all;
  for (double delay = least_shift; delay <= most_shift; delay += shift_step) {
    const CommandFit fit(motion, columns, delay);
    double sum = 0;
    for (int axis = 0; axis < 6; ++axis) {
      if (!fit.knows(axis)) continue;
      const auto at = static_cast<std::size_t>(axis);
      const double left = fit.left_over_freely(axis);
      floor.left_over[at] = std::min(floor.left_over[at], left);
      curves[at].push_back(left / (share_of_squares + fit.noise_share(axis)));
      sum += left / (share_of_squares + fit.noise_share(axis));
    }
    all.push_back(sum);
  }
  floor.delay = all.delay();
  constexpr double slack = 0.05;
  const double first = likely_delays(motion.commands).first;
  if (floor.delay < first - slack && all.rise(first) > clearly) floor.too_early = first - floor.delay;
  // Sensors of both groups follow the same commands: what is late in one alone is the clock of its sensor.
  const std::optional<double> linear = common_delay(curves, floor, 0, 2, 0.15),
                              turning = common_delay(curves, floor, 3, 1, 0.2);
  if (linear && turning) floor.apart = *turning - *linear;
  return floor;
}

std::vector<PairMisfit> command_misfit(const CheckMotion& motion, const CommandFloor& floor,
                                       const CommandFit& fit, const MatrixXd& to_rate) {
  PairMisfit linear{"acceleration by commands",
                    {motion[Checked::velocity].known() ? motion[Checked::velocity].channel
                                                       : motion[Checked::position].channel,
                     motion.commands.channel},
                    0,
                    0,
                    {}};
  PairMisfit turning{
      "turning by commands",
      {motion[Checked::rate].known() ? motion[Checked::rate].channel : motion[Checked::attitude].channel,
       motion.commands.channel},
      0,
      0,
      {}};
  for (int axis = 0; axis < 6; ++axis) {
    if (!fit.knows(axis)) continue;
    const double least = floor.left_over[static_cast<std::size_t>(axis)];
    if (1 - least < least_explained) continue;
    const double left = fit.left_over(axis, to_rate);
    PairMisfit& pair = axis < 3 ? linear : turning;
    // What no matrix explains, the rough model of the water lacks: a matrix may be off by as much.
    pair.misfit += std::max(0.0, (left - least) / (share_of_squares + least + fit.noise_share(axis)) - 1);
    pair.size = std::max(pair.size, std::sqrt(left));
  }
  std::vector<PairMisfit> pairs;
  if (fit.knows(0) || fit.knows(1) || fit.knows(2)) pairs.push_back(std::move(linear));
  if (fit.knows(3) || fit.knows(4) || fit.knows(5)) pairs.push_back(std::move(turning));
  return pairs;
}

std::vector<PairMisfit> command_misfit(const CheckMotion& motion, const CommandFloor& floor) {
  const DelayRange likely = likely_delays(motion.commands);
  std::vector<PairMisfit> best;
  double least = infinity;
  const CommandColumns columns = command_columns(motion);
  const double middle = std::clamp(floor.delay, likely.first, likely.last);
  for (double delay = std::max(likely.first, middle - 0.4); delay <= std::min(likely.last, middle + 0.4) + 1e-9;
       delay += shift_step) {
    const CommandFit fit(motion, columns, delay);
    auto pairs = command_misfit(motion, floor, fit, motion.commands.to_rate);
    double sum = 0;
    for (const PairMisfit& pair : pairs) sum += pair.misfit;
    if (sum < least) least = sum, best = std::move(pairs);
  }
  return best;
}

}  // namespace fathom::identify::internal
