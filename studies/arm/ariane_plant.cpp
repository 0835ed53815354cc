#include "studies/arm/ariane_plant.hpp"

#include <cmath>
#include <numbers>

#include "fathom/base/random.hpp"
#include "fathom/control/joint_cascade.hpp"
#include "fathom/model/held_joint.hpp"
#include "fathom/simulate/arm_plant.hpp"

namespace fathom::studies {
namespace {

constexpr double sample_period = 0.1;    // s, as printed
constexpr double settling_seconds = 10;  // s, that loops have to settle before anything is kept
// Not printed, invented: a ball-screw with its nut and bearings, 20 N/um and 0.05 mm of play; a drive that
// "is unable to provide a stable current" (section IV-E).
constexpr double axial_stiffness = 2e7, axial_play = 5e-5, axial_damping = 2e4;
constexpr double ripple_ampere = 0.08, noise_ampere = 0.04;

std::vector<simulate::ArmDrive> ariane_drives(const model::Arm& arm) {
  std::vector<simulate::ArmDrive> drives;
  for (const model::Joint& joint : arm.joints()) {
    simulate::ArmDrive drive;
    if (const auto* lever = std::get_if<model::ScrewLever>(&joint.actuator->transmission)) {
      const double metres = lever->pitch / (2 * std::numbers::pi * lever->ratio);  // per rad of the shaft
      drive.stiffness = axial_stiffness * metres * metres;
      drive.damping = axial_damping * metres * metres;
      drive.backlash = axial_play / metres;
    }
    drive.stiction = 0.25 * joint.actuator->motor.coulomb;
    drive.ripple = ripple_ampere;
    drive.current_noise = noise_ampere;
    drives.push_back(drive);
  }
  return drives;
}

}  // namespace

model::Arm ariane_with_blocked_wrist(const model::Arm& ariane) {
  model::ArmSpec spec = model::with_joint_held(ariane, ariane.size() - 1, 0).spec();
  spec.name += "-blocked";
  return model::Arm::make(std::move(spec));
}

model::Arm ariane_as_built(const model::Arm& arm, std::uint64_t seed) {
  RandomStream random(seed, "ariane as built");
  model::ArmSpec spec = arm.spec();
  for (model::Link& link : spec.links) {
    const double factor = random.uniform(0.9, 1.1);
    link.body.mass.value *= factor;
    link.body.inertia.value *= factor;
    link.body.centre_of_mass.value += 0.01 * Vec3(random.normal(), random.normal(), random.normal());
    link.body.symmetry = {};
  }
  for (model::Joint& joint : spec.joints) {
    model::JointMotor& motor = joint.actuator->motor;
    motor.inertia *= random.uniform(0.8, 1.2);
    motor.viscous *= random.uniform(0.8, 1.2);
    motor.coulomb *= random.uniform(0.8, 1.2);
  }
  return model::Arm::make(spec);
}

ArianeRecord run_ariane(const model::Arm& built, const excite::ArmPath& path, double margin, std::uint64_t seed,
                        const std::string& name) {
  simulate::ArmPlant plant(built, ariane_drives(built), dynamics::Medium::air, Vec3::UnitZ(), seed);
  RandomStream random(seed, "ariane current " + name);
  const auto n = static_cast<Eigen::Index>(built.size());
  std::vector<control::JointCascade> loops;
  for (const model::Joint& joint : built.joints()) loops.emplace_back(control::cascade_for(*joint.actuator));
  const double dt = control::JointCascadeOptions().period, begin = -margin - settling_seconds;
  const double span = path.series().period + 2 * margin;
  const auto count = static_cast<Eigen::Index>(std::lround(span / sample_period));
  const int every = static_cast<int>(std::lround(sample_period / dt)),
            first = static_cast<int>(std::lround(settling_seconds / dt));
  excite::ArmInstant joints, shafts;
  path.joints_at(begin, joints);
  path.shafts_at(begin, shafts);
  Eigen::VectorXd x = plant.state(joints.u, joints.du), command(n);
  for (Eigen::Index j = 0; j < n; ++j) loops[static_cast<std::size_t>(j)].reset(shafts.u[j], shafts.du[j]);
  const int parts = static_cast<int>(std::ceil(dt / plant.stable_step(joints.u)));
  simulate::RungeKutta4 integrator(plant.size());
  ArianeRecord record;
  const double span_end = sample_period * static_cast<double>(count - 1);
  record.run = {name, Eigen::VectorXd::LinSpaced(count, 0, span_end), Eigen::MatrixXd(count, n)};
  record.run.effort.resize(count, n);
  record.run.shafts = identify::shaft_counters(built);
  for (int k = 0; k < first + every * static_cast<int>(count); ++k) {
    const double t = begin + dt * k;
    path.shafts_at(t, shafts);
    const bool is_kept = k >= first;
    for (Eigen::Index j = 0; j < n; ++j) {
      const auto joint = static_cast<std::size_t>(j);
      const double angle = plant.angle_reading(joint, x);
      if (is_kept && (k - first) % every == 0) {
        record.run.q((k - first) / every, j) = angle;
        record.run.effort((k - first) / every, j) = plant.current_reading(joint, t, x, random);
      }
      command[j] = loops[joint].step(shafts.u[j], shafts.du[j], angle);
      if (!is_kept) continue;
      record.saturated += loops[joint].is_saturated();
      record.worst_tracking = std::max(record.worst_tracking, std::abs(shafts.u[j] - x[2 * n + j]));
    }
    plant.command(command);
    for (int part = 0; part < parts; ++part) integrator.step(plant, t + dt * part / parts, dt / parts, x);
  }
  return record;
}

}  // namespace fathom::studies
