#pragma once
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace fathom::identify {

/// The steady part of one run, as a number. Forces are those that the carriage needs: of the sign of the speed.
/// For a rotation read rad/s and N m.
struct TowedRun {
  std::string name;
  double speed = 0;                 ///< m/s, forward positive
  double force = 0;                 ///< N
  double variance = 0;              ///< N^2, of the mean and of its zero
  std::vector<double> shared = {};  ///< N, what one sigma of each error that all runs share does to this one
};

/// f(u) = c1 u + c2 |u| u.
struct DragLaw {
  Eigen::Vector2d c = Eigen::Vector2d::Zero();  ///< c1 in N s/m, c2 in N s^2/m^2
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();

  static Eigen::Vector2d basis(double u) { return {u, u * (u < 0 ? -u : u)}; }
  double force(double u) const { return basis(u).dot(c); }
};

/// Runs of one speed, fused (docs/tank-tests.md eqs. 3 and 4; Nielsen 2019, eqs. 5.17 and 5.18).
struct FusedPoint {
  double speed = 0, force = 0, sigma = 0;
  std::vector<std::size_t> runs = {};  ///< indices
};

/// A law with all that speaks for it.
struct DragFit {
  DragLaw law;                             ///< c1, c2 >= 0; covariance as if nothing held them there
  Eigen::Vector2d free_c = {0, 0};         ///< the same without that condition
  std::vector<std::string> at_bound = {};  ///< which of c1 and c2 it holds at 0
  std::vector<FusedPoint> points = {};     ///< in order of speed
  double misfit = 0;                       ///< N, by which points miss the law beyond their own sigmas
  double degrees = 0;                      ///< of freedom, of the sigmas
  double t95 = 0;                          ///< Student's, of an interval that holds 95 %

  /// N, by which the law is wrong at u: `misfit`, or what the points next to u show where that is more.
  double misfit_at(double u) const;
  double sigma(double u) const;                                 ///< N, of the drag at u: law's misfit and all
  double half_width(double u) const { return t95 * sigma(u); }  ///< N, of the 95 % band
  double half_width_of(int k) const;                            ///< of the 95 % interval of c1 (0) or c2 (1)
};

struct TowingOptions {
  double outlier_sigmas = 4;  ///< a run farther from the law is named and left out
  double same_speed = 0.02;   ///< share of a speed within which runs are fused
};

/// A run that does not go with the others.
struct TowingOutlier {
  std::size_t run = 0;
  double sigmas = 0;  ///< signed
};

struct TowingFit {
  std::vector<TowedRun> runs;           ///< as they were fitted: without the bracket
  std::vector<TowingOutlier> outliers;  ///< left out of all that follows
  double run_sigma = 0;                 ///< N, by which runs of one speed differ beyond their own variances
  DragFit all;
  std::optional<DragFit> forward, backward;  ///< where a direction has three speeds or more
  /// Of a difference between the directions as large, were there none; where both were fitted.
  std::optional<double> same_both_ways = {};
};

/// Drag from runs at several speeds. `bracket`, if any, is subtracted, and its covariance goes into that of the
/// law as an error that all runs share. Runs that miss a robust fit by more than `outlier_sigmas` are left out
/// and named. Throws InputError for fewer than three speeds, also once outliers are left out, numbers that are
/// not finite, a variance that is not above 0, or forces that oppose the speeds.
TowingFit fit_towing(std::vector<TowedRun> runs, const std::optional<DragLaw>& bracket = {},
                     const TowingOptions& options = {});

}  // namespace fathom::identify
