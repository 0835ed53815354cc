#pragma once
#include <utility>
#include <vector>

#include "fathom/filter/internal/constant_errors.hpp"

namespace fathom::filter::internal {

/// Sums of squared residuals y(d) = y + y1' d + 1/2 d' y2 d over the changes d of some constant errors.
///
/// The second derivatives cancel what noise in the first ones would pretend to show: a rotation turns noise,
/// and leaves its size as it is. Residuals that remember their past count by their long-run variance.
class RelationSums {
 public:
  using Pairs = std::vector<std::pair<int, int>>;
  /// Columns of a number with its derivatives: its value, those of `which`, and the second ones of `pairs`.
  using Row = Eigen::RowVectorXd;

  /// `locals` further unknowns, with columns after those of `which`, belong to this relation alone.
  RelationSums(std::vector<Eigen::Index> which, Pairs pairs, int channels, const ConstantErrors& errors,
               int locals = 0, double local_sigma = 0);

  Eigen::Index columns() const { return 1 + K() + static_cast<Eigen::Index>(pairs_.size()); }
  /// Adds a residual of a channel at time t. False: it is an outlier, and not used.
  bool add(int channel, double t, const Row& y, double variance);
  /// Returns what was learnt of `series`, which are related: nothing where residuals are too few, or outliers
  /// too many to trust the rest.
  FoundRelation result(std::vector<std::string> series) const;

 private:
  struct Block {
    double end = 0, count = 0, value = 0;
    Eigen::VectorXd slope;
  };
  Eigen::Index K() const { return prior_.rows(); }
  double inflation() const;
  Information information() const;

  std::vector<Eigen::Index> which_;
  Pairs pairs_;
  Eigen::MatrixXd prior_;  // covariance of `which`, and of the locals
  Eigen::MatrixXd H_;
  Eigen::VectorXd g_;
  double squares_ = 0, count_ = 0;
  std::size_t outliers_ = 0;
  std::vector<Block> open_;  // per channel
  std::vector<Block> blocks_;
};

/// A number that one sensor measures and another adds up from its rate: they differ by an offset that noise of
/// the rate lets wander.
class Offset {
 public:
  void restart() { known_ = false; }
  void wander(double variance) { variance_ += variance; }
  /// z: the measured number less the sum, with its derivatives.
  void take(RelationSums& sums, int channel, double t, const RelationSums::Row& z, double variance);

 private:
  bool known_ = false;
  int left_out_ = 0;
  double variance_ = 0;
  RelationSums::Row value_;
};

}  // namespace fathom::filter::internal
