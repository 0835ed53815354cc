// Chains of docked robots: what a step of 10 ms costs as they grow, with the couplings' loads and merged into
// one robot.
#include <memory>
#include <numbers>

#include <fmt/format.h>

#include "fathom/assembly/assembly.hpp"
#include "fathom/assembly/merge.hpp"
#include "fathom/assembly/udwadia_kalaba.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/simulate/coupled_plants.hpp"

#include "bench/add.hpp"

namespace fathom {
namespace {

using assembly::Assembly;

/// BlueROV2 Heavy, eight thrusters with their lag, bow to stern.
Assembly chain_of(std::size_t n) {
  const model::Robot robot = model::read_robot(FATHOM_ROBOTS_DIR "/bluerov2-heavy.yaml");
  model::Connector bow{"bow", {}, {}}, stern{"stern", {}, {}};
  bow.position_b.value = {0.25, 0, 0};
  stern.position_b.value = {-0.25, 0, 0};
  stern.attitude_rpy.value = {0, 0, std::numbers::pi};
  assembly::AssemblySpec spec;
  spec.name = "chain";
  for (std::size_t k = 0; k < n; ++k) {
    spec.modules.push_back({fmt::format("m{}", k), robot, "", {bow, stern}});
    if (k > 0) spec.couplings.push_back({fmt::format("c{}", k), {{{k - 1, 1}, {k, 0}}}});
  }
  return Assembly::make(std::move(spec));
}

simulate::Plant make_plant(const model::Robot& robot) {
  return simulate::Plant(robot, model::Dof::six, {model::Environment(), simulate::CurrentField({}, 1)});
}

dynamics::State under_way(const Pose& pose) {
  Vec6 nu;
  nu << 0.4, 0.02, -0.01, 0.01, 0.02, 0.005;
  const Pose at = Pose{Quat::Identity(), {0, 0, 50}} * pose;
  return {at.q_pc, at.p_pc_p, twist_transform(pose) * nu};
}

/// Every third thruster runs.
void run_thrusters(simulate::Plant& plant) {
  std::vector<double> commands(plant.thruster_count());
  for (std::size_t k = 0; k < commands.size(); ++k)
    commands[k] = plant.thruster(k).command_for(k % 3 == 0 ? 8.0 : 0.0, 0, plant.voltage());
  plant.command(commands);
}

struct Chain {
  explicit Chain(std::size_t n) {
    const Assembly assembly = chain_of(n);
    for (const assembly::Module& module : assembly.modules()) {
      plants.push_back(make_plant(module.robot));
      run_thrusters(plants.back());
    }
    std::vector<const simulate::Plant*> pointers;
    for (const simulate::Plant& plant : plants) pointers.push_back(&plant);
    coupled = std::make_unique<simulate::CoupledPlants>(pointers, assembly.cluster(0));
    x.resize(coupled->size());
    for (std::size_t k = 0; k < n; ++k)
      x.segment(coupled->begin(k), coupled->size(k)) = plants[k].initial(under_way(assembly.poses()[k]));
    loads.resize(coupled->cluster().links().size());
  }
  std::vector<simulate::Plant> plants;
  std::unique_ptr<simulate::CoupledPlants> coupled;
  Eigen::VectorXd x;
  std::vector<Vec6> loads;
};

void add_constrained(std::size_t n) {
  const auto chain = std::make_shared<Chain>(n);
  add(fmt::format("assembly: step of a chain of {}, with loads", n).c_str(), [chain](benchmark::State& state) {
    simulate::RungeKutta4 rk4(chain->coupled->size());
    Eigen::VectorXd x = chain->x;
    for (auto _ : state) {
      rk4.step(*chain->coupled, 0, 0.01, x);
      chain->coupled->loads(0, x, chain->loads);
      benchmark::DoNotOptimize(chain->loads.data());
    }
  });
}

void add_merged(std::size_t n) {
  const auto merged = std::make_shared<assembly::Merged>(assembly::merge(chain_of(n), 0));
  const auto plant = std::make_shared<simulate::Plant>(make_plant(merged->robot));
  run_thrusters(*plant);
  add(fmt::format("assembly: step of a chain of {}, merged", n).c_str(),
      [merged, plant](benchmark::State& state) {
        simulate::RungeKutta4 rk4(plant->size());
        Eigen::VectorXd x = plant->initial(under_way(Pose()));
        for (auto _ : state) {
          rk4.step(*plant, 0, 0.01, x);
          benchmark::DoNotOptimize(x.data());
        }
      });
}

/// One evaluation, as the thesis has it.
void add_dense(std::size_t n) {
  const Assembly assembly = chain_of(n);
  const dynamics::Vehicle vehicle(assembly.modules()[0].robot);
  auto states = std::make_shared<std::vector<dynamics::State>>();
  auto alone = std::make_shared<std::vector<Vec6>>();
  for (const Pose& pose : assembly.poses()) {
    states->push_back(under_way(pose));
    alone->push_back(dynamics::forward_dynamics(vehicle, states->back(), Vec6::Ones()));
  }
  const auto cluster = std::make_shared<assembly::Cluster>(assembly.cluster(0));
  const std::vector<Mat6> M(n, vehicle.M());
  add(fmt::format("assembly: dense pseudo-inverse, chain of {}, once", n).c_str(), [=](benchmark::State&
                                                                                           state) {
    for (auto _ : state) {
      const auto motion = assembly::udwadia_kalaba(M, *alone, assembly::rigid_rows(*states, cluster->links()));
      benchmark::DoNotOptimize(motion.nu_dot.data());
    }
  })->Unit(benchmark::kMillisecond);
}

const int assembly_registered = [] {
  for (const std::size_t n : {16, 64, 256}) add_constrained(n);
  for (const std::size_t n : {16, 64, 256}) add_merged(n);
  add_dense(16);
  return 0;
}();

}  // namespace
}  // namespace fathom
