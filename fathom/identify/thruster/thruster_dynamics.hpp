#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

namespace fathom::identify {

/// One steady point of a bench: signed voltage, thrust and shaft speed as measured.
struct SteadyPoint {
  double volts = 0, thrust = 0, speed = 0;  ///< V, N, rad/s; magnitudes count
};

/// What the steady points of one side say: |n| = gain |V| + offset, |T| = c2 n^2 + c3 n^3.
struct SteadySide {
  double gain = 0, offset = 0;  ///< rad/s per V, rad/s
  double c2 = 0, c3 = 0;        ///< N s^2, N s^3
  double speed(double volts) const;
  double thrust_factor(double n) const { return c2 + c3 * n; }  ///< T / n^2
  double edge() const { return -offset / gain; }                ///< V, where the shaft begins to turn
};
struct SteadyLaws {
  SteadySide forward, reverse;
  /// N, root of the mean square of points left out one by one, of thrust over n^2; n and n^2; n^2 and n^3.
  std::array<double, 3> left_out_error{};
};
/// Throws InputError for fewer than 3 points on a side, numbers that are not finite, or speeds that do not
/// rise.
SteadyLaws fit_steady_laws(const std::vector<SteadyPoint>& points);

/// A run on the bench: the voltage goes from 0 to `volts` along a ramp, is held, and switched off.
struct BenchRun {
  std::string name;
  double volts = 0;             ///< V, signed
  double dt = 1e-3;             ///< s
  double leaves_dead_band = 0;  ///< s, when the ramp passes `edge`
  double edge = 0;              ///< V, magnitude
  double switched_off = 0;      ///< s, when the thrust breaks down; the command goes `lead` before that
  Eigen::VectorXd speed = {};   ///< rad/s, magnitude, of the tachometer
  Eigen::VectorXd thrust = {};  ///< N, signed
};
/// Where the thrust breaks down: the last time that its mean over 20 ms is above half of what it is while held
/// (2.5 to 8 s after the command), less half of the 20 ms.
double time_of_switching_off(const BenchRun& run);

/// The unknowns of docs/tutorial-thruster.md eqs. 1 to 3; rotor, instrument and axial flow lag exactly,
/// first-order.
struct ThrusterDynamics {
  static constexpr int size = 9;
  double ramp = 2;               ///< s, of the command from 0 to its value
  double speed_scale = 1;        ///< of the steady speeds
  double rotor_lag = 0.03;       ///< s
  double tachometer_lag = 0.06;  ///< s, of the instrument alone
  double lead = 0.02;            ///< s, from switching off to where the thrust breaks down
  double thrust_scale = 1;       ///< of the steady thrust
  double flow_share = 0.6;       ///< beta: thrust k n ((1 + beta) n - beta w) over the flow state w
  double flow_lag = 0.2;         ///< s, of w towards n; w has the unit of the speed it belongs to
  double stopped_drag = 0.3;     ///< of blades slower than the flow, k max(0, w^2 - n^2)
};

struct DynamicParameter {
  std::string_view name, unit;
  double ThrusterDynamics::*member;
  double low, high;
};
const std::array<DynamicParameter, ThrusterDynamics::size>& dynamic_parameters();

struct BenchResponse {
  Eigen::VectorXd speed, thrust;  ///< as a BenchRun has them
};
BenchResponse simulate_bench(const BenchRun& run, const SteadyLaws& steady, const ThrusterDynamics& model);

struct DynamicsFit {
  ThrusterDynamics model;
  Eigen::VectorXd sigma;  ///< of each parameter, residuals that remember allowed for; NaN at a bound
  std::vector<std::string> at_bound;  ///< names
  std::vector<std::string> unseen;    ///< names whose 95 % interval is wider than the value on either side
  bool converged = false;
};
/// Bounded least squares over speed and thrust of one run together, raw, from the command on, each weighed by
/// 5 % of its mean while held. Throws InputError for a run that is too short or not finite.
DynamicsFit fit_thruster_dynamics(const BenchRun& run, const SteadyLaws& steady);

/// How well a model meets a run: R2 of the speed from the command on, and of the thrust over the whole run.
struct BenchScore {
  double speed = 0, speed_whole = 0;  ///< the latter over the whole run
  double thrust_raw = 0;
  double thrust = 0;          ///< both traces through the low-pass filter
  double thrust_ceiling = 0;  ///< of the thrust's own slow part, raw: no smooth model explains more
};
/// The filter is a zero-phase Butterworth of second order. `ceiling_hz`: what is slower counts as the thrust's
/// slow part.
BenchScore score_bench(const BenchRun& run, const BenchResponse& response, double low_pass_hz = 10,
                       double ceiling_hz = 2);

}  // namespace fathom::identify
