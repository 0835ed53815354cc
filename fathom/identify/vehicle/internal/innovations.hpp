#pragma once
#include <vector>

#include <Eigen/Core>

namespace fathom::identify::internal {

/// What is new in each sample of a shot's residuals, r_t - A r_t-1, in sigmas: docs/identification.md eq. 21.
/// Where the model lacks a force, residuals remember it; and where a controller answers to that force, only
/// what is new in them is independent of the wrench (Ljung 1999, ch. 13).
class Innovations {
 public:
  /// A and the sigmas by least squares from the residuals of shots, a row for each velocity and a column for
  /// each sample. No sigma is above `most`: a velocity that is predicted badly would weigh nothing, and its
  /// equation be spent on the others.
  Innovations(const std::vector<Eigen::MatrixXd>& residuals, const Eigen::VectorXd& most);

  /// How many a shot of so many samples has, in rows: the first sample has none.
  Eigen::Index rows_of(Eigen::Index samples) const { return W_.rows() * (samples - 1); }
  /// `stacked`: samples below one another, in any number of columns.
  Eigen::MatrixXd of(const Eigen::Ref<const Eigen::MatrixXd>& stacked) const;

 private:
  Eigen::MatrixXd W_, W_A_;  // W'W is the inverse of their covariance
};

}  // namespace fathom::identify::internal
