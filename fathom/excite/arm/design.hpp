#pragma once
#include <memory>

#include "fathom/consistency/base_parameters.hpp"
#include "fathom/excite/arm/problem.hpp"
#include "fathom/excite/search.hpp"

namespace fathom::excite::internal {
struct ArmFrame;
}

namespace fathom::excite {

/// One motion of an arm and how good it is.
struct ArmDesign {
  Eigen::VectorXd x;  ///< coefficients, joint after joint, as shares of half the ranges
  FourierSeries series;
  double condition = 0;  ///< of the base regressor, its columns at the lengths that random motions give them
  double raw_condition = 0;        ///< of the same as it is, in its units
  double log_det = 0;              ///< of the information, of the columns at those lengths, over their number
  Eigen::VectorXd sigma;           ///< of the base parameters, from the samples of one period and the noise
  std::vector<ArmMargin> margins;  ///< on `fine` times the samples
  // Of a search:
  double value = infinity;                      ///< of the criterion
  int start = -1;                               ///< which it came from
  std::vector<Start> starts;                    ///< those that ended, by number
  solve::InteriorPointResult certificate = {};  ///< of the last search that led to it
  std::vector<std::string> notes = {};          ///< what went wrong on the way
  bool interrupted = false;
};

/// How to begin and end a motion within its limits, those that efforts at the start and stop must keep among
/// them.
struct ArmRunIn {
  ArmClock clock;
  double least_share = 0;  ///< of the margins from rest to rest; negative where no lead was long enough
};
ArmRunIn run_in(const ArmProblem& problem, const ArmPath& path, int periods);

/// Looks for the periodic motion that shows an arm's base parameters best, within all its limits: many starts,
/// each an interior point search with analytic gradients, then the best three of them again with the criterion
/// hardly smoothed: the best start is not always the one that polishes best. docs/arm-excitation.md. Immutable;
/// threads share it.
class ArmDesigner {
 public:
  explicit ArmDesigner(const ArmProblem& problem);

  const ArmProblem& problem() const;
  const consistency::BaseParameters& base() const;  ///< what any motion shows: the columns of the criterion
  /// A random motion within the limits at the samples; what random motions are compared with. Throws
  /// InputError where none is found.
  Eigen::VectorXd random_motion(std::uint64_t seed, int number) const;
  /// Where a search ends; `result.x` is empty where it fails.
  Outcome solve(int k, const SearchOptions& options, const std::function<bool()>& stop) const;
  /// From `begin` on, with the criterion hardly smoothed; `begin` itself where that gains nothing.
  Outcome polish(const Outcome& begin, const std::function<bool()>& stop) const;
  /// Throws InputError where every start fails. Without any start that ended (an interrupt, or a rank that
  /// serves another) the design is empty.
  ArmDesign design(WorkerPool& pool, const SearchOptions& options = {}) const;
  /// A motion judged: dry friction by its sign, not smoothed; `fine` times as many instants.
  ArmDesign check_under(const Eigen::VectorXd& x) const;

  /// What a search minimises: the criterion, smoothed, with the barrier of the limits that are not linear. One
  /// per thread, and none longer than the designer.
  std::unique_ptr<solve::Objective> objective() const;

  static constexpr int fine = 10;

 private:
  std::shared_ptr<const internal::ArmFrame> frame_;
};

}  // namespace fathom::excite
