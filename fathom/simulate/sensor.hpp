#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/constants.hpp"
#include "fathom/base/random.hpp"
#include "fathom/geometry/pose.hpp"
#include "fathom/model/robot.hpp"
#include "fathom/sensing/columns.hpp"
#include "fathom/sensing/dvl.hpp"
#include "fathom/simulate/truth.hpp"

namespace fathom::simulate {

struct SensorOptions {
  Vec3 gravity_n = Vec3(0, 0, 9.81);             ///< m/s^2, felt by an IMU
  Pose transceiver = {};                         ///< of a USBL, in n; at the origin and level by default
  std::optional<double> bottom_depth = {};       ///< m; without it a DVL always sees the bottom
  std::vector<std::string> thruster_names = {};  ///< for thruster sensors: one column each
  std::optional<double> rate_hz = {};            ///< in place of the robot file's
  double phase = 0;                              ///< s, time of the first sample; for clocks that do not agree
  double longest_poll_gap = 1;  ///< s; what arrives in a longer gap between two polls pushes the oldest out
};

/// What arrived. `values` are in the order of columns(), and stay until the next call of step().
struct Sample {
  double t_arrival = 0, t_measured = 0;
  std::span<const double> values;
};

/// One sensor of a robot in a simulation: samples on its own clock, phase + k / rate, with turn-on bias, bias
/// walk, noise, quantisation, drop-outs and latency as the robot file says; docs/sensors.md eqs. 14 to 16.
///
/// A sample is taken of the motion at its exact time, between the two instants that step() is given, so that
/// the clock need not divide the simulation's step. All randomness is the sensor's own stream, and a sample
/// that is dropped or failed draws as many numbers as one that is not: neither another sensor nor a fault
/// changes the other samples. step() and poll() take no memory from the heap.
class SimulatedSensor {
 public:
  /// `purpose` names the stream, such as "rov/imu"; it must differ between sensors. Throws InputError if the
  /// sensor has no rate, or lacks the thrusters' names.
  SimulatedSensor(const model::Sensor& sensor, std::uint64_t seed, std::string_view purpose,
                  const SensorOptions& options = {});

  /// Takes the samples that are due from `before` to `after`, both included. Successive calls have no gap
  /// (after of the one is before of the next); samples due in a gap are not taken, and counted as skipped.
  void step(const Truth& before, const Truth& after) {
    if (due_ <= after.t + clock_tolerance) take_samples(before, after);
  }
  /// The oldest sample that has arrived by t, if any; call until false.
  bool poll(double t, Sample& out) { return next_arrival_ <= t + clock_tolerance && deliver(out); }

  /// Nothing measured before `until` is delivered.
  void fail(double until = infinity) { failed_until_ = until; }
  /// The sensor repeats its last numbers (if it has none yet, its next) in samples measured before `until`.
  void freeze(double until = infinity) { frozen_until_ = until; }
  void repair() { failed_until_ = frozen_until_ = -infinity; }

  struct Counts {
    long due = 0;         ///< samples on the clock so far; the sum of all below and of those under way
    long delivered = 0;   ///< by poll()
    long dropped = 0;     ///< by drop_out
    long failed = 0;      ///< by fail()
    long no_answer = 0;   ///< a DVL outside its altitudes, or with a beam that does not look down
    long skipped = 0;     ///< due in a gap between steps
    long pushed_out = 0;  ///< not polled in time
    long frozen = 0;      ///< of those that arrive: repeated by freeze()
  };
  const Counts& counts() const { return counts_; }

  const std::string& name() const { return name_; }
  const std::vector<Column>& columns() const { return columns_; }
  const std::string& frame() const { return frame_; }
  double latency() const { return latency_; }
  /// The present bias, channel by channel of the error (for AHRS and position fix: of the small rotation).
  std::span<const double> bias() const { return bias_; }

 private:
  /// What one number of the error is made of.
  struct Spread {
    double noise = 0, walk = 0, step = 0;
  };

  void set_spreads(const model::Sensor& sensor);
  void make_ring(const SensorOptions& options);
  void take_samples(const Truth& before, const Truth& after);
  void take_sample(const Truth& before, const Truth& after);
  void advance_clock();
  bool draw_loss();
  void draw_error(double dt);
  bool has_answer(const dynamics::State& state) const;
  void measure(const Truth& before, const Truth& after, const TrueMotion& motion, std::span<double> out) const;
  void measure(model::Quantity quantity, const Truth& before, const Truth& after, const TrueMotion& motion,
               const double* e, std::span<double> out) const;
  void measure_thrusters(std::span<const double> before, std::span<const double> after, double share,
                         std::span<double> out) const;
  void quantise(std::span<double> out) const;
  std::span<double> push(double t_measured);
  bool deliver(Sample& out);

  const model::SensorDeclaration* declaration_;
  std::vector<sensing::Part> parts_;
  bool per_beam_;  ///< of a DVL
  std::string name_, frame_;
  std::vector<Column> columns_;
  Pose mount_;
  Vec3 gravity_n_;
  Pose transceiver_;
  sensing::Beams beams_;
  std::optional<double> bottom_depth_;
  std::optional<model::AltitudeRange> altitude_;

  double rate_hz_, phase_, latency_;
  std::int64_t tick_ = 0;
  double due_, last_due_;

  RandomStream random_;
  std::vector<Spread> spreads_;
  std::vector<double> bias_, error_;
  bool loses_ = false, losing_ = false, has_last_ = false;
  double begin_losing_ = 0, go_on_losing_ = 0;  ///< probabilities of the next sample being lost
  double failed_until_, frozen_until_;
  std::vector<double> last_values_;

  std::size_t capacity_ = 0, first_ = 0, size_ = 0;  ///< ring of samples under way
  std::vector<double> times_, values_;
  double next_arrival_ = infinity;
  Counts counts_;
};

}  // namespace fathom::simulate
