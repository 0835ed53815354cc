// The hot paths take no memory from the heap (HABITS 13).

#include <gtest/gtest.h>

#include "fathom/base/test/count_allocations.hpp"
#include "fathom/dynamics/regressor.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/simulate/contact.hpp"
#include "fathom/simulate/current_field.hpp"
#include "fathom/simulate/ode.hpp"
#include "fathom/simulate/sensor.hpp"
#include "fathom/simulate/tether.hpp"

namespace fathom::simulate::no_allocation_test {
namespace {

using fathom::test::allocations_of;

TEST(NoAllocation, ForwardInverseRegressorAndRk4) {
  RandomStream random(1, "no allocation");
  const model::Structure structure = model::structure_by_name("vehicle-27");
  Eigen::MatrixXd Y(6, 27);
  for (const auto& [name, robot] : dynamics::test::all_robots()) {
    const dynamics::Vehicle vehicle(robot);
    const dynamics::State state = dynamics::test::random_state(random);
    const model::Current current{Vec3(0.1, 0.2, 0.3), Vec3(0.01, 0, 0)};
    const std::vector<double> forces(static_cast<std::size_t>(vehicle.allocation().cols()), 3.0);
    double sum = 0;
    const long count = allocations_of([&] {
      const Vec6 tau = dynamics::thruster_wrench(vehicle, forces);
      dynamics::ForwardJacobian jacobian;
      const Vec6 nu_dot = dynamics::forward_dynamics(vehicle, state, tau, current, &jacobian);
      sum += dynamics::inverse_dynamics(vehicle, state, nu_dot, current).sum();
      dynamics::regressor(structure, dynamics::motion_of(state, nu_dot, vehicle.environment(), current), Y);
      sum += Y.sum() + jacobian.by_twist.sum() + rk4_step(vehicle, state, tau, 0.01, current).nu_b.sum();
    });
    EXPECT_EQ(count, 0) << name;
    EXPECT_TRUE(std::isfinite(sum));
  }
}

/// Every kind, with every error, through faults and an overrun.
TEST(NoAllocation, Sensors) {
  const std::array<double, 2> thrusters = {1, 2};
  for (const model::SensorKind kind : model::sensor_kinds) {
    for (const bool per_beam : {false, true}) {
      model::Sensor spec;
      spec.name = model::name_of(kind);
      spec.kind = kind;
      spec.rate_hz.emplace().value = 37;
      spec.latency.emplace().value = 0.1;
      spec.drop_out = model::DropOut{0.1, 3};
      for (const model::ChannelTable& table : model::channel_tables)
        for (const model::NoiseChannel& channel : model::noise_channels(kind))
          (spec.*table.values)[std::string(channel.name)].value = 0.01;
      if (kind == model::SensorKind::dvl) spec.beams.emplace().per_beam = per_beam;
      SensorOptions options;
      options.bottom_depth = 100;
      options.thruster_names = {"a", "b"};
      SimulatedSensor sensor(spec, 1, spec.name, options);
      double sum = 0;
      long arrived = 0;
      const long count = allocations_of([&] {
        Truth before, after;
        before.shaft_rates = after.shaft_rates = before.motor_currents = after.motor_currents = thrusters;
        before.state.p_nb_n = after.state.p_nb_n = Vec3(1, 2, 0);
        for (int k = 1; k < 2000; ++k) {
          after.t = k * 0.01;
          if (k == 500) sensor.fail(6);
          if (k == 800) sensor.freeze(9);
          sensor.step(before, after);
          before.t = after.t;
          if (k > 1000 && k < 1300) continue;  // nobody polls
          Sample sample;
          while (sensor.poll(after.t, sample)) {
            sum += sample.values[0];
            ++arrived;
          }
        }
      });
      EXPECT_EQ(count, 0) << spec.name;
      EXPECT_TRUE(std::isfinite(sum));
      EXPECT_GT(arrived, 300);
      EXPECT_GT(sensor.counts().pushed_out, 0);
    }
  }
}

TEST(NoAllocation, CurrentTetherContactAndItsMonitor) {
  RandomStream random(2, "no allocation");
  CurrentSpec current;
  current.profile = {{0, Vec3(0.3, 0, 0)}, {5, Vec3(0.1, 0.2, 0)}, {9, Vec3::Zero()}};
  current.variation_sigma_n = {0.1, 0.1, 0.02};
  current.ramp = {Vec3::Zero(), Vec3(0.1, 0, 0), 0, 10, RampShape::smooth};
  const CurrentField field(current, 3);
  const Tether tether(TetherSpec{});
  std::vector<double> x(static_cast<std::size_t>(tether.size())), dx(x.size());
  for (const auto& [name, robot] : dynamics::test::all_robots()) {
    const dynamics::Vehicle vehicle(robot);
    const Contact contact(robot, vehicle, {{-1, -1, 0}, {1, 1, 2}});
    ContactMonitor monitor;
    double sum = 0;
    std::size_t events = 0;
    const long count = allocations_of([&] {
      for (int k = 0; k < 100; ++k) {
        const dynamics::State state = dynamics::test::random_state(random);  // in and out of walls and water
        const CurrentField::Instant water = field.at_time(0.1 * k);
        const PointMotion end = point_motion(state.q_nb, state.p_nb_n, state.nu_b, {0.1, 0, -0.1});
        tether.initial(x, end.p_n);
        const TetherLoad pull = tether.derivative(x, end.p_n, end.v_n, water, dx);
        const ContactLoad walls = contact.load(state);
        events += monitor.update(0.1 * k, walls).size();
        sum += point_wrench(state.q_nb, pull.vehicle_n, {0.1, 0, -0.1}).sum() + walls.wrench_b().sum() +
               tether.energy(x, end.p_n) + contact.energy(state) +
               water.at(state.p_nb_n, end.v_n).acceleration_n.sum();
      }
    });
    EXPECT_EQ(count, 0) << name;
    EXPECT_GT(events, 10u) << name;
    EXPECT_TRUE(std::isfinite(sum)) << name;
  }
}

}  // namespace
}  // namespace fathom::simulate::no_allocation_test
