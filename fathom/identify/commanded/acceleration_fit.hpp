#pragma once
#include <vector>

#include "fathom/filter/zero_phase.hpp"
#include "fathom/identify/commanded/acceleration_model.hpp"
#include "fathom/identify/commanded/commanded_run.hpp"

namespace fathom::identify {

struct AccelerationOptions {
  double blur = 0.4;      ///< s, of the Gaussian that both sides see
  double row_step = 0.2;  ///< s; half of the blur: rows that are nearer say nothing new
};

/// Both sides of nu_dot = sum theta_k term_k behind the blur, a row per column.
struct BlurredRows {
  Eigen::MatrixXd terms;  ///< h * term, those of BlurredRun::distinct
  Mat6X rates_b;          ///< h' * nu_b
};

/// One run for terms of one kind. What no supposition about the commands' path and the sensor's place changes
/// is blurred once. Keeps a reference to the run; threads may share it.
class BlurredRun {
 public:
  BlurredRun(const CommandedRun& run, const AccelerationTerms& terms, const AccelerationOptions& options = {});
  BlurredRun(const CommandedRun&& run, const AccelerationTerms& terms,
             const AccelerationOptions& options = {}) = delete;

  const CommandedRun& run() const { return *run_; }
  const AccelerationTerms& terms() const { return terms_; }
  /// Every term that some axis has, once; and which of them an axis has.
  const std::vector<AccelerationTerm>& distinct() const { return distinct_; }
  const std::vector<Eigen::Index>& of_axis(int axis) const { return of_axis_[static_cast<std::size_t>(axis)]; }
  Eigen::Index rows() const { return rates_c_.cols(); }
  Eigen::Index row_step() const { return step_; }    ///< samples from row to row
  const Mat6X& rates_c() const { return rates_c_; }  ///< h' * nu_c, where the sensor is

  /// `tau_b` on the run's grid; `p_bc_b` is the place of the velocity sensor.
  BlurredRows rows_at(const Mat6X& tau_b, const Vec3& p_bc_b) const;

 private:
  void list_distinct();
  Eigen::MatrixXd series(const std::vector<std::size_t>& which, const Mat6X& nu_b, const Mat6X& tau_b) const;

  const CommandedRun* run_;
  AccelerationTerms terms_;
  filter::Gaussian gaussian_;
  Eigen::Index step_;
  std::vector<AccelerationTerm> distinct_;
  std::array<std::vector<Eigen::Index>, 6> of_axis_;
  std::vector<std::size_t> varying_, fixed_;  // of distinct_; the others are velocities
  Mat6X velocities_c_, rates_c_;              // h * nu_c, h' * nu_c
  Eigen::MatrixXd fixed_rows_;
};

/// Sums over rows that a fit and its residuals need: memory and work after them do not grow with the log.
class AccelerationSums {
 public:
  /// Keeps a reference to the first run.
  void add(const BlurredRun& run, const BlurredRows& rows);
  void add(const BlurredRun&& run, const BlurredRows& rows) = delete;
  /// What another of the same terms has; the run that it began with must live on.
  void add(const AccelerationSums& other);
  Eigen::Index rows() const { return rows_; }
  /// Least squares with a small ridge on columns scaled to rms 1, axis by axis; docs/identification.md eq. 31.
  /// Throws InputError for a term that is zero throughout: such runs do not show it.
  AccelerationModel fit() const;
  /// 1 - R2 of each acceleration as the sensor at `p_bc_b` has it.
  Vec6 unexplained(const AccelerationModel& model, const Vec3& p_bc_b) const;

 private:
  const BlurredRun* first_ = nullptr;
  Eigen::Index rows_ = 0;
  Eigen::MatrixXd gram_, moments_;  // terms terms', terms rates'
  Mat6 rates_ = Mat6::Zero();       // rates rates'
  Vec6 mean_ = Vec6::Zero();        // sum of rates
};

/// H with nu_c = H nu_b for a sensor at p_bc_b with the body's axes.
Mat6 twist_at(const Vec3& p_bc_b);

}  // namespace fathom::identify
