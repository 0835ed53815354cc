#include "fathom/identify/vehicle/test/command_path_plant.hpp"

namespace fathom::identify::test {
namespace {

/// A wrench that nobody commands, every step [s].
class Disturbance {
 public:
  Disturbance(const Vec6& rms, double memory, double step, std::uint64_t seed)
      : rms_(rms), keep_(std::exp(-step / memory)), random_(seed, "disturbance") {}
  const Vec6& step() {
    for (int i = 0; i < 6; ++i)
      now_[i] = keep_ * now_[i] + std::sqrt(1 - keep_ * keep_) * rms_[i] * random_.normal();
    return now_;
  }

 private:
  Vec6 rms_, now_ = Vec6::Zero();
  double keep_;
  RandomStream random_;
};

}  // namespace

log::Dataset logged(const Steered& truth, const model::Robot& robot, std::uint64_t seed) {
  constexpr double step = 0.01, duration = 240;
  const Mat6X B = model::allocation_matrix(robot);
  const Eigen::MatrixXd inverse = pseudo_inverse(B);
  simulate::Plant plant(robot, model::Dof::six, {model::Environment(), simulate::CurrentField()});
  dynamics::State start;
  start.p_nb_n.z() = 30;
  Eigen::VectorXd x = plant.initial(start);
  simulate::RungeKutta4 rk4(plant.size());
  const Wrench wrench = sinusoids(seed, (Vec6() << 14, 14, 14, 0, 0, 2).finished());
  const auto commanded = [&](double t) {
    return t < 0 ? Vec6(Vec6::Zero()) : wrench(0.02 * std::floor(t / 0.02 + 1e-9));
  };
  std::vector<LoggedSensor> sensors;
  for (const model::Sensor& sensor : robot.sensors()) sensors.emplace_back(sensor, seed);
  log::Channel told = empty_channel("rov.wrench", {"X", "Y", "Z", "K", "M", "N"});
  Disturbance disturbance(truth.disturbance_b, truth.memory, step, seed);
  Eigen::VectorXd pushed = Eigen::VectorXd::Zero(B.cols());
  const double follow = truth.lag > 0 ? 1 - std::exp(-step / truth.lag) : 1;
  simulate::Truth before;
  for (int n = 0; n <= std::lround(duration / step); ++n) {
    simulate::Truth now;
    now.t = step * n;
    Eigen::VectorXd forces = inverse * commanded(now.t - truth.delay);
    for (double& force : forces) {
      const double left = std::min(std::max(0.0, std::abs(force) - truth.dead_band), truth.saturation);
      force = truth.gain * (force > 0 ? left : -left);
    }
    pushed += follow * (forces - pushed);
    const Eigen::VectorXd all = pushed + inverse * disturbance.step();
    plant.command(std::span<const double>(all.data(), static_cast<std::size_t>(all.size())));
    if (n % 2 == 0) {
      const Vec6 tau = commanded(now.t);
      told.append(now.t, std::span<const double>(tau.data(), 6));
    }
    now.state = plant.vehicle_state(x);
    now.nu_dot_b = rk4.begin(plant, now.t, x).segment<6>(7);
    if (n > 0)
      for (LoggedSensor& sensor : sensors) sensor.step(before, now);
    before = now;
    rk4.finish(plant, now.t, step, x);
  }
  log::Dataset log;
  for (LoggedSensor& sensor : sensors) log.add(std::move(sensor.channel));
  log.add(std::move(told));
  return log;
}

}  // namespace fathom::identify::test
