#include "fathom/loop/internal/vehicle_log.hpp"

#include <algorithm>
#include <array>

#include "fathom/loop/log_layout.hpp"

namespace fathom::loop::internal {

VehicleLog::VehicleLog(const VehicleScenario& vehicle, log::Sink& sink) : sink_(&sink) {
  const std::string& name = vehicle.name;
  const std::vector<model::Thruster>& list = vehicle.robot.thrusters();
  row_.assign(std::max(PoseAndTwist::width, CommandsAndForces::width(list.size())), 0);
  state_ = sink.open(
      {name + ".state", "n", PoseAndTwist::columns(), "truth: position and attitude of b in n, twist in b"});
  if (vehicle.reference)
    reference_ = sink.open({name + ".reference", "n", PoseAndTwist::columns(),
                            "where the vehicle should be; twist in the axes of the reference"});
  std::vector<Column> columns;
  for (const model::Thruster& thruster : list)
    columns.push_back({"command_" + thruster.name, std::string(model::symbol_of(thruster.command_unit()))});
  for (const model::Thruster& thruster : list) columns.push_back({"force_" + thruster.name, "N"});
  if (!list.empty())
    thrusters_ = sink.open({name + ".thrusters", "none", columns, "commands, and the forces that act"});
  if (!std::holds_alternative<Drift>(vehicle.control))
    control_ = sink.open({name + ".control", "b", Demand::columns(),
                          "the wrench that control asks for; saturated: 1 where the thrusters cannot give it"});
  water_ = sink.open({name + ".water",
                      "n",
                      {{"north", "m/s"}, {"east", "m/s"}, {"down", "m/s"}},
                      "velocity of the water at the vehicle"});
  if (vehicle.tether)
    tether_ = sink.open({name + ".tether", "n", Pull::columns(),
                         "pull on the vehicle, and the tension in the line at the vehicle"});
}

void VehicleLog::state(double t, const dynamics::State& state) {
  sink_->append(state_, t, PoseAndTwist::put(row_, state.q_nb, state.p_nb_n, state.nu_b));
}

void VehicleLog::reference(double t, const trajectory::Reference& reference) {
  sink_->append(reference_, t, PoseAndTwist::put(row_, reference.q_nb, reference.p_nb_n, reference.nu_b));
}

void VehicleLog::thrusters(double t, std::span<const double> commands,
                           std::span<const simulate::Plant::ThrusterReading> readings) {
  const std::size_t n = commands.size();
  if (n == 0) return;
  for (std::size_t k = 0; k < n; ++k) {
    row_[CommandsAndForces::command(k)] = commands[k];
    row_[CommandsAndForces::force(k, n)] = readings[k].force;
  }
  sink_->append(thrusters_, t, std::span(row_).first(CommandsAndForces::width(n)));
}

void VehicleLog::control(double t, const Vec6& demanded_b, bool saturated) {
  std::copy_n(demanded_b.data(), 6, std::span(row_).subspan(Demand::wrench).begin());
  row_[Demand::saturated] = saturated ? 1 : 0;
  sink_->append(control_, t, std::span(row_).first(Demand::width));
}

void VehicleLog::water(double t, const Vec3& velocity_n) {
  sink_->append(water_, t, std::span(velocity_n.data(), 3));
}

void VehicleLog::tether(double t, const simulate::TetherLoad& load) {
  std::array<double, Pull::width> pull;
  std::copy_n(load.vehicle_n.data(), 3, std::span(pull).subspan(Pull::force).begin());
  pull[Pull::tension] = load.tension_vehicle;
  sink_->append(tether_, t, pull);
}

}  // namespace fathom::loop::internal
