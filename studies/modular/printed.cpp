// What the rigid constraint does as Nielsen 2019 prints it: eqs. 3.58, 3.61, 3.68 and 3.69, term by term.
#include <array>
#include <numbers>

#include "fathom/assembly/udwadia_kalaba.hpp"
#include "fathom/base/constants.hpp"
#include "fathom/geometry/rotation.hpp"

#include "studies/modular/coupled_robots.hpp"
#include "studies/modular/parts.hpp"

namespace fathom::studies {
namespace {

using dynamics::State;
using Mat43 = Eigen::Matrix<double, 4, 3>;
using Vec4 = Eigen::Vector4d;  // quaternions as the thesis has them, scalar first

Vec4 scalar_first(const Quat& q) { return {q.w(), q.x(), q.y(), q.z()}; }

/// T_q with q' = T_q omega_b (eq. 2.16); linear in q, so that T of q' is T'.
Mat43 printed_T(const Vec4& q) {
  Mat43 T;
  T.row(0) = -q.tail<3>().transpose();
  T.bottomRows<3>() = q[0] * Mat3::Identity() + skew(q.tail<3>());
  return 0.5 * T;
}

/// Eq. 3.65, linear in q too.
Eigen::Matrix<double, 3, 4> printed_H_bar(const Vec4& q) {
  Eigen::Matrix<double, 3, 4> H;
  H << -q.tail<3>(), q[0] * Mat3::Identity() + skew(q.tail<3>());
  return H;
}

/// Eq. 3.66: q_A (x) q_B* = G_B q_A = G_A q_B; sign is + for G_B, - for G_A.
Eigen::Matrix4d printed_G(const Vec4& q, double sign) {
  Eigen::Matrix4d G;
  G << q.transpose(), sign * printed_H_bar(q);
  return G;
}

/// Which rows are as printed.
struct Printed {
  bool position = true;  ///< eq. 3.61, whose angular columns lack the rotation
  bool attitude = true;  ///< eqs. 3.68 and 3.69, which hold R_A R_B' where R_A' R_B is what is rigid
};

/// Rows 0 to 2, eqs. 3.61 and 3.62, of the point `middle_A` of A and its image in B.
void put_printed_position(const std::array<State, 2>& states, const Vec3& point_n,
                          assembly::ConstraintRows& rows) {
  for (std::size_t k = 0; k < 2; ++k) {
    const double sign = k == 0 ? 1 : -1;
    const Vec3 arm_n = point_n - states[k].p_nb_n;
    const auto at = static_cast<Eigen::Index>(6 * k);
    rows.Phi.block<3, 3>(0, at + 3) = -sign * skew(arm_n);
  }
}

/// Four rows in place of rows 3 to 5.
void put_printed_attitude(const std::array<State, 2>& states, assembly::ConstraintRows& rows) {
  const Vec4 q_A = scalar_first(states[0].q_nb), q_B = scalar_first(states[1].q_nb);
  const Vec3 w_A = states[0].nu_b.tail<3>(), w_B = states[1].nu_b.tail<3>();
  const Mat43 T_A = printed_T(q_A), T_B = printed_T(q_B);
  const Vec4 rate_A = T_A * w_A, rate_B = T_B * w_B;
  const Eigen::Matrix4d G_A = printed_G(q_A, -1), G_B = printed_G(q_B, 1);
  rows.Phi.conservativeResize(7, 12);
  rows.b.conservativeResize(7);
  rows.Phi.bottomRows<4>().setZero();
  rows.Phi.block<4, 3>(3, 3) = G_B * T_A;
  rows.Phi.block<4, 3>(3, 9) = G_A * T_B;
  rows.b.tail<4>() =
      -G_A * printed_T(rate_B) * w_B - (G_B * printed_T(rate_A) + 2 * printed_G(rate_B, 1) * T_A) * w_A;
}

/// Two vehicles under such rows and nothing that takes drift away. The state is q (x y z w), p and nu of each.
class PrintedPair : public simulate::Ode {
 public:
  PrintedPair(const model::Robot& robot, double length, double surge_on_A, Printed printed)
      : vehicle_(robot),
        link_{0, 1, {Quat::Identity(), Vec3(0, length / 2, 0)}},
        surge_(surge_on_A),
        printed_(printed) {}

  Eigen::Index size() const override { return 26; }
  void derivative(double, const Eigen::VectorXd& x, Eigen::VectorXd& dx) const override {
    const std::array<State, 2> states = {state(x, 0), state(x, 1)};
    const std::array<Mat6, 2> M = {vehicle_.M(), vehicle_.M()};
    const std::array<Vec6, 2> alone = {dynamics::forward_dynamics(vehicle_, states[0], surge_ * Vec6::Unit(0)),
                                       dynamics::forward_dynamics(vehicle_, states[1], Vec6::Zero())};
    assembly::ConstraintRows rows = assembly::rigid_rows(states, std::span(&link_, 1));
    const Vec3 point_n = states[0].p_nb_n + states[0].q_nb * link_.frame_a.p_pc_p;
    if (printed_.position) put_printed_position(states, point_n, rows);
    if (printed_.attitude) put_printed_attitude(states, rows);
    const assembly::ConstrainedMotion motion = assembly::udwadia_kalaba(M, alone, rows);
    for (std::size_t k = 0; k < 2; ++k) {
      const auto at = static_cast<Eigen::Index>(13 * k);
      dx.segment<4>(at) = quaternion_rate(states[k].q_nb, states[k].nu_b.tail<3>());
      dx.segment<3>(at + 4) = states[k].q_nb * states[k].nu_b.head<3>();
      dx.segment<6>(at + 7) = motion.nu_dot[k];
    }
  }
  void project(Eigen::VectorXd& x) const override {
    x.segment<4>(0).normalize();
    x.segment<4>(13).normalize();
  }
  static State state(const Eigen::VectorXd& x, Eigen::Index k) {
    State s;
    s.q_nb.coeffs() = x.segment<4>(13 * k);
    s.p_nb_n = x.segment<3>(13 * k + 4);
    s.nu_b = x.segment<6>(13 * k + 7);
    return s;
  }

 private:
  dynamics::Vehicle vehicle_;
  assembly::Link link_;
  double surge_;
  Printed printed_;
};

struct Setup {
  static constexpr double length = 1, surge = 3, seconds = 2, step = 0.005;  // m, N, s, s
  static Quat relative() { return exp_rotation({std::numbers::pi / 2, 0, 0}); }
  /// Degrees that the attitude of B seen from A has moved.
  static double drift(const State& a, const State& b) {
    return degrees * log_rotation(relative().conjugate() * a.q_nb.conjugate() * b.q_nb).norm();
  }
};

/// What rows have undone after two seconds, or when the vehicles had come apart.
struct Undone {
  double angle;       // degrees
  double apart_from;  // s, when the middle of the rod is at two places 10 cm apart; infinite if never
};

Undone undone_by(const model::Robot& robot, Printed printed) {
  const PrintedPair pair(robot, Setup::length, Setup::surge, printed);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(pair.size());
  x.segment<4>(0) = Quat::Identity().coeffs();
  x.segment<4>(13) = Setup::relative().coeffs();
  x[13 + 5] = Setup::length;
  simulate::RungeKutta4 integrator(pair.size());
  const Vec3 middle_A(0, Setup::length / 2, 0), middle_B = Setup::relative().conjugate() * -middle_A;
  State a = PrintedPair::state(x, 0), b = PrintedPair::state(x, 1);
  for (double t = 0; t < Setup::seconds - Setup::step / 2; t += Setup::step) {
    integrator.step(pair, t, Setup::step, x);
    a = PrintedPair::state(x, 0), b = PrintedPair::state(x, 1);
    const double gap = (a.p_nb_n + a.q_nb * middle_A - b.p_nb_n - b.q_nb * middle_B).norm();
    if (!(gap < 0.1)) return {Setup::drift(a, b), t + Setup::step};
  }
  return {Setup::drift(a, b), infinity};
}

}  // namespace

void study_printed_constraint(Study& study, const Host& host) {
  const model::Robot robot = host.robot("nielsen-table-3-3");
  study.set("printed.attitude", undone_by(robot, {false, true}).angle);
  study.set("printed.position", undone_by(robot, {true, false}).apart_from);
  study.set("printed.both", undone_by(robot, {true, true}).apart_from);
  study.set("printed.corrected", undone_by(robot, {false, false}).angle);
  CoupledRobots pair({{robot}, {robot, {Setup::relative(), Vec3(0, Setup::length, 0)}}});
  pair.plant(0).disturb(Setup::surge * Vec6::Unit(0));
  while (pair.time() < Setup::seconds - Setup::step / 2) pair.step(Setup::step);
  study.set("printed.ours", Setup::drift(pair.state(0), pair.state(1)));
  study.set("printed.step", degrees * pair.largest_drift().angle);
}

}  // namespace fathom::studies
