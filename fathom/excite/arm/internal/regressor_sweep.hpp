#pragma once
#include <span>
#include <vector>

#include "fathom/dynamics/arm_regressor.hpp"
#include "fathom/excite/arm/internal/water_rows.hpp"
#include "fathom/excite/arm/series.hpp"

namespace fathom::excite::internal {

/// The rows of dynamics::arm_regressor on a still base and the way back through them: for any weights Z of the
/// shape of Y, the derivative of <Z, Y> = sum_j z_j' y_j by the motion. Row j weighted by z_j is the effort of
/// joint j in an arm whose links have the numbers z_j, so one sweep from the tips to the base serves all
/// columns of a criterion at once; docs/arm-excitation.md eq. 4.
class RegressorSweep {
 public:
  /// `sign_speed`: sign(dq) of dry friction is tanh(dq / sign_speed) of each joint, so that there is a
  /// derivative; 0: as it is.
  RegressorSweep(const dynamics::Arm& arm, const dynamics::ArmColumns& columns, const Vec3& down_b,
                 std::vector<double> sign_speed);

  /// What the way back needs of one sample.
  struct Link {
    Mat3 R;         ///< R_pl
    Vec3 p;         ///< of the origin, in the parent's frame
    Vec3 w, alpha;  ///< angular velocity and its derivative
    Vec3 a;         ///< acceleration of the origin, less gravity
    Vec3 v, g;      ///< velocity of the origin, and gravity; only where there are columns of water
  };
  struct Sample {
    std::vector<double> q, dq, ddq;
    std::vector<Link> links;
    std::vector<MotorCurve> motors;
    std::vector<Vec6> twists;  ///< [link * n + joint], of one unit of speed of the joint
  };
  Sample sample() const;

  std::size_t columns() const { return count_; }
  /// `Y`: a row for each joint. The sample's q, dq, ddq are set by the caller.
  void rows(Sample& sample, Eigen::Ref<Eigen::MatrixXd> Y) const;
  /// Adds the derivative of <Z, Y> by q, dq, ddq at a sample that rows() has seen.
  void pull_back(const Sample& sample, const Eigen::Ref<const Eigen::MatrixXd>& Z, std::span<double> by_q,
                 std::span<double> by_dq, std::span<double> by_ddq) const;

 private:
  struct Adjoint;
  double sign_of(std::size_t joint, double dq) const;
  void place(Sample& sample) const;
  /// Velocity and gravity of a link that place() has turned.
  void place_in_water(Sample& sample, std::size_t i) const;
  void joint_row(const Sample& sample, std::size_t j, Eigen::Ref<Eigen::MatrixXd> Y) const;
  void joint_back(const Sample& sample, std::size_t j, const Eigen::Ref<const Eigen::MatrixXd>& Z,
                  std::span<double> by_q, std::span<double> by_dq, std::span<double> by_ddq) const;
  void link_back(const Sample& sample, std::size_t i, std::vector<Adjoint>& links, std::vector<Vec6>& twists,
                 std::span<double> by_q, std::span<double> by_dq, std::span<double> by_ddq) const;
  void water_row_back(const Sample& sample, std::size_t i, std::size_t j,
                      const Eigen::Ref<const Eigen::MatrixXd>& Z, Adjoint& link, Vec6& twist) const;
  void link_back_in_water(const Sample& sample, std::size_t i, std::vector<Adjoint>& links,
                          std::span<double> by_q, std::span<double> by_dq) const;

  const dynamics::Arm* arm_;
  dynamics::ArmColumns columns_;
  std::size_t count_;
  Eigen::Index rigid_, water_;  // numbers of a link
  std::vector<std::size_t> joint_begin_;
  Vec3 gravity_b_;  // less it, the acceleration of a base that is held up
  std::vector<double> sign_speed_;
};

}  // namespace fathom::excite::internal
