#pragma once
#include "fathom/solve/internal/row_panels.hpp"

namespace fathom::solve::internal {

/// Both sides of every row as slacks s = sign (A x) - bound > 0: the lower sides in the panels' order, then the
/// upper ones. An open side has sign 0 and the slack 1, so that every loop runs over all of them without
/// asking.
class Sides {
 public:
  Sides(const BlockProgram& program, const RowPanels& rows);

  Eigen::Index size() const { return 2 * slots_; }
  const Eigen::ArrayXd& closed() const { return closed_; }  ///< 1, or 0 for an open side

  void slacks(const Eigen::ArrayXd& Ax, Eigen::ArrayXd& s) const;
  /// Their change by A dx.
  void changes(const Eigen::ArrayXd& A_dx, Eigen::ArrayXd& ds) const;
  /// Row by row, sign_lower z_lower + sign_upper z_upper: what A' is applied to.
  template <class Numbers>
  void signed_sum(const Numbers& z, Eigen::ArrayXd& y) const {
    y = sign_.head(slots_) * z.head(slots_) + sign_.tail(slots_) * z.tail(slots_);
  }
  /// Row by row, z_lower + z_upper.
  template <class Numbers>
  void sum(const Numbers& z, Eigen::ArrayXd& y) const {
    y = z.head(slots_) + z.tail(slots_);
  }
  /// Smallest slack over the width of its row's range; infinite where every side is open.
  double margin(const Eigen::ArrayXd& s) const;

 private:
  Eigen::Index slots_ = 0;
  Eigen::ArrayXd sign_, bound_, closed_;
  Eigen::ArrayXd per_width_;  ///< 1 / width of the row's range; infinite for an open side
};

/// Sum of the logarithms of positive numbers.
double sum_of_logs(const Eigen::ArrayXd& s);

}  // namespace fathom::solve::internal
