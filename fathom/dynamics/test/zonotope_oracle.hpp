#pragma once
#include <vector>

#include <Eigen/Core>

namespace fathom::dynamics::test {

/// {G x : low <= x <= high} by its facets, found the slow way: every rank - 1 of the columns span a facet's
/// plane.
class ZonotopeOracle {
 public:
  ZonotopeOracle(const Eigen::MatrixXd& G, const Eigen::VectorXd& low, const Eigen::VectorXd& high);

  /// How far `point` lies outside, in the units of the wrench; negative inside.
  double excess(const Eigen::VectorXd& point) const;
  /// The largest s with start + s along in the set; start is inside and `along` within the span.
  double exit(const Eigen::VectorXd& start, const Eigen::VectorXd& along) const;

 private:
  void add_facet(const Eigen::MatrixXd& R, const Eigen::VectorXd& half, const std::vector<Eigen::Index>& pick);

  Eigen::Index rank_ = 0;
  Eigen::MatrixXd U_, outside_;
  Eigen::VectorXd centre_;
  std::vector<Eigen::VectorXd> normals_;
  std::vector<double> heights_;
};

}  // namespace fathom::dynamics::test
