#include "fathom/report/run_page.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/loop/log_layout.hpp"
#include "fathom/report/robot_body.hpp"

namespace fathom::report {
namespace {

using loop::PoseAndTwist;

const log::Channel* find(const Run& run, const std::string& name) {
  for (const log::Channel& channel : *run.channels)
    if (channel.info.name == name && channel.size() > 0) return &channel;
  return nullptr;
}

std::vector<double> column(const log::Channel& channel, std::size_t index, double factor = 1) {
  std::vector<double> y(channel.size());
  for (std::size_t k = 0; k < y.size(); ++k) y[k] = factor * channel.row(k)[index];
  return y;
}

Vec3 position(const log::Channel& channel, std::size_t k) { return PoseAndTwist::position_in(channel.row(k)); }

Quat attitude(const log::Channel& channel, std::size_t k) { return PoseAndTwist::attitude_in(channel.row(k)); }

/// Roll, pitch, yaw in degrees, without the jumps at +-180.
std::array<std::vector<double>, 3> euler_degrees(const log::Channel& channel) {
  std::array<std::vector<double>, 3> angles;
  for (std::size_t k = 0; k < channel.size(); ++k) {
    const Vec3 rpy = degrees * euler_from_quaternion(attitude(channel, k));
    for (std::size_t i = 0; i < 3; ++i) {
      double angle = rpy[static_cast<Eigen::Index>(i)];
      if (k > 0) angle += 360 * std::round((angles[i].back() - angle) / 360);
      angles[i].push_back(angle);
    }
  }
  return angles;
}

/// The way at most `most` points long; a view needs no more.
Path3 reference_path(const log::Channel& reference, std::size_t most = 500) {
  Path3 path{.name = "reference"};
  const std::size_t stride = std::max<std::size_t>(1, reference.size() / most);
  for (std::size_t k = 0; k < reference.size(); k += stride) path.points_n.push_back(position(reference, k));
  return path;
}

Scene scene_of(const Run& run) {
  Scene scene{.title = "Motion"};
  for (const loop::VehicleScenario& vehicle : run.scenario->vehicles) {
    const log::Channel* state = find(run, vehicle.name + ".state");
    if (!state) continue;
    Body body = robot_body(vehicle.name, vehicle.robot);
    body.t = state->t;
    for (std::size_t k = 0; k < state->size(); ++k) {
      body.p_n.push_back(position(*state, k));
      body.q_nb.push_back(attitude(*state, k));
    }
    scene.bodies.push_back(std::move(body));
    if (const log::Channel* reference = find(run, vehicle.name + ".reference"))
      scene.paths.push_back(reference_path(*reference));
    const trajectory::Waypoints* waypoints = vehicle.reference ? vehicle.reference->waypoints() : nullptr;
    if (waypoints && waypoints->points().size() > 1)
      for (const trajectory::Waypoint& point : waypoints->points()) scene.waypoints_n.push_back(point.p_nb_n);
  }
  for (const loop::ClusterScenario& cluster : run.scenario->clusters)
    if (const log::Channel* reference = find(run, cluster.name + ".reference"))
      scene.paths.push_back(reference_path(*reference));
  if (run.scenario->tank) scene.tank_n = Box{run.scenario->tank->min_n, run.scenario->tank->max_n};
  const simulate::CurrentSpec& current = run.scenario->current;
  // An arrow says one thing for everywhere and always; a small variation may be left out of it.
  const bool steady = current.profile.empty() && current.ramp.before_n == current.ramp.after_n &&
                      current.variation_sigma_n.norm() < 0.5 * current.constant_n.norm();
  if (steady && !current.constant_n.isZero(0)) scene.current_n = current.constant_n;
  return scene;
}

std::vector<Mark> marks_of(const Run& run, const std::string& name) {
  std::vector<Mark> marks;
  for (const loop::Event& event : run.events)
    if (event.vehicle == name && marks.size() < 20) marks.push_back({event.t, event.what});
  return marks;
}

/// In a few words: what an event tells is in its table.
void add_coupling_marks(const Run& run, const std::string& coupling, std::vector<Mark>& marks) {
  for (const loop::CouplingStatistics& statistics : run.couplings)
    if (statistics.name == coupling)
      for (const loop::CouplingEvent& event : statistics.events)
        marks.push_back({event.t, coupling + (event.closes ? " closes" : " opens")});
}

/// What befalls a vehicle, and the couplings that it has a part in.
std::vector<Mark> marks_of(const Run& run, const loop::VehicleScenario& vehicle) {
  std::vector<Mark> marks = marks_of(run, vehicle.name);
  for (const loop::CouplingScenario& coupling : run.scenario->couplings)
    for (const loop::CouplingEnd& end : coupling.ends)
      if (&run.scenario->vehicles[end.vehicle] == &vehicle) add_coupling_marks(run, coupling.name, marks);
  return marks;
}

/// A depth that is measured near the body origin belongs on the plot of the true one.
void add_measured(const Run& run, const loop::VehicleScenario& vehicle, int axis, Plot& plot) {
  for (const std::size_t k : vehicle.sensors) {
    const model::Sensor& sensor = vehicle.robot.sensors()[k];
    const log::Channel* channel = find(run, vehicle.name + "." + sensor.name);
    if (!channel) continue;
    if (sensor.kind == model::SensorKind::depth && axis == 2 && sensor.position_b.value.isZero(0.5))
      plot.series.push_back(
          {sensor.name + ", measured", channel->t, column(*channel, 0), Series::Style::points});
  }
}

void add_motion(const Run& run, const loop::VehicleScenario& vehicle, const std::string& prefix, Page& page) {
  const log::Channel* state = find(run, vehicle.name + ".state");
  if (!state) return;
  const log::Channel* reference = find(run, vehicle.name + ".reference");
  const auto marks = marks_of(run, vehicle);
  constexpr std::array<const char*, 3> places = {"North", "East", "Depth"}, angles = {"Roll", "Pitch", "Yaw"};
  for (int axis = 0; axis < 3; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    Plot plot{.title = prefix + places[i], .y_label = places[i], .y_unit = "m", .marks = marks};
    plot.series.push_back({"true", state->t, column(*state, PoseAndTwist::position + i)});
    if (reference)
      plot.series.push_back(
          {"reference", reference->t, column(*reference, PoseAndTwist::position + i), Series::Style::dashed});
    add_measured(run, vehicle, axis, plot);
    page.items.emplace_back(std::move(plot));
  }
  const auto truth = euler_degrees(*state);
  const auto wanted = reference ? euler_degrees(*reference) : std::array<std::vector<double>, 3>();
  for (std::size_t i = 0; i < 3; ++i) {
    Plot plot{.title = prefix + angles[i], .y_label = angles[i], .y_unit = "deg", .marks = marks};
    plot.series.push_back({"true", state->t, truth[i]});
    if (reference) {
      // Both were unwrapped by themselves; they may have started a turn apart.
      std::vector<double> y = wanted[i];
      const double turn = 360 * std::round((truth[i].front() - y.front()) / 360);
      for (double& angle : y) angle += turn;
      plot.series.push_back({"reference", reference->t, std::move(y), Series::Style::dashed});
    }
    page.items.emplace_back(std::move(plot));
  }
  Plot velocity{
      .title = prefix + "Velocity in body axes", .y_label = "Velocity", .y_unit = "m/s", .marks = marks};
  constexpr std::array<const char*, 3> speeds = {"u surge", "v sway", "w heave"};
  for (std::size_t i = 0; i < 3; ++i)
    velocity.series.push_back({speeds[i], state->t, column(*state, PoseAndTwist::twist + i)});
  page.items.emplace_back(std::move(velocity));
  if (!reference || reference->size() != state->size()) return;
  Plot error{
      .title = prefix + "Distance from the reference", .y_label = "Error", .y_unit = "cm", .marks = marks};
  std::vector<double> distance(state->size());
  for (std::size_t k = 0; k < distance.size(); ++k)
    distance[k] = 100 * (position(*state, k) - position(*reference, k)).norm();
  error.series.push_back({"position", state->t, std::move(distance)});
  page.items.emplace_back(std::move(error));
}

void add_thrusters(const Run& run, const loop::VehicleScenario& vehicle, const std::string& prefix,
                   Page& page) {
  const log::Channel* channel = find(run, vehicle.name + ".thrusters");
  if (!channel) return;
  const std::size_t n = vehicle.robot.thrusters().size();
  Plot plot{.title = prefix + "Forces of the thrusters",
            .y_label = "Force",
            .y_unit = "N",
            .marks = marks_of(run, vehicle)};
  for (std::size_t k = 0; k < n; ++k)
    plot.series.push_back({vehicle.robot.thrusters()[k].name, channel->t,
                           column(*channel, loop::CommandsAndForces::force(k, n))});
  page.items.emplace_back(std::move(plot));
}

void add_tether(const Run& run, const loop::VehicleScenario& vehicle, const std::string& prefix, Page& page) {
  if (const log::Channel* tether = find(run, vehicle.name + ".tether"))
    page.items.emplace_back(
        Plot{.title = prefix + "Tension of the tether",
             .y_label = "Tension",
             .y_unit = "N",
             .series = {{"at the vehicle", tether->t, column(*tether, loop::Pull::tension)}}});
}

/// Every sensor as it was logged: one plot for each unit among its columns.
void add_sensors(const Run& run, const loop::VehicleScenario& vehicle, const std::string& prefix, Page& page) {
  for (const std::size_t k : vehicle.sensors) {
    const model::Sensor& sensor = vehicle.robot.sensors()[k];
    const log::Channel* channel = find(run, vehicle.name + "." + sensor.name);
    if (!channel) continue;
    std::map<std::string, Plot> by_unit;
    for (std::size_t i = 0; i < channel->width(); ++i) {
      const Column& what = channel->info.columns[i];
      Plot& plot = by_unit[what.unit];
      plot.title = fmt::format("{}{}, measured", prefix, sensor.name);
      plot.y_label = model::name_of(sensor.kind);
      plot.y_unit = what.unit.empty() ? "1" : what.unit;
      plot.series.push_back({what.name, channel->t, column(*channel, i)});
    }
    for (auto& [unit, plot] : by_unit) page.items.emplace_back(std::move(plot));
  }
}

/// A channel that has rows now and then: the line breaks where it has none.
Series series_with_gaps(const log::Channel& channel, std::size_t index, double longest) {
  Series series{.name = channel.info.columns[index].name};
  for (std::size_t k = 0; k < channel.size(); ++k) {
    if (k > 0 && channel.t[k] - channel.t[k - 1] > longest) {
      series.t.push_back(0.5 * (channel.t[k] + channel.t[k - 1]));
      series.y.push_back(nan);
    }
    series.t.push_back(channel.t[k]);
    series.y.push_back(channel.row(k)[index]);
  }
  return series;
}

/// Two plots of a wrench: its force and its moment.
void add_wrench(const Run& run, const log::Channel& channel, const std::string& title,
                const std::vector<Mark>& marks, Page& page) {
  const double longest = 3 * static_cast<double>(run.stride) * run.scenario->step;
  for (const std::size_t first : {std::size_t{0}, std::size_t{3}}) {
    const bool is_force = first == 0;
    Plot plot{.title = title + (is_force ? ", force" : ", moment"),
              .y_label = is_force ? "Force" : "Moment",
              .y_unit = is_force ? "N" : "N m",
              .marks = marks};
    for (std::size_t i = 0; i < 3; ++i) plot.series.push_back(series_with_gaps(channel, first + i, longest));
    page.items.emplace_back(std::move(plot));
  }
}

void add_couplings(const Run& run, Page& page) {
  for (const loop::CouplingScenario& coupling : run.scenario->couplings)
    if (const log::Channel* load = find(run, coupling.name + ".load")) {
      std::vector<Mark> marks;
      add_coupling_marks(run, coupling.name, marks);
      add_wrench(run, *load, coupling.name + ": load", marks, page);
    }
  for (const loop::ClusterScenario& cluster : run.scenario->clusters)
    if (const log::Channel* demand = find(run, cluster.name + ".control"))
      add_wrench(run, *demand, cluster.name + ", steered as one: what control asks for",
                 marks_of(run, cluster.name), page);
}

Table couplings_table(const Run& run) {
  Table table{
      .title = "Couplings",
      .columns = {"coupling", "time [s]", "what", "off [mm]", "off [deg]", "speed [m/s]", "impulse [N s]",
                  "impulse [N m s]", "energy lost [J]", "load before [N]", "load before [N m]"}};
  const std::string none = "\u2013";
  const auto norms = [](const Vec6& wrench, std::size_t part) {
    return fmt::format("{:.3g}", part == 0 ? wrench.head<3>().norm() : wrench.tail<3>().norm());
  };
  for (const loop::CouplingStatistics& coupling : run.couplings)
    for (const loop::CouplingEvent& event : coupling.events) {
      std::vector<std::string> row = {coupling.name, fmt::format("{:.2f}", event.t),
                                      event.closes ? "closes" : "opens"};
      if (event.closes)
        row.insert(row.end(), {fmt::format("{:.2f}", 1e3 * event.meeting.misfit.distance),
                               fmt::format("{:.2f}", degrees * event.meeting.misfit.angle),
                               fmt::format("{:.3f}", event.meeting.speed), norms(event.impulse, 0),
                               norms(event.impulse, 1), fmt::format("{:.3g}", event.energy_lost), none, none});
      else
        row.insert(row.end(), {none, none, none, none, none, none, norms(event.load, 0), norms(event.load, 1)});
      table.rows.push_back(std::move(row));
    }
  for (const loop::CouplingStatistics& coupling : run.couplings)
    table.note += fmt::format(
        "{}: at most {:.3g} N and {:.3g} N m; within {:.1e} m and {:.1e} rad of where it met. {}",
        coupling.name, coupling.largest_force, coupling.largest_moment, coupling.drift.distance,
        coupling.drift.angle,
        coupling.is_in_loop ? "It is part of a closed loop: of the loads that the motion allows, the least. "
                            : "");
  return table;
}

std::string centimetres(double metres) { return fmt::format("{:.2f} cm", 100 * metres); }

Figures figures_of(const Run& run) {
  Figures strip;
  strip.figures.push_back(
      {"simulated", fmt::format("{:g} s", run.simulated),
       fmt::format("{} vehicle{}", run.vehicles.size(), run.vehicles.size() == 1 ? "" : "s")});
  for (const loop::VehicleStatistics& vehicle : run.vehicles) {
    if (!vehicle.tracking || strip.figures.size() >= 6) continue;
    strip.figures.push_back({vehicle.name + ": off its path", centimetres(vehicle.tracking->position_rms),
                             "root mean square; largest " + centimetres(vehicle.tracking->position_max)});
    strip.figures.push_back(
        {vehicle.name + ": off its attitude",
         fmt::format("{:.2f} deg", degrees * vehicle.tracking->attitude_rms),
         fmt::format("root mean square; largest {:.2f} deg", degrees * vehicle.tracking->attitude_max)});
  }
  strip.figures.push_back(
      {"events", fmt::format("{}", run.events.size()), run.events.empty() ? "no contact, no fault" : ""});
  return strip;
}

Table vehicles_table(const Run& run) {
  Table table{.title = "Vehicles",
              .columns = {"vehicle", "robot", "distance [m]", "top speed [m/s]", "saturated [%]"}};
  for (std::size_t k = 0; k < run.vehicles.size(); ++k) {
    const loop::VehicleStatistics& vehicle = run.vehicles[k];
    table.rows.push_back({vehicle.name, run.scenario->vehicles[k].robot.name(),
                          fmt::format("{:.2f}", vehicle.distance), fmt::format("{:.2f}", vehicle.largest_speed),
                          fmt::format("{:.1f}", 100 * vehicle.saturated_share)});
  }
  table.note = "Saturated: control steps in which the thrusters could not give the wrench that was asked.";
  return table;
}

Table sensors_table(const Run& run) {
  Table table{.title = "Sensors",
              .columns = {"sensor", "due", "delivered", "dropped", "failed", "no bottom", "skipped",
                          "pushed out", "frozen"}};
  for (const loop::VehicleStatistics& vehicle : run.vehicles)
    for (const loop::SensorStatistics& sensor : vehicle.sensors) {
      const auto& counts = sensor.counts;
      std::vector<std::string> row = {vehicle.name + "." + sensor.name};
      for (const long count : {counts.due, counts.delivered, counts.dropped, counts.failed, counts.no_bottom,
                               counts.skipped, counts.pushed_out, counts.frozen})
        row.push_back(fmt::format("{}", count));
      table.rows.push_back(std::move(row));
    }
  table.note =
      "Samples due that are neither delivered nor dropped, failed, without a bottom, skipped (between two "
      "steps) "
      "or pushed out (not read in time) were under way at the end. Frozen ones are among the delivered.";
  return table;
}

Table events_table(const Run& run) {
  Table table{.title = "Events", .columns = {"time [s]", "vehicle", "what"}};
  for (const loop::Event& event : run.events)
    table.rows.push_back({fmt::format("{:.2f}", event.t), event.vehicle, event.what});
  return table;
}

}  // namespace

Page run_page(const Run& run) {
  Page page{.title = run.scenario->title.empty() ? run.scenario->name : run.scenario->title,
            .subtitle = "simulated by Fathom",
            .footer = run.footer};
  if (!run.failed.empty())
    page.items.emplace_back(
        Text{.title = "This run failed",
             .paragraphs = {
                 fmt::format("The motion of {} ran away at {:g} s of {:g} s; everything below ends there.",
                             run.failed, run.simulated, run.scenario->duration)}});
  page.items.emplace_back(figures_of(run));
  page.items.emplace_back(scene_of(run));
  const bool several = run.scenario->vehicles.size() > 1;
  for (const loop::VehicleScenario& vehicle : run.scenario->vehicles) {
    const std::string prefix = several ? vehicle.name + ": " : "";
    add_motion(run, vehicle, prefix, page);
    add_thrusters(run, vehicle, prefix, page);
    add_tether(run, vehicle, prefix, page);
    add_sensors(run, vehicle, prefix, page);
  }
  add_couplings(run, page);
  std::vector<std::string> notes;
  if (run.stride > 1)
    notes.push_back(
        fmt::format("Of long channels the page has one row in {} or fewer, evenly spaced: short peaks may be "
                    "missing. The log has every row.",
                    run.stride));
  for (const loop::VehicleScenario& vehicle : run.scenario->vehicles)
    if (vehicle.reference && vehicle.reference->duration() > run.scenario->duration)
      notes.push_back(fmt::format("{} is still under way at the end: its path ends at {:.1f} s.", vehicle.name,
                                  vehicle.reference->duration()));
  for (const loop::VehicleStatistics& vehicle : run.vehicles)
    if (vehicle.events_left_out > 0)
      notes.push_back(
          fmt::format("{} more events of {} are not in the list.", vehicle.events_left_out, vehicle.name));
  if (!notes.empty()) page.items.emplace_back(Text{.title = "Notes", .paragraphs = notes});
  page.items.emplace_back(vehicles_table(run));
  page.items.emplace_back(sensors_table(run));
  if (!run.couplings.empty()) page.items.emplace_back(couplings_table(run));
  if (!run.events.empty()) page.items.emplace_back(events_table(run));
  return page;
}

}  // namespace fathom::report
