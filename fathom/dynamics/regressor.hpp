#pragma once
#include <string>
#include <vector>

#include "fathom/dynamics/vehicle.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::dynamics {

/// Motion of a robot at several samples: of its base, and of its joints where it has any.
struct MotionBatch {
  std::vector<Motion> base;                   ///< one per sample, or a single one that holds for all samples
  Eigen::MatrixXd q = {}, dq = {}, ddq = {};  ///< joints x samples [rad, m and their rates]

  Eigen::Index samples() const { return q.rows() > 0 ? q.cols() : static_cast<Eigen::Index>(base.size()); }
  const Motion& base_at(Eigen::Index k) const {
    return base[base.size() == 1 ? 0 : static_cast<std::size_t>(k)];
  }
};

/// Equations of motion that are linear in named parameters, tau = Y(motion) theta: those of a vehicle, of an
/// arm, and of a vehicle with arms.
///
/// Rows are filled batch by batch, so that the virtual call is paid once per batch. Immutable: threads share
/// it, and scratch memory belongs to the call.
class Regressor {
 public:
  /// A component of tau: surge force, effort of a joint, ...
  struct Row {
    std::string name, unit;
  };

  virtual ~Regressor() = default;

  /// Returns the parameters in the order of the columns, with the values of the nominal robot; NaN where the
  /// regressor was made without one.
  const model::ParameterVector& parameters() const { return parameters_; }
  Eigen::Index columns() const { return static_cast<Eigen::Index>(parameters_.size()); }
  /// Returns the rows of one sample.
  const std::vector<Row>& rows() const { return rows_; }
  Eigen::Index row_count() const { return static_cast<Eigen::Index>(rows_.size()); }
  std::size_t joints() const { return joints_; }
  /// Returns what the nominal robot has and the parameters cannot hold, by name. Empty where Y theta reproduces
  /// its inverse dynamics.
  const std::vector<std::string>& left_out() const { return left_out_; }

  /// Fills the rows of all samples, those of the first one on top. Throws InputError where sizes do not fit.
  void fill(const MotionBatch& motion, Eigen::Ref<Eigen::MatrixXd> Y) const;
  Eigen::MatrixXd at(const MotionBatch& motion) const;

 protected:
  static Row wrench_row(int index);  ///< of [X Y Z K M N]

  // Whoever derives fills these in.
  model::ParameterVector parameters_;
  std::vector<Row> rows_;
  std::size_t joints_ = 0;
  std::vector<std::string> left_out_;

 private:
  /// Sizes are those that fill() has checked.
  virtual void fill_rows(const MotionBatch& motion, Eigen::Ref<Eigen::MatrixXd> Y) const = 0;
};

/// Regressor of a vehicle: the terms of a structure on its free velocities.
class VehicleRegressor final : public Regressor {
 public:
  /// Without a nominal robot.
  explicit VehicleRegressor(const model::Structure& structure);
  VehicleRegressor(const model::Structure& structure, const model::Robot& robot,
                   const model::Environment& environment);

  const model::Structure& structure() const { return structure_; }

 private:
  void fill_rows(const MotionBatch& motion, Eigen::Ref<Eigen::MatrixXd> Y) const override;

  model::Structure structure_;
};

/// Current::convective_n is left out: it acts on the displaced mass alone, which is no parameter of its own.
Motion motion_of(const State& state, const Vec6& nu_dot_b, const model::Environment& environment,
                 const Current& current = {});

/// Y of a single motion, for kernels that know their structure: tau the rows of its free velocities and theta
/// its parameters in order; docs/model.md eqs. 16 to 18. `Y` must be (number of free velocities) x (number of
/// terms). Does not allocate.
void regressor(const model::Structure& structure, const Motion& motion, Eigen::Ref<Eigen::MatrixXd> Y);
Eigen::MatrixXd regressor(const model::Structure& structure, const Motion& motion);

/// d nu_dot / d theta = -M^-1 Y at the motion that forward_dynamics gives; docs/model.md eq. 21. 6 x terms.
Eigen::MatrixXd forward_dynamics_by_parameters(const Vehicle& vehicle, const State& state, const Vec6& tau_b,
                                               const model::Structure& structure, const Current& current = {});

}  // namespace fathom::dynamics
