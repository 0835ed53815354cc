// Time of the vehicle's hot paths. ./dev bench prints percentiles over repetitions.
#include <benchmark/benchmark.h>

#include "fathom/base/random.hpp"
#include "fathom/dynamics/allocation.hpp"
#include "fathom/dynamics/regressor.hpp"
#include "fathom/dynamics/thruster.hpp"
#include "fathom/dynamics/vehicle_with_arms.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/model_file/vehicle_with_arms_file.hpp"
#include "fathom/simulate/ode.hpp"
#include "fathom/simulate/sensor.hpp"

#include "bench/add.hpp"

namespace fathom {
namespace {

using dynamics::State;
using dynamics::Vehicle;

Mat6 random_definite(RandomStream& random) {
  Mat6 a;
  for (double& x : a.reshaped()) x = random.uniform(-1, 1);
  return a * a.transpose() + 0.3 * Mat6::Identity();
}

/// The worst case: full M, origin off the centre of mass, every entry of D_lin and of the six Q_j, 8 thrusters.
Vehicle full_vehicle() {
  RandomStream random(1, "bench");
  model::RobotSpec spec = model::read_robot(FATHOM_ROBOTS_DIR "/bluerov2-heavy.yaml").spec();
  spec.hull.symmetry = {};
  spec.hull.centre_of_mass.value = Vec3(0.1, 0.05, 0.02);
  spec.hull.added_mass.value += random_definite(random);
  model::DragElement& drag = spec.damping.front();
  drag.linear.value = 10 * random_definite(random);
  for (Mat6& Q : drag.quadratic.value.by_speed) Q = 20 * random_definite(random);
  return Vehicle(model::Robot::make(spec));
}

Vehicle diagonal_vehicle() { return Vehicle(model::read_robot(FATHOM_ROBOTS_DIR "/bluerov2-heavy.yaml")); }

/// Different states in turn, so that no branch or value is learnt.
std::vector<State> states() {
  RandomStream random(1, "states");
  std::vector<State> list(64);
  for (State& state : list) {
    state.q_nb = Quat{random.normal(), random.normal(), random.normal(), random.normal()}.normalized();
    for (double& x : state.nu_b) x = random.uniform(-1, 1);
  }
  return list;
}

constexpr std::array<double, 8> forces = {1, -2, 3, -4, 5, -6, 7, -8};
const model::Current current{Vec3(0.1, 0.2, 0), Vec3::Zero()};

void forward(benchmark::State& run, const Vehicle& vehicle, bool with_jacobian) {
  const std::vector<State> list = states();
  dynamics::ForwardJacobian jacobian;
  std::size_t k = 0;
  for (auto _ : run) {
    const Vec6 tau = dynamics::thruster_wrench(vehicle, forces);
    benchmark::DoNotOptimize(
        dynamics::forward_dynamics(vehicle, list[k++ % 64], tau, current, with_jacobian ? &jacobian : nullptr));
    benchmark::DoNotOptimize(jacobian);
  }
}

void inverse(benchmark::State& run) {
  const Vehicle vehicle = full_vehicle();
  const std::vector<State> list = states();
  std::size_t k = 0;
  for (auto _ : run)
    benchmark::DoNotOptimize(dynamics::inverse_dynamics(vehicle, list[k++ % 64], Vec6::Ones(), current));
}

void regressor(benchmark::State& run, const char* name) {
  const model::Structure structure = model::structure_by_name(name);
  const model::Environment environment;
  const std::vector<State> list = states();
  Eigen::MatrixXd Y(static_cast<Eigen::Index>(model::free_indices(structure.dof).size()),
                    static_cast<Eigen::Index>(structure.size()));
  std::size_t k = 0;
  for (auto _ : run) {
    dynamics::regressor(structure, dynamics::motion_of(list[k++ % 64], Vec6::Ones(), environment, current), Y);
    benchmark::DoNotOptimize(Y.data());
    benchmark::ClobberMemory();
  }
}

void rk4(benchmark::State& run, const Vehicle& vehicle) {
  const std::vector<State> list = states();
  std::size_t k = 0;
  for (auto _ : run) {
    const Vec6 tau = dynamics::thruster_wrench(vehicle, forces);
    benchmark::DoNotOptimize(simulate::rk4_step(vehicle, list[k++ % 64], tau, 0.01, current));
  }
}

/// One step of a simulation at 100 Hz with all sensors of a robot: step and poll, most of them not due.
void sensors(benchmark::State& run) {
  const model::Robot robot = model::read_robot(FATHOM_ROBOTS_DIR "/bluerov2-heavy.yaml");
  std::vector<simulate::SimulatedSensor> list;
  for (const model::Sensor& sensor : robot.sensors()) list.emplace_back(sensor, 1, sensor.name);
  const std::vector<State> motion = states();
  simulate::Truth before, after;
  simulate::Sample sample;
  std::int64_t k = 0;
  for (auto _ : run) {
    before = after;
    after.t = 0.01 * static_cast<double>(++k);
    after.state = motion[static_cast<std::size_t>(k) % 64];
    for (simulate::SimulatedSensor& sensor : list) {
      sensor.step(before, after);
      while (sensor.poll(after.t, sample)) benchmark::DoNotOptimize(sample.values[0]);
    }
  }
}

void load(benchmark::State& run) {
  for (auto _ : run) benchmark::DoNotOptimize(model::read_robot(FATHOM_ROBOTS_DIR "/bluerov2-heavy.yaml"));
}

std::vector<dynamics::ThrusterModel> thrusters_of(const model::Robot& robot) {
  std::vector<dynamics::ThrusterModel> list;
  for (const model::Thruster& thruster : robot.thrusters()) list.emplace_back(thruster, 1000);
  return list;
}

void allocate(benchmark::State& run, const Mat6X& B, const std::vector<model::ForceRange>& limits,
              const Vec6& size) {
  const dynamics::Allocator allocator(B, limits);
  RandomStream random(1, "allocate");
  std::vector<Vec6> demands(64);
  for (Vec6& tau : demands)
    for (Eigen::Index i = 0; i < 6; ++i) tau[i] = size[i] * random.uniform(-1, 1);
  dynamics::Allocator::Workspace workspace = allocator.workspace();
  std::size_t k = 0;
  for (auto _ : run) {
    const dynamics::Allocation* given = &allocator.allocate(demands[k++ % 64], workspace);
    benchmark::DoNotOptimize(given);
  }
}

/// Demands that the BlueROV2 Heavy can meet by its pseudo-inverse, or far beyond.
void allocate_of_one(benchmark::State& run, double size) {
  const model::Robot robot = model::read_robot(FATHOM_ROBOTS_DIR "/bluerov2-heavy.yaml");
  std::vector<model::ForceRange> limits;
  for (const dynamics::ThrusterModel& t : thrusters_of(robot)) limits.push_back(t.force_range());
  Vec6 sizes;
  sizes << size, size, size, 0.2 * size, 0.2 * size, 0.2 * size;
  allocate(run, model::allocation_matrix(robot), limits, sizes);
}

/// 64 vehicles of six thrusters, four by four by four, 0.5 m apart; demands as a share of what all thrusters
/// together could give on each axis.
void allocate_of_64(benchmark::State& run, double share) {
  const model::Robot robot = model::read_robot(FATHOM_ROBOTS_DIR "/nielsen-bluerov.yaml");
  const auto own = thrusters_of(robot);
  Mat6X B(6, 384);
  std::vector<model::ForceRange> limits;
  for (Eigen::Index k = 0; k < 384; ++k) {
    const auto module = k / 6;
    const Vec3 at = 0.5 * Vec3(static_cast<double>(module % 4) - 1.5, static_cast<double>(module / 4 % 4) - 1.5,
                               static_cast<double>(module / 16) - 1.5);
    const Vec6& column = own[static_cast<std::size_t>(k % 6)].column();
    B.col(k) << column.head<3>(), column.tail<3>() + at.cross(column.head<3>());
    limits.push_back(own[static_cast<std::size_t>(k % 6)].force_range());
  }
  allocate(run, B, limits, share * 40 * B.cwiseAbs().rowwise().sum());
}

void invert_map(benchmark::State& run) {
  const auto list = thrusters_of(model::read_robot(FATHOM_ROBOTS_DIR "/bluerov2-heavy.yaml"));
  RandomStream random(1, "invert");
  std::array<double, 64> wanted{};
  for (double& f : wanted) f = random.uniform(-39, 50);
  std::size_t k = 0;
  for (auto _ : run) benchmark::DoNotOptimize(list[0].command_for(wanted[k++ % 64], 0, 16));
}

/// A vehicle with an arm of four joints in water.
void forward_with_arm(benchmark::State& run) {
  const std::string root = FATHOM_ROBOTS_DIR "/..";
  const dynamics::VehicleWithArms robot(model::read_vehicle_with_arms(
      root + "/../examples/vehicle-with-arm/heavy-alpha-5.yaml", {{FATHOM_ROBOTS_DIR}, {root + "/arms"}}));
  dynamics::VehicleWithArmsWorkspace workspace(robot);
  const std::vector<State> motions = states();
  std::array<double, 4> q = {3, 1.6, 0.6, 2.8}, dq = {0.1, -0.2, 0.3, -0.4}, efforts = {0.1, 0.2, 0.1, 0},
                        ddq{};
  Vec6 nu_dot;
  std::size_t k = 0;
  for (auto _ : run) {
    const State& state = motions[k++ % 64];
    forward_dynamics(robot, {state.nu_b, Vec6::Zero(), state.q_nb.conjugate() * Vec3::UnitZ()}, q, dq,
                     Vec6::Ones(), efforts, workspace, nu_dot, ddq);
    benchmark::DoNotOptimize(nu_dot);
    benchmark::DoNotOptimize(ddq);
  }
}

/// What eight thrusters add to one stage of a simulated step.
void thruster_stage(benchmark::State& run, const char* file) {
  const auto list = thrusters_of(model::read_robot(file));
  const std::vector<State> motions = states();
  std::array<double, 8> state = {1, -2, 3, -4, 5, -6, 7, -8}, rate{};
  std::size_t k = 0;
  for (auto _ : run) {
    const Vec6& nu = motions[k++ % 64].nu_b;
    Vec6 tau = Vec6::Zero();
    for (std::size_t i = 0; i < 8; ++i) {
      const double u = list[i].inflow(nu);
      rate[i] = list[i].state_rate(state[i], 10, u);
      tau += list[i].force(state[i], u, 16) * list[i].column();
    }
    benchmark::DoNotOptimize(tau);
    benchmark::DoNotOptimize(rate);
  }
}

}  // namespace
}  // namespace fathom

int main(int argc, char** argv) {
  using namespace fathom;
  const Vehicle full = full_vehicle(), diagonal = diagonal_vehicle();
  add("forward dynamics, full M, coupled damping, 8 thrusters",
      [&](benchmark::State& run) { forward(run, full, false); });
  add("forward dynamics, BlueROV2 Heavy", [&](benchmark::State& run) { forward(run, diagonal, false); });
  add("forward dynamics with Jacobians, full", [&](benchmark::State& run) { forward(run, full, true); });
  add("forward dynamics, BlueROV2 Heavy with Reach Alpha 5", forward_with_arm);
  add("inverse dynamics, full", inverse);
  add("regressor 6 x 27", [](benchmark::State& run) { regressor(run, "vehicle-27"); });
  add("regressor 4 x 23", [](benchmark::State& run) { regressor(run, "vehicle-23"); });
  add("RK4 step, full", [&](benchmark::State& run) { rk4(run, full); });
  add("RK4 step, BlueROV2 Heavy", [&](benchmark::State& run) { rk4(run, diagonal); });
  add("sensors of BlueROV2 Heavy, one step at 100 Hz", sensors);
  add("allocation within the limits, 8 thrusters", [](benchmark::State& run) { allocate_of_one(run, 20); });
  add("allocation far beyond the limits, 8 thrusters",
      [](benchmark::State& run) { allocate_of_one(run, 300); });
  add("allocation within the limits, 64 modules of 6 thrusters",
      [](benchmark::State& run) { allocate_of_64(run, 0.05); });
  add("allocation at some limits, 64 modules of 6 thrusters",
      [](benchmark::State& run) { allocate_of_64(run, 0.6); });
  add("allocation far beyond the limits, 64 modules of 6 thrusters",
      [](benchmark::State& run) { allocate_of_64(run, 3); });
  add("command for a force, polynomial pair", invert_map);
  add("8 thrusters, one stage, BlueROV2 Heavy",
      [](benchmark::State& run) { thruster_stage(run, FATHOM_ROBOTS_DIR "/bluerov2-heavy.yaml"); });
  add("8 thrusters, one stage, RexROV",
      [](benchmark::State& run) { thruster_stage(run, FATHOM_ROBOTS_DIR "/rexrov.yaml"); });
  add("read a robot file", load);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
