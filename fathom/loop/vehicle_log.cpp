#include "fathom/loop/vehicle_log.hpp"

#include <algorithm>
#include <array>

namespace fathom::loop {
namespace {

std::vector<log::Column> pose_and_twist_columns() {
  return {{"north", "m"}, {"east", "m"},  {"down", "m"}, {"qw", ""},   {"qx", ""},
          {"qy", ""},     {"qz", ""},     {"u", "m/s"},  {"v", "m/s"}, {"w", "m/s"},
          {"p", "rad/s"}, {"q", "rad/s"}, {"r", "rad/s"}};
}

std::span<double> put(std::span<double> out, const Quat& q_nb, const Vec3& p_n, const Vec6& nu_b) {
  for (int i = 0; i < 3; ++i) out[static_cast<std::size_t>(i)] = p_n[i];
  out[3] = q_nb.w();
  out[4] = q_nb.x();
  out[5] = q_nb.y();
  out[6] = q_nb.z();
  for (int i = 0; i < 6; ++i) out[static_cast<std::size_t>(7 + i)] = nu_b[i];
  return out.first(13);
}

}  // namespace

VehicleLog::VehicleLog(const VehicleScenario& vehicle, Sink& sink) : sink_(&sink) {
  const std::string& name = vehicle.name;
  const std::vector<model::Thruster>& list = vehicle.robot.thrusters();
  row_.assign(std::max<std::size_t>(13, 2 * list.size()), 0);
  state_ = sink.open(
      {name + ".state", "n", pose_and_twist_columns(), "truth: position and attitude of b in n, twist in b"});
  if (vehicle.reference)
    reference_ = sink.open({name + ".reference", "n", pose_and_twist_columns(),
                            "where the vehicle should be; twist in the axes of the reference"});
  std::vector<log::Column> columns;
  for (const model::Thruster& thruster : list) {
    columns.push_back({"command_" + thruster.name, std::string(model::symbol_of(thruster.command_unit()))});
  }
  for (const model::Thruster& thruster : list) columns.push_back({"force_" + thruster.name, "N"});
  if (!list.empty())
    thrusters_ = sink.open({name + ".thrusters", "none", columns, "commands, and the forces that act"});
  if (!std::holds_alternative<Drift>(vehicle.control)) {
    columns.clear();
    for (const char* axis : {"X", "Y", "Z"}) columns.push_back({axis, "N"});
    for (const char* axis : {"K", "M", "N"}) columns.push_back({axis, "N m"});
    columns.push_back({"saturated", ""});
    control_ = sink.open({name + ".control", "b", columns,
                          "the wrench that control asks for; saturated: 1 where the thrusters cannot give it"});
  }
  water_ = sink.open({name + ".water",
                      "n",
                      {{"north", "m/s"}, {"east", "m/s"}, {"down", "m/s"}},
                      "velocity of the water at the vehicle"});
  if (vehicle.tether)
    tether_ = sink.open({name + ".tether",
                         "n",
                         {{"north", "N"}, {"east", "N"}, {"down", "N"}, {"tension", "N"}},
                         "pull on the vehicle, and the tension in the line at the vehicle"});
}

void VehicleLog::state(double t, const dynamics::State& state) {
  sink_->append(state_, t, put(row_, state.q_nb, state.p_nb_n, state.nu_b));
}

void VehicleLog::reference(double t, const trajectory::Reference& reference) {
  sink_->append(reference_, t, put(row_, reference.q_nb, reference.p_nb_n, reference.nu_b));
}

void VehicleLog::thrusters(double t, std::span<const double> commands,
                           std::span<const simulate::Plant::ThrusterReading> readings) {
  const std::size_t n = commands.size();
  if (n == 0) return;
  for (std::size_t k = 0; k < n; ++k) {
    row_[k] = commands[k];
    row_[n + k] = readings[k].force;
  }
  sink_->append(thrusters_, t, std::span(row_).first(2 * n));
}

void VehicleLog::control(double t, const Vec6& demanded_b, bool saturated) {
  std::copy_n(demanded_b.data(), 6, row_.begin());
  row_[6] = saturated ? 1 : 0;
  sink_->append(control_, t, std::span(row_).first(7));
}

void VehicleLog::water(double t, const Vec3& velocity_n) {
  sink_->append(water_, t, std::span(velocity_n.data(), 3));
}

void VehicleLog::tether(double t, const simulate::TetherLoad& load) {
  const std::array<double, 4> pull = {load.vehicle_n.x(), load.vehicle_n.y(), load.vehicle_n.z(),
                                      load.tension_vehicle};
  sink_->append(tether_, t, pull);
}

}  // namespace fathom::loop
