#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/solve/internal/check.hpp"
#include "fathom/solve/internal/iterate.hpp"

namespace fathom::solve {
namespace {

using Index = Eigen::Index;

constexpr double regularization = 1e-10;  // over the largest diagonal entry that a row can give
constexpr double flat = 1e-14,
                 flat_share = 1e-13;  // gradient over those of one width, of all misses: then it is zero
constexpr double true_miss = 1e-9;    // share of the width; less is rounding error
constexpr int most_newton_steps = 1000, most_line_steps = 60;

/// min 1/2 sum (miss / width)^2 over rows whose bounds are moved inwards: convex and piecewise quadratic, by
/// Newton's method with the Hessian of the rows that miss and an exact search along the line. docs/solvers.md
/// eqs. 14, 15.
class LeastMisses {
 public:
  explicit LeastMisses(const BlockProgram& program);

  /// From the point where the last search ended; true where every miss is at most half of the inset.
  bool solve(double inset);
  const Eigen::VectorXd& x() const { return x_; }
  /// Rows that miss the bounds moved inwards by `inset` by more than `least` of their width.
  void add_conflicts(double inset, double least, std::vector<Conflict>& conflicts) const;

 private:
  void move_bounds(double inset);
  bool step();
  double line_minimum() const;
  /// Ax minus its nearest point in the bounds, over the width.
  auto misses(const Eigen::ArrayXd& Ax) const { return (Ax - Ax.max(lower_).min(upper_)) * per_width_; }

  internal::RowPanels rows_;
  internal::BlockBand H_;
  Eigen::ArrayXd true_lower_, true_upper_, lower_, upper_, per_width_;  // by row; filling slots are open
  double diagonal_ = 0;                                                 // largest |row|^2 / width^2
  Eigen::VectorXd x_, gradient_, dx_;
  Eigen::ArrayXd Ax_, A_dx_, weights_;
};

LeastMisses::LeastMisses(const BlockProgram& program)
    : rows_(program),
      H_(rows_.make_band()),
      true_lower_(Eigen::ArrayXd::Constant(rows_.slots(), -infinity)),
      true_upper_(Eigen::ArrayXd::Constant(rows_.slots(), infinity)),
      lower_(true_lower_),
      upper_(true_upper_),
      per_width_(Eigen::ArrayXd::Zero(rows_.slots())),
      x_(Eigen::VectorXd::Zero(rows_.unknowns())),
      gradient_(x_),
      dx_(x_),
      Ax_(per_width_),
      A_dx_(per_width_),
      weights_(per_width_) {
  for (Index slot = 0; slot < rows_.slots(); ++slot) {
    const internal::RowPanels::Row& row = rows_.row(slot);
    if (row.row < 0) continue;
    const Block& block = program.blocks[row.block];
    true_lower_[slot] = block.lower[row.row];
    true_upper_[slot] = block.upper[row.row];
    const double width = true_upper_[slot] - true_lower_[slot];
    per_width_[slot] = std::isfinite(width) ? 1 / width : 1;
    diagonal_ = std::max(diagonal_, block.A.row(row.row).squaredNorm() * std::pow(per_width_[slot], 2));
  }
}

void LeastMisses::move_bounds(double inset) {
  for (Index slot = 0; slot < rows_.slots(); ++slot) {
    if (rows_.row(slot).row < 0) continue;
    lower_[slot] = true_lower_[slot] + inset / per_width_[slot];
    upper_[slot] = true_upper_[slot] - inset / per_width_[slot];
  }
}

bool LeastMisses::solve(double inset) {
  move_bounds(inset);
  for (int iteration = 0; iteration < most_newton_steps; ++iteration) {
    rows_.multiply(x_, Ax_);
    if (rows_.slots() == 0 || misses(Ax_).abs().maxCoeff() <= inset / 2) return true;
    if (!step()) break;
  }
  return false;
}

/// False where the gradient is zero but for rounding.
bool LeastMisses::step() {
  weights_ = misses(Ax_);
  const double all_misses = weights_.abs().sum();
  weights_ *= per_width_;
  rows_.multiply_transposed(weights_, gradient_);
  if (gradient_.norm() <= (flat + flat_share * all_misses) * std::sqrt(diagonal_)) return false;
  weights_ = (weights_ != 0).select(per_width_.square(), Eigen::ArrayXd::Zero(weights_.size()));
  H_.set_diagonal(regularization * diagonal_);
  rows_.add_gram(weights_, H_);
  H_.factor();
  dx_ = -gradient_;
  H_.solve_lower(dx_.data(), 1, 1);
  H_.solve_upper(dx_);
  rows_.multiply(dx_, A_dx_);
  const double share = line_minimum();
  x_ += share * dx_;
  return share > 0;
}

/// Root of the derivative along dx, which is piecewise linear and rises: regula falsi with Illinois' halving.
double LeastMisses::line_minimum() const {
  const auto slope = [this](double share) { return (misses(Ax_ + share * A_dx_) * per_width_ * A_dx_).sum(); };
  double low = 0, high = 1, at_low = slope(low), at_high = slope(high);
  const double first = -at_low;
  if (!(first > 0)) return 0;
  while (at_high < 0 && high < 1e6) {
    low = high, at_low = at_high;
    high *= 2, at_high = slope(high);
  }
  for (int k = 0; k < most_line_steps && at_high > 1e-12 * first; ++k) {
    const double share = low + (high - low) * at_low / (at_low - at_high);
    const double at_share = slope(share);
    if (std::abs(at_share) <= 1e-12 * first) return share;
    if (at_share < 0) {
      low = share, at_low = at_share;
      at_high /= 2;
    } else {
      high = share, at_high = at_share;
      at_low /= 2;
    }
  }
  return high;
}

void LeastMisses::add_conflicts(double inset, double least, std::vector<Conflict>& conflicts) const {
  for (Index slot = 0; slot < rows_.slots(); ++slot) {
    const internal::RowPanels::Row& row = rows_.row(slot);
    const double missed = std::max(true_lower_[slot] - Ax_[slot], Ax_[slot] - true_upper_[slot]);
    if (row.row >= 0 && missed * per_width_[slot] + inset > least)
      conflicts.push_back({row.block, row.row, Ax_[slot], missed});
  }
  std::sort(conflicts.begin(), conflicts.end(), [](const Conflict& a, const Conflict& b) {
    return a.block != b.block ? a.block < b.block : a.row < b.row;
  });
}

}  // namespace

InnerPoint find_inner_point(const BlockProgram& program, double inset) {
  internal::check(program);
  if (!(inset > 0 && inset < 0.5))
    reject("inset", fmt::format("= {}, must be between 0 and 1/2", inset),
           "a share of the width of a row's range");
  InnerPoint result;
  result.conflicts = internal::constant_conflicts(program);
  LeastMisses search(program);
  result.found = result.conflicts.empty() && search.solve(inset);
  if (!result.found) {
    search.solve(0);
    search.add_conflicts(0, true_miss, result.conflicts);
  }
  // A narrow passage: less of an inset may still be had.
  for (const double less : {1e-3, 1e-6}) {
    if (result.found || !result.conflicts.empty()) break;
    result.found = search.solve(less * inset);
    if (!result.found && less == 1e-6) search.add_conflicts(less * inset, less * inset / 2, result.conflicts);
  }
  result.x = search.x();
  return result;
}

}  // namespace fathom::solve
