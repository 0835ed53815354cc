#pragma once
#include <span>
#include <vector>

#include "fathom/geometry/types.hpp"
#include "fathom/model/thruster_map.hpp"

namespace fathom::dynamics::internal {

/// Moves feasible forces f, along what A sends to zero, to the least sum of weight f^2 within the limits:
/// primal active set. In the scaled forces h = W^1/2 f a step is minus the part of h that is orthogonal to the
/// rows of A W^-1/2. Takes no memory beside its scratch.
class LeastNorm {
 public:
  enum class At : char { inside, lower, upper };
  struct Scratch {
    explicit Scratch(int thrusters);
    std::vector<At> at;
    std::vector<char> barred;  // was let go and came straight back
    std::vector<int> free;
    Eigen::VectorXd h, root, direction;  // of the free ones: W^1/2 f, W^-1/2, a step in h
    Mat6X Q;                             // orthonormal rows
  };

  /// The first `rows` rows of A count, the others are zero. `unit`: N, the size of a force. All must outlive
  /// it.
  LeastNorm(const Mat6X& A, int rows, const Eigen::VectorXd& inverse_weights,
            std::span<const model::ForceRange> limits, double unit, Scratch& scratch)
      : A_(A),
        rows_(rows),
        inverse_weights_(inverse_weights),
        limits_(limits),
        close_(1e-12 * unit),
        s_(scratch) {}

  /// Forces that are `held` stay as they are.
  void move(std::span<const char> held, Eigen::VectorXd& f);

 private:
  int n() const { return static_cast<int>(limits_.size()); }
  void find_free(std::span<const char> held);
  void take_rows(const Eigen::VectorXd& f);
  void find_direction();
  bool go(Eigen::VectorXd& f);
  bool release(std::span<const char> held, const Eigen::VectorXd& f);

  const Mat6X& A_;
  int rows_;
  const Eigen::VectorXd& inverse_weights_;
  std::span<const model::ForceRange> limits_;
  double close_;  // N
  Scratch& s_;

  int released_ = -1;
  int count_ = 0;  // of the free ones
  Mat6 L_;         // the combinations of A's rows that make those of Q
  int rank_ = 0;   // of Q
  Vec6 lambda_;    // W f = A' lambda at the optimum
};

}  // namespace fathom::dynamics::internal
