#pragma once
#include <span>
#include <string>
#include <vector>

#include "fathom/dynamics/arm.hpp"
#include "fathom/dynamics/regressor.hpp"

namespace fathom::dynamics {

/// Which numbers of links and joints a regressor has columns for: link by link, then joint by joint, each in
/// this order.
struct ArmColumns {
  bool rigid = true;        ///< m, m r_g, inertia about the link's origin: 10
  bool buoyancy = false;    ///< rho V, rho V r_b: 4
  bool added_mass = false;  ///< at the link's origin: 21
  bool drag = false;        ///< diagonals at the link's origin, linear and quadratic: 12
  bool viscous = false;
  enum class Coulomb { none, symmetric, by_direction } coulomb = Coulomb::none;
  bool offset = false;  ///< a constant effort, such as the zero of a sensor of current
  bool motor = false;   ///< inertia, viscous and dry friction of the motors of joints that have one

  std::size_t per_link() const;
  /// Of a joint, with or without a motor.
  std::size_t per_joint(bool has_motor) const;
};
std::size_t column_count(const Arm& arm, const ArmColumns& columns);
/// Where the columns of link or joint `k` begin.
std::size_t link_begin(const ArmColumns& columns, std::size_t k);
std::size_t joint_begin(const Arm& arm, const ArmColumns& columns, std::size_t k);

/// Returns the arm's own values of the parameters that `columns` has, in their order, named after links and
/// joints (`link.m`, `joint.viscous`); groups count links and joints from `first` + 1. Throws InputError where
/// `columns` has drag and an element of the arm's is not diagonal at its link's origin.
model::ParameterVector arm_parameters(const model::Arm& arm, const model::Environment& environment,
                                      const ArmColumns& columns, std::size_t first = 0);

/// The arm with drag as the columns have it: of each link whose elements are displaced, turned or coupled, what
/// they oppose to each component of the twist at the link's origin alone. `changed` gets these links' names.
model::Arm with_drag_at_origins(const model::Arm& arm, std::vector<std::string>* changed = nullptr);

/// Regressor of an arm on a base that may move: efforts that the transmissions give to the joints, and the
/// wrench that the base gives to the arm where it is measured.
///
/// Columns of drag are diagonal at the links' origins: the nominal arm is that of with_drag_at_origins, and
/// left_out() names the links that this changes.
class ArmRegressor final : public Regressor {
 public:
  struct Options {
    Medium medium = Medium::water;
    bool base_wrench = false;  ///< six rows more, below those of the joints
    std::size_t first = 0;     ///< links and joints of other arms, counted before these in the groups
  };
  ArmRegressor(const model::Arm& arm, const model::Environment& environment, const ArmColumns& columns,
               const Options& options);
  ArmRegressor(const model::Arm& arm, const model::Environment& environment, const ArmColumns& columns)
      : ArmRegressor(arm, environment, columns, Options()) {}

  const model::Arm& nominal() const { return nominal_; }
  const ArmColumns& columns_of() const { return which_; }

 private:
  void fill_rows(const MotionBatch& motion, Eigen::Ref<Eigen::MatrixXd> Y) const override;

  model::Arm nominal_;
  ArmColumns which_;
  Arm arm_;
  bool base_wrench_;
};

/// Y of a single motion: Y theta are the efforts that the transmissions give to the joints: links, friction and
/// motors; docs/arms.md eqs. 10 to 12. Zero where a joint does not carry a link. `Y` has a row for each joint
/// and the size of column_count.
void arm_regressor(const Arm& arm, const ArmColumns& columns, const Motion& base, std::span<const double> q,
                   std::span<const double> dq, std::span<const double> ddq, ArmWorkspace& workspace,
                   Eigen::Ref<Eigen::MatrixXd> Y);
/// The six rows of the wrench that the base gives to the arm. Joints have no share in it.
void base_regressor(const Arm& arm, const ArmColumns& columns, const Motion& base, std::span<const double> q,
                    std::span<const double> dq, std::span<const double> ddq, ArmWorkspace& workspace,
                    Eigen::Ref<Eigen::MatrixXd> Y);

}  // namespace fathom::dynamics
