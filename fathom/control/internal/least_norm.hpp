#pragma once
#include <array>
#include <span>

#include "fathom/control/allocation.hpp"
#include "fathom/geometry/types.hpp"
#include "fathom/model/thruster_map.hpp"

namespace fathom::control::internal {

/// Moves feasible forces f, along what A sends to zero, to the least sum of weight f^2 within the limits:
/// primal active set. In the scaled forces h = W^1/2 f a step is minus the part of h that is orthogonal to the
/// rows of A W^-1/2. Takes no memory from the heap.
class LeastNorm {
 public:
  using Columns = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, max_thrusters>;
  /// The first `rows` rows of A count, the others are zero. `unit`: N, the size of a force. All must outlive
  /// it.
  LeastNorm(const Columns& A, int rows, const Forces& inverse_weights,
            std::span<const model::ForceRange> limits, double unit)
      : A_(A), rows_(rows), inverse_weights_(inverse_weights), limits_(limits), close_(1e-12 * unit) {}

  /// Forces that are `held` stay as they are.
  void move(const std::array<bool, max_thrusters>& held, Forces& f);

 private:
  enum class At { inside, lower, upper };
  template <class T>
  using PerThruster = std::array<T, max_thrusters>;

  int n() const { return static_cast<int>(limits_.size()); }
  void find_free(const PerThruster<bool>& held);
  void take_rows(const Forces& f);
  Forces find_direction();
  bool go(const Forces& direction, Forces& f);
  bool release(const PerThruster<bool>& held, const Forces& f);

  const Columns& A_;
  int rows_;
  const Forces& inverse_weights_;
  std::span<const model::ForceRange> limits_;
  double close_;  // N

  PerThruster<At> at_{};
  PerThruster<bool> barred_{};  // was let go and came straight back
  int released_ = -1;

  PerThruster<int> free_{};
  int count_ = 0;                              // of free_
  Forces h_, root_;                            // of the free ones: W^1/2 f and W^-1/2
  Eigen::Matrix<double, 6, max_thrusters> Q_;  // orthonormal rows
  Mat6 L_;                                     // the combinations of A's rows that make them
  int rank_ = 0;                               // of Q_
  Vec6 lambda_;                                // W f = A' lambda at the optimum
};

}  // namespace fathom::control::internal
