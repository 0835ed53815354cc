#pragma once
#include <list>
#include <optional>
#include <vector>

#include "fathom/filter/internal/attitude_model.hpp"
#include "fathom/filter/internal/series.hpp"
#include "fathom/filter/track.hpp"

namespace fathom::filter::internal {

/// What one relation between sensors says of some constant errors: half the sum of its squared residuals is
/// 1/2 d' H d + g' d for a change d of those errors.
struct Information {
  std::vector<Eigen::Index> which;  ///< places in the vector of all constant errors
  Eigen::MatrixXd H;
  Eigen::VectorXd g;
};

/// A relation, and what it says; nothing where it was left out.
struct FoundRelation {
  Relation relation;
  std::optional<Information> information;
};

/// Estimates the constant errors of all sensors of a log, with a Gaussian prior: docs/filters.md eqs. 27 to 31.
///
/// An attitude has four errors, R_measured = Rz(heading) R_nb Exp(e); a rate has the three of its misalignment,
/// omega_measured = Exp(m) omega + bias; to a velocity, a position, a depth and a specific force one is added
/// in each row. An error without a prior sigma stays zero.
class ConstantErrors {
 public:
  explicit ConstantErrors(const Measurements& measurements);

  /// Returns true if no error could differ from zero.
  bool empty() const { return L_.isZero(0); }
  /// Returns the place of the first error of a series, in the vector of all.
  Eigen::Index place(Kind kind, std::size_t number) const;
  /// Returns the attitude series with the smallest prior sigma: the track's attitude is in its axes.
  std::size_t reference() const { return reference_; }

  const Eigen::VectorXd& value() const { return value_; }
  const Eigen::MatrixXd& covariance() const { return covariance_; }
  /// Returns the covariance of the given errors.
  Eigen::MatrixXd covariance(const std::vector<Eigen::Index>& which) const { return covariance_(which, which); }

  /// Adds what relations say, linearised at the present value, and moves the value to the new mean. They are
  /// forgotten again unless they are to be kept.
  void add(const std::vector<Information>& relations, bool keep = true);

  /// Takes the present errors out of what the series say; `store` holds the values, and must outlive them.
  void correct(std::vector<Series>& series, std::list<Eigen::MatrixXd>& store) const;
  /// Turns a track of the attitude by the change of the reference's error since `before`.
  void turn(AttitudeTrack& track, const Eigen::VectorXd& before) const;

  /// Returns the errors that have a prior.
  std::vector<ConstantError> report() const;
  /// Returns the standard deviations about the axes of b of what is left of the attitude's error.
  Vec3 attitude_sigma_b(const AttitudeTrack& track) const;

 private:
  struct Part {
    Kind kind;
    std::size_t number;
    Eigen::Index at, size;
  };
  const Part& part(Kind kind, std::size_t number) const;

  std::vector<Part> parts_;
  std::size_t reference_ = 0;
  Eigen::MatrixXd L_;  // of the prior covariance L L'
  Eigen::MatrixXd H_;
  Eigen::VectorXd b_;  // of the information form: mean = (prior^-1 + H)^-1 b
  Eigen::VectorXd value_;
  Eigen::MatrixXd covariance_;
};

/// Relates attitudes to each other, and to the angles that gyros add up to.
std::vector<FoundRelation> attitude_relations(const std::vector<Series>& turning, const ConstantErrors& errors);

/// Relates velocities that are added up to depths and positions, specific forces to velocities, and depths to
/// positions, with the attitude known. The present errors have been taken out of the series.
std::vector<FoundRelation> motion_relations(const std::vector<Series>& moving,
                                            const std::vector<Series>& forces, const AttitudeTrack& attitude,
                                            const ConstantErrors& errors);

}  // namespace fathom::filter::internal
