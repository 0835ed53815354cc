#include "fathom/identify/arm/test/bench_arm.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "fathom/base/random.hpp"
#include "fathom/dynamics/arm.hpp"
#include "fathom/model_file/arm_file.hpp"

namespace fathom::identify::test {
namespace {

using Eigen::Index;

struct LinkNumbers {
  double mass;
  const char *centre, *inertia, *friction;
};

/// A sum of three sines for each joint.
struct Trajectory {
  Eigen::Matrix3d amplitude, frequency, phase;  // joint, wave

  explicit Trajectory(std::uint64_t motion) {
    RandomStream random(motion, "bench motion");
    for (int j = 0; j < 3; ++j)
      for (int w = 0; w < 3; ++w) {
        frequency(j, w) = 0.15 * (w + 1) * (w + 1) * random.uniform(0.8, 1.2);
        amplitude(j, w) = 0.6 / (w + 1) / (w + 1);
        phase(j, w) = random.uniform(0, 2 * std::numbers::pi);
      }
  }
  Vec3 at(int joint, double t) const {
    Vec3 q = Vec3::Zero();
    for (int w = 0; w < 3; ++w) {
      const double omega = 2 * std::numbers::pi * frequency(joint, w), angle = omega * t + phase(joint, w);
      q += amplitude(joint, w) *
           Vec3(std::sin(angle), omega * std::cos(angle), -omega * omega * std::sin(angle));
    }
    return q;
  }
};

double friction_of(double viscous, double dry, double stribeck, double speed, double stribeck_speed = 0.05) {
  if (speed == 0) return 0;
  const double extra = stribeck * std::exp(-std::pow(speed / stribeck_speed, 2));
  return viscous * speed + std::copysign(dry + extra, speed);
}

double effort_beside_links(const model::Joint& joint, const Bench& bench, const Vec3& q) {
  double sum = friction_of(joint.friction.viscous.value,
                           joint.friction.coulomb_forward.value * (1 + bench.ripple * std::sin(3 * q[0] + 1)),
                           bench.stribeck, q[1], bench.stribeck_speed);
  if (!joint.actuator) return sum;
  const model::JointMotor& motor = joint.actuator->motor;
  const auto at = model::motor_angle(joint.actuator->transmission, q[0]);
  sum += at.ratio * (motor.inertia * (at.ratio * q[2] + at.slope * q[1] * q[1]) +
                     friction_of(motor.viscous, motor.coulomb, 0, at.ratio * q[1]));
  return bench.by_current ? sum / (at.ratio * motor.k_t) : sum;
}

/// Efforts against drag with another exponent than the model's: J' f, the columns of J by unit speeds.
Vec3 drag_efforts(const model::Arm& arm, const dynamics::Arm& links, double exponent,
                  const Eigen::Matrix3d& states, dynamics::ArmWorkspace& workspace) {
  std::array<Eigen::Matrix<double, 6, 3>, 3> J;  // of each link, by joint
  const Vec3 still = Vec3::Zero();
  for (int j = 0; j < 3; ++j) {
    const Vec3 speed = Vec3::Unit(j);
    Vec3 unused;
    dynamics::inverse_dynamics(links, dynamics::Motion(), std::span(states.col(0).data(), 3),
                               std::span(speed.data(), 3), std::span(still.data(), 3), workspace,
                               std::span(unused.data(), 3));
    for (std::size_t k = 0; k < 3; ++k) J[k].col(j) << workspace.links[k].v, workspace.links[k].w;
  }
  Vec3 efforts = Vec3::Zero();
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec6 nu = J[k] * states.col(1);
    for (const model::DragElement& element : arm.links()[k].damping)
      for (int i = 0; i < 6; ++i) {
        const double quadratic = element.quadratic.value.by_speed[static_cast<std::size_t>(i)](i, i);
        const double size = 0.5 * std::pow(std::abs(nu[i]) / 0.5, exponent - 1);
        efforts += J[k].row(i).transpose() * (element.linear.value(i, i) + quadratic * size) * nu[i];
      }
  }
  return efforts;
}

model::Arm without_drag(const model::Arm& arm) {
  model::ArmSpec spec = arm.spec();
  for (model::Link& link : spec.links) link.damping.clear();
  return model::Arm::make(std::move(spec));
}

}  // namespace

model::Arm bench_arm_in_water(bool built) {
  model::ArmSpec spec = bench_arm(built).spec();
  const double litres[] = {3, 2, 1.2}, half_length[] = {0.05, 0.2, 0.15};
  for (std::size_t k = 0; k < 3; ++k) {
    model::Link& link = spec.links[k];
    const double volume = litres[k] * 1e-3, length = half_length[k], added = 800 * volume;
    link.body.volume.value = built ? 1.33 * volume : volume;
    link.body.centre_of_buoyancy.value = built ? Vec3(1.15 * length, 0.01, 0.02) : Vec3(length, 0, 0);
    Vec6 diagonal;
    diagonal << 0.2 * added, added, added, 0.1 * added * length * length, 2 * added * length * length,
        2 * added * length * length;
    link.body.added_mass.value = diagonal.asDiagonal();
    model::DragElement element;
    element.name = "hull";
    const double area = 0.16 * length, more = built ? 1.9 : 1;  // m^2, of a cylinder of 80 mm
    for (int i = 0; i < 6; ++i) {
      const double quadratic = i < 3 ? 500 * area : 1000 * area * std::pow(length, 3);
      element.quadratic.value.by_speed[static_cast<std::size_t>(i)](i, i) = more * quadratic;
      element.linear.value(i, i) = 0.05 * more * quadratic;
    }
    link.damping = {element};
  }
  return model::Arm::make(std::move(spec));
}

model::Arm bench_arm(bool built, bool with_motors) {
  const std::string axes[] = {"[0, 0, 1]", "[0, 1, 0]", "[0, 1, 0]"};
  const std::string origins[] = {"[0, 0, 0.1]", "[0.05, 0.02, 0.1]", "[0.4, 0, 0]"};
  const LinkNumbers drawn[] = {{4, "[0, 0, 0.05]", "[0.02, 0.02, 0.015]", ""},
                               {3, "[0.2, 0, 0]", "[0.004, 0.045, 0.045]", ""},
                               {1.5, "[0.15, 0, 0]", "[0.002, 0.015, 0.015]", ""}};
  const LinkNumbers true_ones[] = {
      {4.6, "[0.01, -0.02, 0.06]", "[0.03, 0.028, 0.02]", "{viscous: 0.8, coulomb: 0.6}"},
      {3.5, "[0.22, 0.01, 0.01]", "[0.006, 0.052, 0.054]", "{viscous: 0.9, coulomb: 0.7}"},
      {1.9, "[0.17, 0.005, -0.01]", "[0.003, 0.02, 0.019]", "{viscous: 0.4, coulomb: 0.3}"}};
  std::string text = "format: fathom-arm-1\narm:\n  name: bench\n  joints:\n";
  for (std::size_t k = 0; k < 3; ++k) {
    const LinkNumbers& link = built ? true_ones[k] : drawn[k];
    text += fmt::format(
        "    - name: j{0}\n      source: test\n      parent: {1}\n      origin: {{position: {2}}}\n"
        "      axis: {3}\n      limits: {{min_deg: -170, max_deg: 170}}\n",
        k + 1, k == 0 ? "base" : fmt::format("l{}", k), origins[k], axes[k]);
    if (built && !with_motors) text += fmt::format("      friction: {}\n", link.friction);
    if (with_motors)
      text += fmt::format(
          "      actuator: {{source: test, gear: {{ratio: 100}}, motor: {{k_t: 0.05, inertia: {}, "
          "viscous: {}, coulomb: {}}}}}\n",
          built ? 3e-5 : 2e-5, built ? 5e-5 : 2e-5, built ? 5e-3 : 2e-3);
    text += fmt::format(
        "      link: {{name: l{}, source: test, mass: {}, volume: 0, centre_of_mass: {}, inertia: {}}}\n",
        k + 1, link.mass, link.centre, link.inertia);
  }
  return model::parse_arm(text, "bench.yaml");
}

ArmRun bench_run(const model::Arm& arm, std::uint64_t motion, std::uint64_t seed, const Bench& bench) {
  const Trajectory trajectory(motion);
  const dynamics::Arm links(without_drag(arm), model::Environment(),
                            bench.in_water ? dynamics::Medium::water : dynamics::Medium::air);
  dynamics::ArmWorkspace workspace(links);
  dynamics::Motion base;
  base.down_b = -Vec3::UnitZ();
  RandomStream random(seed, "bench noise");
  const auto samples = static_cast<Index>(bench.seconds * bench.rate_hz);
  ArmRun run{fmt::format("bench-{}-{}", motion, seed), Eigen::VectorXd(samples), Eigen::MatrixXd(samples, 3)};
  run.effort.resize(samples, 3);
  Vec3 noise = Vec3::Zero();
  for (Index k = 0; k < samples; ++k) {
    const double t = static_cast<double>(k) / bench.rate_hz;
    run.times[k] = t;
    Eigen::Matrix3d states;  // a column each of q, dq, ddq
    for (int j = 0; j < 3; ++j) states.row(j) = trajectory.at(j, t).transpose();
    Vec3 torque;
    dynamics::inverse_dynamics(links, base, std::span(states.col(0).data(), 3),
                               std::span(states.col(1).data(), 3), std::span(states.col(2).data(), 3),
                               workspace, std::span(torque.data(), 3));
    if (bench.in_water) torque += drag_efforts(arm, links, bench.drag_exponent, states, workspace);
    for (int j = 0; j < 3; ++j) {
      const model::Joint& joint = arm.joints()[static_cast<std::size_t>(j)];
      noise[j] = 0.8 * noise[j] + 0.6 * bench.noise * random.normal();
      const Vec3 q = states.row(j).transpose();
      const double K = bench.by_current ? model::motor_angle(joint.actuator->transmission, q[0]).ratio *
                                              joint.actuator->motor.k_t
                                        : 1;
      const double load = bench.load_friction * std::copysign(std::abs(torque[j]), q[1]);
      run.effort(k, j) = (torque[j] + load) / K + effort_beside_links(joint, bench, q) + noise[j] / K;
      const double past = k > 0 ? std::exp(-1 / (bench.rate_hz * std::max(bench.lag, 1e-9))) : 0;
      if (k > 0) run.effort(k, j) += past * (run.effort(k - 1, j) - run.effort(k, j));
      run.q(k, j) = std::round((q[0] + torque[j] / bench.stiffness) / bench.count) * bench.count;
    }
  }
  return run;
}

ArmFitOptions bench_options(ArmFitOptions::Estimator estimator, dynamics::Medium medium) {
  ArmFitOptions options;
  options.columns.viscous = options.columns.offset = true;
  options.columns.coulomb = dynamics::ArmColumns::Coulomb::symmetric;
  options.down_b = -Vec3::UnitZ();
  options.medium = medium;
  options.rest_speed = 0.1;  // the extra friction near rest has no column
  options.estimator = estimator;
  return options;
}

}  // namespace fathom::identify::test
