#pragma once
#include <vector>

#include "fathom/base/constants.hpp"
#include "fathom/base/random.hpp"
#include "fathom/identify/vehicle/band.hpp"

namespace fathom::identify::internal {

/// Moving-block bootstrap (Kuensch 1989) of wrench residuals: series of any length that look like them up to
/// the length of a block.
class BlockBootstrap {
 public:
  /// Blocks of four integral times of the slowest row of the free velocities, and at least 5 s; no longer than
  /// the longest run of usable residuals. Throws InputError where their step is not `dt`.
  BlockBootstrap(const std::vector<WrenchResiduals>& residuals, double dt, model::Dof dof);

  Eigen::Index block() const { return block_; }  ///< samples; 0 where there are no residuals
  /// How many independent samples the residuals are worth; infinite where there are none.
  double effective_samples() const { return effective_; }
  /// Neighbouring blocks fade into each other with weights whose squares add to one, so that the variance
  /// stays.
  Mat6X draw(Eigen::Index samples, RandomStream& random) const;

 private:
  Mat6X pick(RandomStream& random, Eigen::Index samples) const;

  std::vector<Mat6X> runs_;  // usable samples in a row
  Eigen::Index block_ = 0, fade_ = 0;
  Eigen::VectorXd weight_;  // of each sample of a block
  double effective_ = infinity;
};

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
