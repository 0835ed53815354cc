#pragma once
#include <string>
#include <vector>

#include "fathom/identify/vehicle/estimator_choice.hpp"

namespace fathom::identify::internal {

/// Which samples of a regression are held out together, and by which blocks estimates are compared.
struct HeldOut {
  struct Sample {
    std::size_t recording, fold, block;
    int part;  ///< of a fold: 0 and 2 are next to another fold of time, 1 is between
    double t;  ///< s
  };
  std::vector<Sample> samples;
  std::size_t folds = 0, blocks = 0;
  bool whole_logs = false;
  std::string why_not;  ///< where nothing can be held out
};

/// Cuts the samples of a fit; docs/identification.md, "Which estimator".
HeldOut held_out(const Regression& regression, const Fit& fit, const EstimatorChoiceOptions& how);

/// Z'A, Z'y and y'y: for least squares Z is A.
struct Normal {
  Eigen::MatrixXd G;
  Eigen::VectorXd b;
  double c = 0;

  explicit Normal(Eigen::Index n) : G(Eigen::MatrixXd::Zero(n, n)), b(Eigen::VectorXd::Zero(n)) {}
  void add(const Normal& other);
};

/// Sums of normal equations by fold.
class FoldSums {
 public:
  FoldSums(const HeldOut& plan, Eigen::Index unknowns);

  /// Calls take(sum, begin, end) for those of `count` samples from `first` on that belong to one sum; begin and
  /// end count from `first`.
  template <class Take>
  void for_runs(Eigen::Index first, Eigen::Index count, const Take& take) {
    for (Eigen::Index begin = 0; begin < count;) {
      const std::size_t part = part_of(first + begin);
      Eigen::Index end = begin + 1;
      while (end < count && part_of(first + end) == part) ++end;
      take(parts_[part], begin, end);
      begin = end;
    }
  }
  /// Returns the sum of all folds but one, without the samples whose windows reach into it.
  Normal without(std::size_t held_out) const;
  Normal all() const;

 private:
  std::size_t part_of(Eigen::Index sample) const {
    const HeldOut::Sample& at = plan_.samples[static_cast<std::size_t>(sample)];
    return at.fold * 3 + static_cast<std::size_t>(at.part);
  }

  const HeldOut& plan_;
  std::vector<Normal> parts_;
  Eigen::Index n_;
};

}  // namespace fathom::identify::internal
