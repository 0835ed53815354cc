#pragma once
#include <memory>
#include <string>
#include <vector>

#include "fathom/excite/problem.hpp"
#include "fathom/excite/samples.hpp"

namespace fathom::excite {

/// How near a path comes to one limit.
struct Margin {
  std::string limit;  ///< such as "thruster front_port", "view", "tether"
  std::string unit;
  double worst = 0;  ///< value that comes nearest
  double bound = 0;
  double margin = 0;  ///< bound minus worst, in that unit; negative where broken
  double t = 0;       ///< s
};

/// The limits of a problem that are not linear in the path: thrusters, view, tether. They hold at the samples;
/// what happens between is checked on a dense grid (margins) and answered by `tighten`.
class PathLimits {
 public:
  explicit PathLimits(const Problem& problem);
  ~PathLimits();
  PathLimits(PathLimits&&) noexcept;

  bool empty() const;
  /// -sum over samples and limits of weight log(slack / scale); infinite where a slack is not positive. Adds
  /// its derivative to `adjoint` where given. `weight` has one entry per row of `at`; rows of weight zero are
  /// skipped. Does not allocate.
  double barrier(const Samples& at, const Eigen::ArrayXd& weight, Samples* adjoint) const;
  /// Nearest approach to each limit, over all rows of `at`, whose times are `t`.
  std::vector<Margin> margins(const Samples& at, const Eigen::ArrayXd& t) const;
  /// The same limits, each closer by `share` of its scale.
  void tighten(double share);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fathom::excite
