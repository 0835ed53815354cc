#pragma once
#include "fathom/base/crew.hpp"
#include "fathom/base/random.hpp"
#include "fathom/excite/arm/objective.hpp"

namespace fathom::excite {

/// One motion of an arm and how good it is.
struct ArmDesign {
  Eigen::VectorXd x;  ///< coefficients, joint after joint, as shares of half the ranges
  FourierSeries series;
  double condition = 0;  ///< of the base regressor, its columns at the lengths that random motions give them
  double raw_condition = 0;        ///< of the same as it is, in its units
  double log_det = 0;              ///< of the information, of the columns at those lengths, over their number
  int start = 0;                   ///< which it came from
  std::vector<ArmMargin> margins;  ///< on `fine` times the samples
  std::vector<double> values;      ///< of the criterion, where each start ended; infinite where it failed
  int failed = 0;                  ///< starts that ended nowhere, or beyond a limit between the samples
  int shrunk = 0;                  ///< starts that were drawn together to keep a limit between the samples
};

/// Looks for the periodic motion that shows an arm's base parameters best, within all its limits: many starts,
/// each an interior point search with analytic gradients, then the best of them again with the criterion hardly
/// smoothed. docs/arm-excitation.md. Immutable; threads share it.
class ArmDesigner {
 public:
  explicit ArmDesigner(const ArmProblem& problem);

  const ArmFrame& frame() const { return frame_; }
  /// A random motion within the limits at the samples; what random motions are compared with. Throws
  /// InputError where none is found.
  Eigen::VectorXd random_motion(std::uint64_t seed, int number) const;
  /// Where the search from start `k` ends, and the criterion there. Empty where it fails.
  Eigen::VectorXd solve(int k, double& value, bool& was_shrunk, const std::function<bool()>& stop) const;
  /// Throws InputError where every start fails.
  ArmDesign design(Crew& crew) const;
  /// A motion judged: dry friction by its sign, not smoothed; `fine` times as many instants.
  ArmDesign judge(const Eigen::VectorXd& x) const;

  static constexpr int fine = 10;

 private:
  Eigen::VectorXd draw(RandomStream& random, ArmObjective& objective,
                       const solve::InteriorPoint& polytope) const;
  /// Draws x together until all limits hold on the fine grid; false where that does not help.
  bool repair(Eigen::VectorXd& x, bool& was_shrunk) const;
  Eigen::VectorXd polish(const Eigen::VectorXd& x, double& value) const;

  ArmFrame frame_;
};

}  // namespace fathom::excite
