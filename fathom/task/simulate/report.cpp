#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/loop/log_layout.hpp"
#include "fathom/report/robot_body.hpp"
#include "fathom/task/simulate/simulate.hpp"

namespace fathom::task {
namespace {

using namespace report;
using loop::PoseAndTwist;
using Run = SimulateResult::Evidence;
using Summary = SimulateSummary;

constexpr std::size_t most_events = 12;  // that anybody would read on a terminal

const log::Channel* find(const Run& run, const std::string& name) {
  for (const log::Channel& channel : run.channels)
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
  for (const loop::VehicleScenario& vehicle : run.scenario.vehicles) {
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
  for (const loop::ClusterScenario& cluster : run.scenario.clusters)
    if (const log::Channel* reference = find(run, cluster.name + ".reference"))
      scene.paths.push_back(reference_path(*reference));
  if (run.scenario.tank) scene.tank_n = Box{run.scenario.tank->min_n, run.scenario.tank->max_n};
  const simulate::CurrentSpec& current = run.scenario.current;
  // An arrow says one thing for everywhere and always; a small variation may be left out of it.
  const bool steady = current.profile.empty() && current.ramp.before_n == current.ramp.after_n &&
                      current.variation_sigma_n.norm() < 0.5 * current.constant_n.norm();
  if (steady && !current.constant_n.isZero(0)) scene.current_n = current.constant_n;
  return scene;
}

std::vector<Mark> marks_of(const Run& run, const std::string& name) {
  std::vector<Mark> marks;
  for (const loop::Event& event : run.run.events)
    if (event.vehicle == name && marks.size() < 20) marks.push_back({event.t, event.what});
  return marks;
}

/// In a few words: what an event tells is in its table.
void add_coupling_marks(const Run& run, const std::string& coupling, std::vector<Mark>& marks) {
  for (const loop::CouplingStatistics& statistics : run.run.couplings)
    if (statistics.name == coupling)
      for (const loop::CouplingEvent& event : statistics.events)
        marks.push_back({event.t, coupling + (event.closes ? " closes" : " opens")});
}

/// What befalls a vehicle, and the couplings that it has a part in.
std::vector<Mark> marks_of(const Run& run, const loop::VehicleScenario& vehicle) {
  std::vector<Mark> marks = marks_of(run, vehicle.name);
  for (const loop::CouplingScenario& coupling : run.scenario.couplings)
    for (const loop::CouplingEnd& end : coupling.ends)
      if (&run.scenario.vehicles[end.vehicle] == &vehicle) add_coupling_marks(run, coupling.name, marks);
  return marks;
}

/// A place that is measured near the body origin belongs on the plot of the true one.
void add_measured(const Run& run, const loop::VehicleScenario& vehicle, int axis, Plot& plot) {
  for (const std::size_t k : vehicle.sensors) {
    const model::Sensor& sensor = vehicle.robot.sensors()[k];
    const log::Channel* channel = find(run, vehicle.name + "." + sensor.name);
    if (!channel) continue;
    if (!sensor.position_b.value.isZero(0.5)) continue;
    const std::vector<model::SampleColumn>& columns = model::declaration_of(sensor.kind).parts[0].columns;
    for (std::size_t k_column = 0; k_column < columns.size(); ++k_column)
      if (columns[k_column].axis_n == axis)
        plot.series.push_back(
            {sensor.name + ", measured", channel->t, column(*channel, k_column), Series::Style::points});
  }
}

void add_motion(const Run& run, const loop::VehicleScenario& vehicle, const std::string& prefix,
                Document& page) {
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
                   Document& page) {
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

void add_tether(const Run& run, const loop::VehicleScenario& vehicle, const std::string& prefix,
                Document& page) {
  if (const log::Channel* tether = find(run, vehicle.name + ".tether"))
    page.items.emplace_back(
        Plot{.title = prefix + "Tension of the tether",
             .y_label = "Tension",
             .y_unit = "N",
             .series = {{"at the vehicle", tether->t, column(*tether, loop::Pull::tension)}}});
}

/// Every sensor as it was logged: one plot for each unit among its columns.
void add_sensors(const Run& run, const loop::VehicleScenario& vehicle, const std::string& prefix,
                 Document& page) {
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
                const std::vector<Mark>& marks, Document& page) {
  const double longest = 3 * static_cast<double>(run.stride) * run.scenario.step;
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

void add_couplings(const Run& run, Document& page) {
  for (const loop::CouplingScenario& coupling : run.scenario.couplings)
    if (const log::Channel* load = find(run, coupling.name + ".load")) {
      std::vector<Mark> marks;
      add_coupling_marks(run, coupling.name, marks);
      add_wrench(run, *load, coupling.name + ": load", marks, page);
    }
  for (const loop::ClusterScenario& cluster : run.scenario.clusters)
    if (const log::Channel* demand = find(run, cluster.name + ".control"))
      add_wrench(run, *demand, cluster.name + ", steered as one: what control asks for",
                 marks_of(run, cluster.name), page);
}

bool is_under_way(const Run& run, const loop::VehicleScenario& vehicle) {
  return vehicle.reference && vehicle.reference->duration() > run.scenario.duration;
}

/// What becomes of each coupling, for the terminal.
Table couplings_table(const std::vector<Summary::Coupling>& couplings) {
  Table table{.columns = {"coupling",
                          "closed",
                          {"largest force", "{:.2f} N"},
                          {"largest moment", "{:.2f} N m"},
                          {"impulse", "{:.2f} N s"},
                          {"energy lost", "{:.3f} J"},
                          {"drift", "{:.0e} m"}},
              .where = Where::terminal};
  for (const Summary::Coupling& c : couplings) {
    std::string closed;
    double impulse = 0, lost = 0;
    for (const Summary::CouplingEvent& event : c.events) {
      closed += event.impulse ? fmt::format("{}from {:g}", closed.empty() ? "" : ", ", event.t_s)
                              : fmt::format(" to {:g} s", event.t_s);
      if (event.impulse) impulse = std::max(impulse, Eigen::Map<const Vec3>(event.impulse->data()).norm());
      lost += event.energy_lost_J.value_or(0);
    }
    if (c.events.empty()) closed = "never";
    table.rows.push_back({c.name, closed, c.largest_force_N, c.largest_moment_N_m, impulse, lost, c.drift_m});
  }
  return table;
}

/// Every closing and opening, for the page.
Table coupling_events_table(const std::vector<Summary::Coupling>& couplings) {
  Table table{.title = "Couplings",
              .columns = {"coupling",
                          {"time [s]", "{:.2f}"},
                          "what",
                          TableColumn("off [mm]", "{:.2f}").times(1e3),
                          TableColumn("off [deg]", "{:.2f}").times(degrees),
                          {"speed [m/s]", "{:.3f}"},
                          {"impulse [N s]", "{:.3g}"},
                          {"impulse [N m s]", "{:.3g}"},
                          {"energy lost [J]", "{:.3g}"},
                          {"load before [N]", "{:.3g}"},
                          {"load before [N m]", "{:.3g}"}},
              .where = Where::page};
  const auto norm = [](const IfAny<std::array<double, 6>>& wrench, std::size_t first) {
    return wrench ? Eigen::Map<const Vec3>(wrench->data() + first).norm() : nan;
  };
  for (const Summary::Coupling& c : couplings) {
    for (const Summary::CouplingEvent& e : c.events)
      table.rows.push_back({c.name, e.t_s, e.what, e.misfit_m.value_or(nan), e.misfit_rad.value_or(nan),
                            e.speed_m_s.value_or(nan), norm(e.impulse, 0), norm(e.impulse, 3),
                            e.energy_lost_J.value_or(nan), norm(e.load, 0), norm(e.load, 3)});
    table.note += fmt::format(
        "{}: at most {:.3g} N and {:.3g} N m; within {:.1e} m and {:.1e} rad of where it met. {}", c.name,
        c.largest_force_N, c.largest_moment_N_m, c.drift_m, c.drift_rad,
        c.in_loop ? "It is part of a closed loop: of the loads that the motion allows, the least. " : "");
  }
  return table;
}

std::string centimetres(double metres) { return fmt::format("{:.2f} cm", 100 * metres); }

Text clusters_text(const std::vector<Summary::Cluster>& clusters) {
  Text text{.where = Where::terminal};
  for (const Summary::Cluster& c : clusters)
    text.paragraphs.push_back(fmt::format(
        "{}: steered as one for {:.1f} s{}", c.name, c.in_charge_s,
        c.tracking ? fmt::format(", {} off its path, rms, {:.2f} deg", centimetres(c.tracking->position_rms_m),
                                 degrees * c.tracking->attitude_rms_rad)
                   : ""));
  return text;
}

Figures figures_of(const Summary& s) {
  Figures strip;
  strip.figures.push_back({"simulated", fmt::format("{:g} s", s.simulated_s),
                           fmt::format("{} vehicle{}", s.vehicles.size(), s.vehicles.size() == 1 ? "" : "s")});
  for (const Summary::Vehicle& vehicle : s.vehicles) {
    if (!vehicle.tracking || strip.figures.size() >= 6) continue;
    const Summary::Tracking& t = *vehicle.tracking;
    strip.figures.push_back({vehicle.name + ": off its path", centimetres(t.position_rms_m),
                             "root mean square; largest " + centimetres(t.position_max_m)});
    strip.figures.push_back(
        {vehicle.name + ": off its attitude", fmt::format("{:.2f} deg", degrees * t.attitude_rms_rad),
         fmt::format("root mean square; largest {:.2f} deg", degrees * t.attitude_max_rad)});
  }
  strip.figures.push_back(
      {"events", fmt::format("{}", s.events.size()), s.events.empty() ? "no contact, no fault" : ""});
  return strip;
}

Table vehicles_table(const Summary& s, const std::optional<Run>& run) {
  Table table{
      .title = "Vehicles",
      .columns = {"vehicle",
                  {"robot", "", Where::page},
                  TableColumn("off its path, rms", "{:.2f} cm", Where::terminal).times(100),
                  TableColumn("largest", "{:.2f} cm", Where::terminal).times(100),
                  TableColumn("attitude, rms", "{:.2f} deg", Where::terminal).times(degrees),
                  TableColumn("distance", "{:.1f} m").on_page("distance [m]", "{:.2f}"),
                  {"top speed [m/s]", "{:.2f}", Where::page},
                  TableColumn("saturated", "{:.1f} %").times(100).on_page("saturated [%]", "{:.1f}"),
                  {"samples", "", Where::terminal}},
      .note = "Saturated: control steps in which the thrusters could not give the wrench that was asked.",
      .note_where = Where::page};
  for (std::size_t k = 0; k < s.vehicles.size(); ++k) {
    const Summary::Vehicle& v = s.vehicles[k];
    long delivered = 0;
    for (const Summary::Sensor& sensor : v.sensors) delivered += sensor.delivered;
    const Summary::Tracking off = v.tracking.value_or(Summary::Tracking{nan, nan, nan, nan});
    table.rows.push_back({v.name, run ? run->scenario.vehicles[k].robot.name() : "", off.position_rms_m,
                          off.position_max_m, off.attitude_rms_rad, v.distance_m, v.largest_speed_m_s,
                          v.saturated_share, delivered});
  }
  return table;
}

Table sensors_table(const Summary& s) {
  Table table{.title = "Sensors",
              .columns = {"sensor", "due", "delivered", "dropped", "failed", "no answer", "skipped",
                          "pushed out", "frozen"},
              .note =
                  "Samples due that are neither delivered nor dropped, failed, without an answer, skipped "
                  "(between two steps) or pushed out (not read in time) were under way at the end. Frozen "
                  "ones are among the delivered.",
              .where = Where::page};
  for (const Summary::Vehicle& v : s.vehicles)
    for (const Summary::Sensor& c : v.sensors)
      table.rows.push_back({v.name + "." + c.name, c.due, c.delivered, c.dropped, c.failed, c.no_answer,
                            c.skipped, c.pushed_out, c.frozen});
  return table;
}

Table events_table(const Summary& s) {
  Table table{.title = "Events", .columns = {{"time [s]", "{:.2f}"}, "vehicle", "what"}, .where = Where::page};
  for (const Summary::Event& event : s.events) table.rows.push_back({event.t_s, event.vehicle, event.what});
  return table;
}

/// Events and what else the terminal has to tell.
Text terminal_notes(const Summary& s, const std::optional<Run>& run) {
  Text text{.where = Where::terminal};
  auto& say = text.paragraphs;
  for (std::size_t k = 0; k < std::min(most_events, s.events.size()); ++k)
    say.push_back(fmt::format("{:8.2f} s  {}: {}", s.events[k].t_s, s.events[k].vehicle, s.events[k].what));
  if (s.events.size() > most_events)
    say.push_back(fmt::format("  ... and {} more events, in the report", s.events.size() - most_events));
  if (!run) return text;
  for (const loop::VehicleScenario& vehicle : run->scenario.vehicles)
    if (is_under_way(*run, vehicle))
      say.push_back(fmt::format("note: {} is still under way: its path ends at {:.1f} s, the run at {:g} s",
                                vehicle.name, vehicle.reference->duration(), s.duration_s));
  if (run->run.failed)
    say.push_back(fmt::format(
        "THE MOTION OF {} RAN AWAY at {:.3f} s; the log ends there. {}", run->run.failed_vehicle, s.simulated_s,
        run->scenario.adaptive ? "Is the control too stiff for the thrusters?"
                               : "A shorter step, a softer control, or integrator: dormand_prince?"));
  return text;
}

Text page_notes(const Summary& s, const Run& run) {
  Text text{.title = "Notes", .where = Where::page};
  if (run.stride > 1)
    text.paragraphs.push_back(
        fmt::format("Of long channels the page has one row in {} or fewer, evenly spaced: short peaks may be "
                    "missing. The log has every row.",
                    run.stride));
  for (const loop::VehicleScenario& vehicle : run.scenario.vehicles)
    if (is_under_way(run, vehicle))
      text.paragraphs.push_back(fmt::format("{} is still under way at the end: its path ends at {:.1f} s.",
                                            vehicle.name, vehicle.reference->duration()));
  for (const Summary::Vehicle& vehicle : s.vehicles)
    if (vehicle.events_left_out)
      text.paragraphs.push_back(
          fmt::format("{} more events of {} are not in the list.", *vehicle.events_left_out, vehicle.name));
  return text;
}

void add_drawings(const Run& run, Document& page) {
  page.add(scene_of(run));
  const bool several = run.scenario.vehicles.size() > 1;
  for (const loop::VehicleScenario& vehicle : run.scenario.vehicles) {
    const std::string prefix = several ? vehicle.name + ": " : "";
    add_motion(run, vehicle, prefix, page);
    add_thrusters(run, vehicle, prefix, page);
    add_tether(run, vehicle, prefix, page);
    add_sensors(run, vehicle, prefix, page);
  }
  add_couplings(run, page);
}

}  // namespace

Document SimulateResult::report() const {
  const Summary& s = summary;
  const bool is_titled = evidence && !evidence->scenario.title.empty();
  Document document{
      .title = is_titled ? evidence->scenario.title : s.scenario,
      .subtitle = "simulated by Fathom",
      .footer = fmt::format(
          "fathom {}: simulate {}, seed {}", version(),
          evidence ? std::filesystem::path(evidence->scenario.file).filename().string() : s.scenario, s.seed)};
  if (evidence) {
    const double wall = evidence->run.wall_seconds;
    document.add(Text{.paragraphs = {fmt::format("{}: {:g} s simulated in {:.2f} s ({:.0f} times real time)",
                                                 s.scenario, s.simulated_s, wall, s.simulated_s / wall)},
                      .where = Where::terminal});
  }
  if (evidence && evidence->run.failed)
    document.add(Text{.title = "This run failed",
                      .paragraphs = {fmt::format(
                          "The motion of {} ran away at {:g} s of {:g} s; everything below ends there.",
                          evidence->run.failed_vehicle, s.simulated_s, s.duration_s)},
                      .where = Where::page});
  document.add(figures_of(s));
  if (evidence) add_drawings(*evidence, document);
  if (evidence) document.add_text(page_notes(s, *evidence));
  document.add(vehicles_table(s, evidence));
  document.add(sensors_table(s));
  if (s.couplings) document.add(couplings_table(*s.couplings));
  if (s.couplings) document.add(coupling_events_table(*s.couplings));
  if (s.clusters) document.add_text(clusters_text(*s.clusters));
  if (!s.events.empty()) document.add(events_table(s));
  document.add_text(terminal_notes(s, evidence));
  return document;
}

}  // namespace fathom::task
