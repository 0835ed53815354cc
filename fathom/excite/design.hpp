#pragma once
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
  /// The multi-sine that the criterion ranks best of `multisines`; no x where none fits the limits.
  Multisine best_multisine(std::uint64_t seed) const;
  /// The path that a start leads to: 0 begins at the best multi-sine, the others at random paths. It ends at no
  /// worse criterion than it begins with.
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
  Outcome polished(const Outcome& outcome, const DesignOptions& options) const;
  /// Moved towards the inner path until limits hold at the samples; nothing where they never do.
  std::optional<Eigen::VectorXd> pulled_inside(const Eigen::VectorXd& x, double share, Workspace& work) const;
  /// Limits hold on the dense grid, between the samples.
  bool is_inside_between(const Eigen::VectorXd& x) const;

  Problem problem_;
  Bounds bounds_;
  Eigen::VectorXd inner_, central_;
  struct Pool;
  std::unique_ptr<Pool> pool_;  // workspaces that no thread uses just now
};

}  // namespace fathom::excite
