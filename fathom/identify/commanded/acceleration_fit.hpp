#pragma once
#include <array>
#include <string>
#include <vector>

#include "fathom/filter/zero_phase.hpp"
#include "fathom/geometry/types.hpp"
#include "fathom/identify/commanded/commanded_run.hpp"

namespace fathom::identify {

/// What an acceleration may depend on.
struct Instant {
  Vec6 nu_b = Vec6::Zero(), tau_b = Vec6::Zero();
  Vec3 down_b = Vec3::Zero();
};

/// One column of an acceleration; docs/identification.md eq. 30.
struct AccelerationTerm {
  enum class Kind {
    wrench,     ///< tau_i
    velocity,   ///< nu_i
    drag,       ///< |v| nu_i, with the speed |v| of translation
    own_drag,   ///< |nu_i| nu_i
    turning,    ///< -(omega x v)_i: what a body that keeps its course does in axes that turn
    product,    ///< nu_i nu_j
    restoring,  ///< down_b, i
    constant,   ///< 1
  } kind = Kind::constant;
  int i = 0, j = 0;

  bool operator==(const AccelerationTerm&) const = default;
  double value(const Instant& at) const;
  /// By which blurred series can be told apart that need not be made again, if only tau_b or the place of the
  /// velocity sensor change.
  bool is_linear_in_velocity() const { return kind == Kind::velocity; }
  bool depends_on_wrench_or_place() const;
  std::string name() const;  ///< "X", "|v| u", "v r"
};

/// Of each of u_dot .. r_dot; one without terms keeps its velocity.
using AccelerationTerms = std::array<std::vector<AccelerationTerm>, 6>;

/// nu_dot_i = a tau_i + b nu_i + c, each for itself: the baseline.
AccelerationTerms linear_terms();
/// Surge, sway, heave and yaw; roll and pitch keep their rates and count for nothing.
AccelerationTerms level_terms();
/// All six, with restoring moments and buoyancy.
AccelerationTerms full_terms();

struct AccelerationModel {
  AccelerationTerms terms;
  std::array<Eigen::VectorXd, 6> theta;  ///< by the terms

  Vec6 acceleration_b(const Instant& at) const;
  /// Of a term that the axis has: force per acceleration of it [kg] is 1 / coefficient(axis, wrench).
  /// Throws InputError where there is none.
  double coefficient(int axis, const AccelerationTerm& term) const;
  /// The same over the coefficient of the axis' own wrench: in N per unit of the term.
  double in_newton(int axis, const AccelerationTerm& term) const;
};

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
