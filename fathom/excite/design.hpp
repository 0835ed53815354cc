#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fathom/excite/accuracy.hpp"
#include "fathom/excite/bounds.hpp"
#include "fathom/excite/path_limits.hpp"
#include "fathom/excite/search.hpp"
#include "fathom/trajectory/bezier.hpp"

namespace fathom::excite {

struct Design {
  trajectory::Bezier path;                 ///< six coordinates: x y z roll pitch yaw
  solve::InteriorPointResult certificate;  ///< of the best start
  std::vector<Start> starts;               ///< those that ended, by number
  int best = 0;                            ///< number of the best start
  std::vector<double> history;             ///< criterion by iteration of the best start
  std::vector<std::string> notes;          ///< what went wrong on the way: ranks that died, starts cut short
  bool interrupted = false;
};

struct DesignOptions : SearchOptions {
  solve::InteriorPointOptions solver = {};
};

/// A problem made ready: bounds over the free numbers of the path, an inner path, checks that every parameter
/// can be seen. Threads share it.
class Designer {
 public:
  /// Throws InputError for limits in conflict, limits that rest breaks, and parameters that no motion shows.
  explicit Designer(const Problem& problem);
  ~Designer();
  Designer(const Designer&) = delete;
  Designer& operator=(const Designer&) = delete;

  const Problem& problem() const { return problem_; }
  const Bounds& bounds() const { return bounds_; }
  /// A path strictly inside all limits: as near to standing still as they allow.
  const Eigen::VectorXd& inner() const { return inner_; }
  trajectory::Bezier path(const Eigen::VectorXd& x) const;

  /// A random path strictly inside all limits; `number` names the random stream.
  Eigen::VectorXd random_path(std::uint64_t seed, int number) const;
  /// A multi-sine strictly inside all limits, with its criterion.
  struct Multisine {
    Eigen::VectorXd x;
    double criterion = infinity;
  };
  static constexpr int multisines = 20;
  /// Returns those of `multisines` that fit the limits, the best by the criterion first. Keeps them: the next
  /// call with this seed costs nothing. `stop` is asked before each; where it ends the work there are none.
  std::vector<Multisine> ranked_multisines(std::uint64_t seed, const std::function<bool()>& stop = {}) const;
  /// How many of `starts` begin at multi-sines: half, at most four.
  static int multisine_starts(int starts) { return std::min((starts + 1) / 2, 4); }
  /// The path that a start leads to: the first begin at the best multi-sines, each at its own, the others at
  /// random paths. It ends at no worse criterion than it begins with, unless the beginning breaks a limit
  /// between the samples.
  Outcome solve(int number, const DesignOptions& options, const std::function<bool()>& stop) const;

  /// Best of problem().starts beginnings, run on the pool: never worse than the best multi-sine.
  Design design(WorkerPool& pool, const DesignOptions& options = {}) const;

 private:
  struct Workspace;
  struct Loan;
  void check_excitable() const;
  void find_inner();
  /// Minimizes from an inner path; where a limit that is not linear breaks between samples, again, with all of
  /// them closer: docs/excitation.md eq. 24.
  void descend(const Eigen::VectorXd& from, const solve::InteriorPointOptions& options, Workspace& work,
               Outcome& outcome) const;
  /// A multi-sine drawn towards the inner path by no more than it takes to fit all limits.
  std::optional<Eigen::VectorXd> fitted(const Eigen::VectorXd& whole, Workspace& work) const;
  /// Where a start begins.
  Eigen::VectorXd beginning(int number, std::uint64_t seed, const std::function<bool()>& stop) const;
  /// The outcome at `first`, with a certificate of that path.
  void restore(const Eigen::VectorXd& first, const solve::InteriorPointOptions& options, Workspace& work,
               Outcome& outcome) const;
  Outcome polished(const Outcome& outcome, const DesignOptions& options) const;
  /// Moved towards the inner path until limits hold at the samples; nothing where they never do.
  std::optional<Eigen::VectorXd> pulled_inside(const Eigen::VectorXd& x, double share, Workspace& work) const;
  /// Limits hold on the dense grid, between the samples; true where all limits are linear.
  bool is_inside_between(const Eigen::VectorXd& x, Workspace& work) const;

  Problem problem_;
  Bounds bounds_;
  Eigen::VectorXd inner_, central_;
  struct Ranking;
  struct Pool;
  std::unique_ptr<Pool> pool_;  // workspaces that no thread uses just now
};

}  // namespace fathom::excite
