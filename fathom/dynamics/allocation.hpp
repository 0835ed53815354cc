#pragma once
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "fathom/geometry/types.hpp"
#include "fathom/model/thruster_map.hpp"

namespace fathom::dynamics {

using Forces = Eigen::VectorXd;

namespace internal {
struct AllocationScratch;
}

struct AllocatorOptions {
  /// Cost of each thruster: the sum of weight f^2 is least. Empty: 1 for all.
  std::vector<double> weights;
  /// Axes 0..5 of [X Y Z K M N] in groups, each axis once, what matters most first: a vehicle that is told too
  /// much should stay upright, then keep its depth, then its heading.
  std::vector<std::vector<int>> groups = {{3, 4}, {2}, {5}, {0, 1}};
};

/// What became of a demanded wrench.
struct Allocation {
  Forces forces;       ///< N, within the limits
  Vec6 achieved_b;     ///< B f
  Vec6 unreachable_b;  ///< part of the demand that these thrusters cannot give at any force
  /// By group: the share of its demand that is given, in the demand's direction. 1 for a group without demand.
  std::array<double, 6> scales;
  /// Share of the wrench of stuck thrusters that the others cancel; below 1 the groups' directions are not
  /// kept.
  double bias_scale;
  bool saturated;  ///< some scale is below 1
};

/// Shares a wrench out to thrusters, any number of them: of one robot or of a cluster; docs/model.md eqs. 38
/// and 39. The same input gives the same bits, whatever was in the workspace before.
///
/// Within the limits, forces are those of the weighted pseudo-inverse. Beyond, the demand of each group of axes
/// is scaled down on its own: the first group gets the largest share under which every later group can still
/// have some share, be it zero, of its demand; then the second; and so on. An axis without demand stays without
/// wrench. Of the forces that give this wrench the weighted sum of squares is least.
///
/// If the thrusters span fewer than six directions, the demand is first replaced by what they can give: the
/// first group as near as it can be, then the second with what freedom that leaves, and so on.
class Allocator {
 public:
  /// Throws InputError unless there are thrusters with finite limits, positive weights, and good groups.
  Allocator(const Mat6X& B, std::span<const model::ForceRange> limits, AllocatorOptions options = {});

  /// Memory for calls, and for their result.
  class Workspace {
   public:
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;
    Workspace(Workspace&&) noexcept;
    Workspace& operator=(Workspace&&) noexcept;
    ~Workspace();

   private:
    friend class Allocator;
    explicit Workspace(int thrusters);
    Allocation result_;
    std::unique_ptr<internal::AllocationScratch> scratch_;
  };
  Workspace workspace() const { return Workspace(n_); }

  /// Takes no memory. What is returned is in the workspace, until the next call.
  const Allocation& allocate(const Vec6& tau_b, Workspace& workspace) const;
  /// With a workspace of its own.
  Allocation allocate(const Vec6& tau_b) const;

  /// A weak thruster has narrow limits, a stuck one min = max. Not to be called while another thread allocates.
  void set_limits(int thruster, double min, double max);
  /// A dead one gives no force.
  void fail(int thruster) { set_limits(thruster, 0, 0); }
  const model::ForceRange& limits(int thruster) const { return limits_[static_cast<std::size_t>(thruster)]; }

  int thrusters() const { return n_; }
  int rank() const { return rank_; }
  /// P: a demand, less what stuck thrusters give, times P is what can be given; the identity at full rank.
  const Mat6& reachable() const { return P_; }
  /// Axes whose demand cannot be met alone.
  std::array<bool, 6> unreachable_axes() const;

 private:
  Mat6X take_limits();
  void prepare();
  void saturate(const Vec6& tau_b, internal::AllocationScratch& scratch, Allocation& out) const;
  void scale_groups(const Vec6& tau_b, internal::AllocationScratch& scratch, Allocation& out) const;
  Vec6 target(const Vec6& tau_b) const;

  int n_ = 0, rank_ = 0;
  Mat6X B_;
  std::vector<model::ForceRange> limits_;
  std::vector<std::vector<int>> groups_;
  Forces inverse_weights_;

  // What follows from the limits.
  Eigen::Matrix<double, Eigen::Dynamic, 6> gain_;  // f = at_zero + gain tau
  Forces at_zero_;                                 // f for tau = 0: stuck forces, and what cancels them
  Vec6 stuck_ = Vec6::Zero();                      // wrench of the stuck thrusters
  Mat6 P_ = Mat6::Identity();
  Mat6 rows_, reduce_;        // U' and Y of P = U Y; the first rank_ rows count
  Mat6X A_;                   // U' B
  Forces nearest_;            // to zero within the limits
  Vec6 bias_ = Vec6::Zero();  // B nearest
  double unit_ = 1;
};

}  // namespace fathom::dynamics
