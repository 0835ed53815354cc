#pragma once
#include <vector>

#include "fathom/base/constants.hpp"
#include "fathom/base/random.hpp"
#include "fathom/identify/vehicle/band.hpp"

namespace fathom::identify::internal {

/// Draws models from the distribution of an estimate.
class MemberSource {
 public:
  explicit MemberSource(const UncertainModel& uncertain);

  struct Member {
    dynamics::Vehicle vehicle;
    double delay;    ///< s, never negative
    int redrawn;     ///< draws before this one
    bool is_shrunk;  ///< nearer to the estimate than it was drawn
  };
  /// Draws again where M is not positive definite (or nearly not) or damping gives energy, unless the estimate
  /// does so too; after 20 draws it goes from the last half-way to the estimate until it is physical.
  Member draw(RandomStream& random) const;

 private:
  dynamics::Vehicle vehicle_at(const Eigen::VectorXd& values) const;
  bool is_physical(const dynamics::Vehicle& vehicle) const;
  Eigen::MatrixXd on_free(const Mat6& matrix) const;
  Eigen::VectorXd dissipation_of(const dynamics::Vehicle& vehicle) const;

  const UncertainModel& uncertain_;
  Eigen::MatrixXd root_;  // root_ root_' is the covariance
  dynamics::Vehicle nominal_;
  Eigen::VectorXd least_dissipation_;
};

}  // namespace fathom::identify::internal
