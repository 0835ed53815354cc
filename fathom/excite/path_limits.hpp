#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "fathom/excite/problem.hpp"
#include "fathom/excite/samples.hpp"

namespace fathom::excite {

/// How near a path comes to one limit.
struct Margin {
  std::string limit;  ///< "thrusters", "view", "tether"
  std::string unit;
  double worst = 0;  ///< value that comes nearest
  double bound = 0;
  double margin = 0;  ///< bound minus worst, in that unit; negative where broken
  double t = 0;       ///< s
};

/// The limits of a problem that are not linear in the path: thrusters, view, tether
/// (docs/excitation.md eqs. 20 to 23). They hold at the samples; what happens between is checked on a dense
/// grid (margins) and answered by `tighten`. Const calls need no memory but the stack; threads may share it.
///
///  thrusters  the wrench of the robot's model in still water stays in the attainable set of limits scaled by
///             `share`. Where the thrusters push all six axes, all six count; else only the structure's free
///             ones: what holds the others is not part of the model. Scale of a facet: half the set's width
///             across it. The margin is a share of the attainable wrench, 1 / AttainableWrench::largest_scale;
///             at a facet through zero, as of thrusters that push one way only, it is the slack over its scale.
///  view       every corner within the cone. Scale: the slack of the farthest corner, if the camera looked
///             straight at it from the start. The margin is an angle from the camera's axis.
///  tether     slack 1 - (distance / length)^2, scale 1.
class PathLimits {
 public:
  /// Throws InputError for bad limits, and where rest at the start or end is not within them.
  explicit PathLimits(const Problem& problem);
  ~PathLimits();
  PathLimits(PathLimits&&) noexcept;
  PathLimits& operator=(PathLimits&&) noexcept;
  PathLimits(const PathLimits&) = delete;
  PathLimits& operator=(const PathLimits&) = delete;

  bool empty() const { return kinds() == 0; }
  std::size_t kinds() const;  ///< of limits that the problem has
  /// -sum over samples and limits of weight log(slack / scale); infinite where a slack is not positive. Adds
  /// its derivative to `adjoint` where given (columns pose, nu, nu_dot, down, each on its own); where infinite,
  /// what it added has no meaning. `weight` has one entry per row of `at`; rows of weight zero are
  /// skipped. Does not allocate. `least`, where given, gets the least slack / scale by row and kind, outside
  /// the limits as well; rows of weight zero are left alone.
  double barrier(const Samples& at, const Eigen::ArrayXd& weight, Samples* adjoint,
                 Eigen::ArrayXXd* least = nullptr) const;

  using Slopes = std::array<Samples, 2>;
  static constexpr double far = 0.2;  ///< slack / scale from which on curvature does not matter
  /// The derivatives of log(slack) times sqrt(weight), of the two slacks of one kind that come nearest in each
  /// row: sums of their squares are the main part of the barrier's curvature. Fills the columns pose, nu,
  /// nu_dot and down of `slopes`, which are zero before, in rows of some weight where slack / scale (`least` of
  /// `barrier`) is at most `far`. Does not allocate.
  void slopes(std::size_t kind, const Samples& at, const Eigen::ArrayXd& weight, const Eigen::ArrayXXd& least,
              Slopes& slopes) const;
  /// Nearest approach to each limit, over all rows of `at`, whose times are `t`. None without rows.
  std::vector<Margin> margins(const Samples& at, const Eigen::ArrayXd& t) const;
  /// The same limits, each closer by `share` of its scale, counted from the problem's limits and not from an
  /// earlier call. Margins stay those to the problem's limits. Throws InputError as the constructor does.
  void tighten(double share);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fathom::excite
