// Analytic Jacobians of every measurement against numerical ones, over random states and mountings.
#include <gtest/gtest.h>

#include "fathom/base/derivative.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/geometry/test/random_geometry.hpp"
#include "fathom/sensing/attitude.hpp"
#include "fathom/sensing/dvl.hpp"
#include "fathom/sensing/imu.hpp"
#include "fathom/sensing/position.hpp"
#include "fathom/sensing/usbl.hpp"

namespace fathom::sensing::jacobian_test {
namespace {

using dynamics::State;
using dynamics::test::random_state;
using fathom::test::random_matrix;
using fathom::test::random_pose;

constexpr int repeats = 50;

/// The state moved by [dtheta, dp, dnu].
State moved(const State& state, const Eigen::VectorXd& x) {
  State result = state;
  result.q_nb = state.q_nb * exp_rotation(x.head<3>());
  result.p_nb_n += x.segment<3>(3);
  result.nu_b += x.segment<6>(6);
  return result;
}

template <class Measure>
void expect_jacobian(const Measure& measure, const Eigen::MatrixXd& analytic, double step = 0.02) {
  const DerivativeCheck check =
      check_derivative(measure, Eigen::VectorXd::Zero(analytic.cols()), analytic, step, 1e-8);
  EXPECT_TRUE(check.ok) << check.text();
}

class Jacobians : public testing::Test {
 protected:
  RandomStream random{1, "sensing jacobians"};
  Pose mount;
  State state;
  void next() {
    mount = random_pose(random);
    state = random_state(random);
    state.p_nb_n = random_matrix<Vec3>(random);
  }
};

TEST_F(Jacobians, Imu) {
  for (int k = 0; k < repeats; ++k) {
    next();
    const Vec6 nu_dot = random_matrix<Vec6>(random);
    const Vec3 gravity(0.1, -0.2, 9.81);
    AccelerationJacobian<6> jacobian;
    imu(mount, state, nu_dot, gravity, &jacobian);
    Eigen::MatrixXd analytic(6, 18);
    analytic << jacobian.all(), jacobian.by_nu_dot;
    expect_jacobian(
        [&](const Eigen::VectorXd& x) -> Eigen::VectorXd {
          const ImuReading reading = imu(mount, moved(state, x), nu_dot + Vec6(x.tail<6>()), gravity);
          return (Vec6() << reading.specific_force_c, reading.rate_c).finished();
        },
        analytic);
  }
}

TEST_F(Jacobians, DvlVelocityAndBeams) {
  for (int k = 0; k < repeats; ++k) {
    next();
    Jacobian<3> jacobian;
    dvl_velocity(mount, state, &jacobian);
    expect_jacobian(
        [&](const Eigen::VectorXd& x) -> Eigen::VectorXd { return dvl_velocity(mount, moved(state, x)); },
        jacobian.all());
    const std::array<double, 3> azimuths = {0.1, 2, 4};
    const Beams beams = k % 2 ? janus_beams(0.4) : tilted_beams(0.5, azimuths);
    BeamJacobian of_beams;
    beam_velocities(beams, mount, state, &of_beams);
    expect_jacobian(
        [&](const Eigen::VectorXd& x) -> Eigen::VectorXd {
          return beam_velocities(beams, mount, moved(state, x));
        },
        of_beams.all());
  }
}

TEST_F(Jacobians, BeamRanges) {
  int checked = 0;
  while (checked < repeats) {
    next();
    const Beams beams = janus_beams(0.5);
    BeamJacobian jacobian;
    const BeamVector ranges = beam_ranges(beams, mount, state, 8, &jacobian);
    if (ranges.maxCoeff() > 40) continue;  // a beam near the horizontal, where the range grows without bound
    ++checked;
    expect_jacobian(
        [&](const Eigen::VectorXd& x) -> Eigen::VectorXd {
          return beam_ranges(beams, mount, moved(state, x), 8) / 100;
        },
        jacobian.all() / 100, 0.002);
  }
}

TEST_F(Jacobians, DepthAndPosition) {
  for (int k = 0; k < repeats; ++k) {
    next();
    Jacobian<1> of_depth;
    depth(mount, state, &of_depth);
    expect_jacobian(
        [&](const Eigen::VectorXd& x) -> Eigen::VectorXd {
          return Eigen::VectorXd::Constant(1, depth(mount, moved(state, x)));
        },
        of_depth.all());
    Jacobian<3> of_position;
    position(mount, state, &of_position);
    expect_jacobian(
        [&](const Eigen::VectorXd& x) -> Eigen::VectorXd { return position(mount, moved(state, x)); },
        of_position.all());
  }
}

TEST_F(Jacobians, AttitudeAhrsAndHeading) {
  int checked = 0;
  while (checked < repeats) {
    next();
    Jacobian<3> of_attitude, of_ahrs;
    Jacobian<1> of_heading;
    const Quat q = attitude(mount, state, &of_attitude);
    const Vec3 rpy = ahrs(mount, state, &of_ahrs);
    if (std::abs(rpy.y()) > 1.3) continue;
    ++checked;
    EXPECT_EQ(heading(mount, state, &of_heading), rpy.z());
    expect_jacobian(
        [&](const Eigen::VectorXd& x) -> Eigen::VectorXd {
          return log_rotation(q.conjugate() * attitude(mount, moved(state, x)));
        },
        of_attitude.all());
    const auto turned = [&](const Eigen::VectorXd& x) -> Vec3 {
      const Vec3 angles = ahrs(mount, moved(state, x)) - rpy;
      return angles.unaryExpr(&wrap_angle);
    };
    expect_jacobian([&](const Eigen::VectorXd& x) -> Eigen::VectorXd { return turned(x); }, of_ahrs.all(),
                    0.005);
    expect_jacobian([&](const Eigen::VectorXd& x) -> Eigen::VectorXd { return turned(x).tail<1>(); },
                    of_heading.all(), 0.005);
  }
}

TEST_F(Jacobians, UsblAndItsInverse) {
  int checked = 0;
  while (checked < repeats) {
    next();
    const Pose transceiver = random_pose(random);
    Jacobian<3> jacobian;
    const UsblReading reading = usbl(mount, state, transceiver, &jacobian);
    if (reading.range < 0.5 || std::abs(reading.elevation) > 1.3) continue;
    ++checked;
    expect_jacobian(
        [&](const Eigen::VectorXd& x) -> Eigen::VectorXd {
          const UsblReading other = usbl(mount, moved(state, x), transceiver);
          return Vec3(other.range, wrap_angle(other.azimuth - reading.azimuth), other.elevation);
        },
        jacobian.all(), 0.005);
    Mat3 of_inverse;
    usbl_position(reading, transceiver, &of_inverse);
    expect_jacobian(
        [&](const Eigen::VectorXd& x) -> Eigen::VectorXd {
          return usbl_position({reading.range + x[0], reading.azimuth + x[1], reading.elevation + x[2]},
                               transceiver);
        },
        of_inverse);
  }
}

}  // namespace
}  // namespace fathom::sensing::jacobian_test
