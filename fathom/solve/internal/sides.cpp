#include "fathom/solve/internal/sides.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/base/constants.hpp"

namespace fathom::solve::internal {
namespace {

using Index = Eigen::Index;

}  // namespace

Sides::Sides(const BlockProgram& program, const RowPanels& rows)
    : slots_(rows.slots()),
      sign_(Eigen::ArrayXd::Zero(2 * slots_)),
      bound_(Eigen::ArrayXd::Constant(2 * slots_, -1)),
      closed_(Eigen::ArrayXd::Zero(2 * slots_)),
      per_width_(Eigen::ArrayXd::Constant(2 * slots_, infinity)) {
  const auto close = [this](Index side, double sign, double bound, double width) {
    if (!std::isfinite(bound)) return;
    sign_[side] = sign;
    bound_[side] = sign * bound;
    closed_[side] = 1;
    per_width_[side] = std::isfinite(width) ? 1 / width : 1;
  };
  for (Index slot = 0; slot < slots_; ++slot) {
    const RowPanels::Row& row = rows.row(slot);
    if (row.row < 0) continue;
    const Block& block = program.blocks[row.block];
    const double lower = block.lower[row.row], upper = block.upper[row.row];
    close(slot, 1, lower, upper - lower);
    close(slots_ + slot, -1, upper, upper - lower);
  }
}

void Sides::slacks(const Eigen::ArrayXd& Ax, Eigen::ArrayXd& s) const {
  s.head(slots_) = sign_.head(slots_) * Ax - bound_.head(slots_);
  s.tail(slots_) = sign_.tail(slots_) * Ax - bound_.tail(slots_);
}

void Sides::changes(const Eigen::ArrayXd& A_dx, Eigen::ArrayXd& ds) const {
  ds.head(slots_) = sign_.head(slots_) * A_dx;
  ds.tail(slots_) = sign_.tail(slots_) * A_dx;
}

double Sides::margin(const Eigen::ArrayXd& s) const {
  return size() == 0 ? infinity : (s * per_width_).minCoeff();
}

double sum_of_logs(const Eigen::ArrayXd& s) {
  constexpr Index together = 16;  // one logarithm of a product costs less than many
  double sum = 0;
  for (Index i = 0; i < s.size(); i += together) {
    const Index count = std::min(together, s.size() - i);
    double even = 1, odd = 1;
    for (Index j = 0; j + 1 < count; j += 2) {
      even *= s[i + j];
      odd *= s[i + j + 1];
    }
    if (count % 2 == 1) even *= s[i + count - 1];
    const double product = even * odd;
    if (product > 1e-290 && product < 1e290)
      sum += std::log(product);
    else
      for (Index j = 0; j < count; ++j) sum += std::log(s[i + j]);
  }
  return sum;
}

}  // namespace fathom::solve::internal
