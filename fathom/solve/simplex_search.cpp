#include "fathom/solve/simplex_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "fathom/base/error.hpp"

namespace fathom::solve {
namespace {

struct Corner {
  Eigen::VectorXd x;
  double value = 0;
};

class Simplex {
 public:
  Simplex(const std::function<double(const Eigen::VectorXd&)>& function, const Eigen::MatrixXd& corners,
          const SimplexOptions& options)
      : function_(function), options_(options) {
    for (Eigen::Index k = 0; k < corners.cols(); ++k) corners_.push_back(at(corners.col(k)));
    sort();
  }

  SimplexResult search() {
    bool is_small = is_converged();
    while (!is_small && has_evaluations()) {
      step();
      sort();
      is_small = is_converged();
    }
    return {corners_.front().x, corners_.front().value, evaluations_, is_small};
  }

 private:
  bool has_evaluations() const { return evaluations_ < options_.evaluations; }

  Corner at(const Eigen::VectorXd& x) {
    ++evaluations_;
    const double value = function_(x);
    if (std::isnan(value)) reject("simplex_search", "met a value that is not a number", "infinity is allowed");
    return {x, value};
  }

  void sort() {
    std::stable_sort(corners_.begin(), corners_.end(),
                     [](const Corner& a, const Corner& b) { return a.value < b.value; });
  }

  bool is_converged() const {
    return std::all_of(corners_.begin() + 1, corners_.end(), [&](const Corner& corner) {
      return (corner.x - corners_.front().x).cwiseAbs().maxCoeff() <= options_.x_tolerance &&
             corner.value - corners_.front().value <= options_.value_tolerance;
    });
  }

  /// Lagarias et al. 1998, section 2.
  void step() {
    Eigen::VectorXd centre = Eigen::VectorXd::Zero(corners_.front().x.size());
    for (std::size_t k = 0; k + 1 < corners_.size(); ++k) centre += corners_[k].x;
    centre /= static_cast<double>(corners_.size() - 1);
    Corner& worst = corners_.back();
    const auto along = [&](double share) { return at(centre + share * (centre - worst.x)); };
    Corner reflected = along(1);
    if (reflected.value < corners_.front().value) {
      Corner expanded = has_evaluations() ? along(2) : reflected;
      worst = expanded.value < reflected.value ? std::move(expanded) : std::move(reflected);
    } else if (reflected.value < corners_[corners_.size() - 2].value || !has_evaluations()) {
      if (reflected.value < worst.value) worst = std::move(reflected);
    } else {
      const bool outside = reflected.value < worst.value;
      Corner contracted = along(outside ? 0.5 : -0.5);
      if (outside ? contracted.value <= reflected.value : contracted.value < worst.value)
        worst = std::move(contracted);
      else
        shrink();
    }
  }

  void shrink() {
    for (std::size_t k = 1; k < corners_.size() && has_evaluations(); ++k)
      corners_[k] = at(corners_.front().x + 0.5 * (corners_[k].x - corners_.front().x));
  }

  const std::function<double(const Eigen::VectorXd&)>& function_;
  SimplexOptions options_;
  std::vector<Corner> corners_;
  int evaluations_ = 0;
};

}  // namespace

SimplexResult simplex_search(const std::function<double(const Eigen::VectorXd&)>& function,
                             const Eigen::MatrixXd& corners, const SimplexOptions& options) {
  if (corners.rows() < 1 || corners.cols() != corners.rows() + 1 || !corners.allFinite())
    reject("simplex_search.corners",
           fmt::format("are {} of {} numbers, must be one more than those, all finite", corners.cols(),
                       corners.rows()));
  if (options.evaluations <= corners.cols())
    reject("simplex_search.evaluations",
           fmt::format("= {}, must be more than the {} corners", options.evaluations, corners.cols()));
  return Simplex(function, corners, options).search();
}

}  // namespace fathom::solve
