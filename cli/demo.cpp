#include <cmath>

#include <fmt/format.h>

#include "fathom/dynamics/vehicle.hpp"
#include "fathom/model/catalogue.hpp"
#include "fathom/model/robot_file.hpp"
#include "fathom/simulate/rk4.hpp"

#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/robots.hpp"
#include "cli/table.hpp"
#include "cli/verb.hpp"

namespace fathom::cli {
namespace {

using dynamics::State;
using dynamics::Vehicle;

constexpr double duration = 60, dt = 0.01, push_newtons = 20;

/// What the demonstration shows: the vehicle pushed ahead from rest in still water until it no longer gains
/// speed, with an account of where the work of the push went.
struct Swim {
  double final_speed = 0, expected_speed = 0;   // m/s
  double work = 0, dissipated = 0, stored = 0;  // J
  std::string csv =
      "t [s],north [m],east [m],down [m],roll [rad],pitch [rad],yaw [rad],u [m/s],v [m/s],w [m/s],p [rad/s],q "
      "[rad/s],r [rad/s]\n";
};

/// The steady surge speed with d u + q u^2 = X: the positive root.
double steady_speed(const Vehicle& vehicle, double force) {
  const Mat6 still = dynamics::damping_matrix(vehicle, Vec6::Zero());
  const Mat6 unit = dynamics::damping_matrix(vehicle, Vec6::Unit(0));
  const double d = still(0, 0), q = unit(0, 0) - d;
  return q > 0 ? (std::sqrt(d * d + 4 * q * force) - d) / (2 * q) : force / d;
}

Swim swim(const Vehicle& vehicle) {
  Swim result;
  result.expected_speed = steady_speed(vehicle, push_newtons);
  const Vec6 tau = push_newtons * Vec6::Unit(0);
  State state;
  state.p_nb_n.z() = 1;
  const double energy_before = dynamics::potential_energy(vehicle, state);
  const int steps = static_cast<int>(std::lround(duration / dt));
  Progress progress("swimming");
  for (int k = 0; k <= steps; ++k) {
    if (k % 10 == 0) {
      throw_if_interrupted();
      const Vec3 rpy = euler_from_quaternion(state.q_nb);
      result.csv += fmt::format("{:g},{},{},{}\n", k * dt, fmt::join(state.p_nb_n, ","), fmt::join(rpy, ","),
                                fmt::join(state.nu_b, ","));
      progress.at(static_cast<double>(k) / steps);
    }
    if (k == steps) break;
    const State next = simulate::rk4_step(vehicle, state, tau, dt);
    // Powers by the trapezoidal rule: the account closes to the order of dt^2.
    const auto lost = [&](const State& s) { return s.nu_b.dot(dynamics::damping_force(vehicle, s.nu_b)); };
    result.work += 0.5 * dt * tau.dot(state.nu_b + next.nu_b);
    result.dissipated += 0.5 * dt * (lost(state) + lost(next));
    state = next;
  }
  result.final_speed = state.nu_b[0];
  result.stored = dynamics::kinetic_energy(vehicle, state.nu_b) + dynamics::potential_energy(vehicle, state) -
                  energy_before;
  return result;
}

int demo(const Verb& verb) {
  const auto file = model::find_robot_file("bluerov2-heavy", robot_folders());
  const model::Robot robot = model::read_robot(file);
  OutputFolder out(verb.out_folder(""));
  const Vehicle vehicle(robot, model::Environment(model::fresh_water), model::Dof::four);
  const Swim result = swim(vehicle);

  const double speed_error = std::abs(result.final_speed / result.expected_speed - 1);
  const double energy_error = std::abs(result.work - result.dissipated - result.stored) / result.work;
  const bool holds = speed_error < 1e-6 && energy_error < 1e-4;
  const nlohmann::ordered_json summary = {{"robot", robot.name()},
                                          {"dof", 4},
                                          {"duration_s", duration},
                                          {"push_N", push_newtons},
                                          {"final_speed_m_s", result.final_speed},
                                          {"closed_form_speed_m_s", result.expected_speed},
                                          {"work_J", result.work},
                                          {"dissipated_J", result.dissipated},
                                          {"stored_J", result.stored},
                                          {"energy_error", energy_error},
                                          {"checks_hold", holds},
                                          {"log", (out.target() / "swim.csv").string()}};
  out.write("swim.csv", result.csv);
  out.write("summary.json", to_text(summary));
  out.commit();

  Table table({"", "", "check"});
  table.row({"speed after 60 s", fmt::format("{:.6f} m/s", result.final_speed),
             fmt::format("closed form {:.6f} m/s", result.expected_speed)});
  table.row({"work of the push", fmt::format("{:.3f} J", result.work),
             fmt::format("= {:.3f} J to the water + {:.3f} J stored", result.dissipated, result.stored)});
  verb.print(summary,
             fmt::format("{}: pushed ahead with {:g} N for {:g} s (4-DoF, still fresh water)\n{}{}\nlog: {}\n",
                         robot.name(), push_newtons, duration, table.text(),
                         holds ? "both checks hold" : "A CHECK FAILED", summary["log"].get<std::string>()));
  return holds ? Status::done : Status::check_failed;
}

}  // namespace

void add_demo(CLI::App& program) {
  auto verb = std::make_shared<Verb>(
      program, "demo", "A first swim of the BlueROV2 Heavy, checked against closed form and energy",
      "fathom demo --out out/first-swim", Takes{.out = true});
  verb->runs([verb] { return demo(*verb); });
}

}  // namespace fathom::cli
