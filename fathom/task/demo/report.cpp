#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/identify/vehicle/scored_velocities.hpp"
#include "fathom/report/robot_body.hpp"
#include "fathom/task/demo/demo.hpp"
#include "fathom/task/options.hpp"

namespace fathom::task {
namespace {

using namespace report;
using Evidence = DemoResult::Evidence;

constexpr Eigen::Index most_poses = 3000;  // in the scene

/// The dive as the smoother saw it, on the path that was asked for.
Scene scene_of(const Evidence& at) {
  const loop::Scenario scenario = pool::with_motion(at.day.excitation, at.motion);
  const loop::VehicleScenario& vehicle = scenario.vehicles.front();
  const filter::Track& track = at.chosen.evidence->recordings.front().track;
  Body body = robot_body(vehicle.name, vehicle.robot);
  Path3 path{.name = "reference"};
  const Eigen::Index stride = std::max<Eigen::Index>(1, track.size() / most_poses);
  for (Eigen::Index k = 0; k < track.size(); k += stride) {
    body.t.push_back(track.t(k));
    body.p_n.push_back(track.p_nb_n.col(k));
    body.q_nb.push_back(track.attitude(k));
    path.points_n.push_back(vehicle.reference->at(track.t(k)).p_nb_n);
  }
  Scene scene{.title = "The excitation, as the sensors saw it",
              .bodies = {std::move(body)},
              .paths = {std::move(path)}};
  if (scenario.tank) scene.tank_n = Box{scenario.tank->min_n, scenario.tank->max_n};
  return scene;
}

/// A way of control: its name on the page, and how well it held the vehicle on its path.
struct Control {
  std::string name;
  const std::optional<DemoSummary::Track>& track;
};
std::vector<Control> controls_of(const DemoSummary::Tracking& t) {
  return {{"PID alone", t.alone},
          {"feed-forward of the nominal robot", t.nominal},
          {"feed-forward of the identified robot", t.identified}};
}

Figures figures_of(const DemoSummary& s) {
  const DemoSummary::Identification& id = s.identification;
  Figures strip{{{"parameters", fmt::format("{}", id.parameters.size()),
                  "structure " + id.structure + ", chosen by the data"},
                 {"hold the truth", fmt::format("{} of {}", id.intervals_that_hold, id.parameters.size()),
                  "95 % intervals; a plant outside the fitted class"},
                 {"delay", fmt::format("{:.0f} ms", 1000 * id.delay_s),
                  fmt::format("\u00b1 {:.0f} ms (95 %), thruster lag included",
                              1000 * sigmas_of_95 * id.delay_sigma_s)}}};
  for (const auto& [name, track] : controls_of(s.tracking))
    if (track)
      strip.figures.push_back({name, fmt::format("{:.1f} cm", 100 * track->position_rms_m),
                               "off an unseen path, root mean square"});
  return strip;
}

Table candidates_table(const DemoSummary::Identification& id) {
  Table table{.title = "Which structure?",
              .columns = {"structure",
                          "parameters",
                          {"error on held-out blocks", "{:.4f}"},
                          TableColumn("worse than the best by", "{:.4f} +- {:.4f}")
                              .on_page("worse than the best by", "{:.4f} \u00b1 {:.4f}"),
                          ""},
              .note = "Mean square in sigmas of the residuals, over blocks of time that were not fitted to.",
              .note_where = Where::page};
  for (const DemoSummary::Candidate& c : id.candidates)
    table.rows.push_back({c.structure, c.parameters, c.error,
                          c.why_not.empty() ? Cell{c.worse, c.worse_sigma} : Cell(c.why_not),
                          c.structure == id.structure ? "chosen" : ""});
  return table;
}

Table parameters_table(const DemoSummary::Identification& id) {
  const auto number = [](const char* name, Where where = Where::both) {
    return TableColumn(name, "{:.3f}", where);
  };
  Table table{.title = "Parameters",
              .columns = {{"", "", Where::page},
                          "parameter",
                          "unit",
                          number("true"),
                          number("estimated"),
                          {"95 % interval", "{:.3f} .. {:.3f}", Where::terminal},
                          number("95 % from", Where::page),
                          number("to", Where::page),
                          {"holds the truth", "", Where::page},
                          {"", "", Where::terminal}},
              .note =
                  "True: the plant's own entries. The plant is not of the fitted class: its drag along each "
                  "axis grows with the speed along the others, which the nearest terms take up, and it has "
                  "thruster lag, a tether and a wandering current. So 95 % is more than can be asked.",
              .note_where = Where::page};
  for (const DemoSummary::Parameter& p : id.parameters)
    table.rows.push_back({table.rows.size() + 1,
                          p.name,
                          p.unit,
                          p.true_,
                          p.estimate,
                          {p.low, p.high},
                          p.low,
                          p.high,
                          p.holds ? "yes" : "no",
                          p.holds ? "" : "misses"});
  return table;
}

std::string times_text(const DemoSummary::Identification& id) {
  const auto ms = [](double seconds, double sigma) {
    return fmt::format("{:.0f} +- {:.0f} ms", 1000 * seconds, 1000 * sigmas_of_95 * sigma);
  };
  std::string text = "delay from command to force: " + ms(id.delay_s, id.delay_sigma_s);
  if (id.lag_s) text += ", and a lag of the thrusters of " + ms(*id.lag_s, id.lag_sigma_s.value_or(0));
  return text + " (95 %)";
}

Text intervals_text(const DemoSummary::Identification& id) {
  return {.paragraphs = {fmt::format("{} of {} intervals hold the plant's own number; what the structure lacks "
                                     "(lag, lift, tether) goes into those that it has",
                                     id.intervals_that_hold, id.parameters.size()),
                         times_text(id)},
          .where = Where::terminal};
}

Text constraints_text(const DemoSummary::Identification& id) {
  Text text{.title = "What holds the estimate back"};
  for (const std::string& name : id.active_constraints) text.paragraphs.push_back("BOUND HIT: " + name);
  for (const std::string& name : id.expected_active_constraints)
    text.paragraphs.push_back("at its edge, as hulls may be: " + name);
  if (!text.paragraphs.empty()) return text;
  text.paragraphs.emplace_back("No condition.");
  text.where = Where::page;
  return text;
}

/// Estimates less the truth in their own sigmas: all parameters on one scale.
Plot error_plot(const DemoSummary::Identification& id) {
  Series errors{.name = "estimate less truth", .style = Series::Style::points};
  for (const DemoSummary::Parameter& p : id.parameters) {
    errors.t.push_back(static_cast<double>(errors.t.size() + 1));
    errors.y.push_back((p.estimate - p.true_) / p.sigma);
  }
  const double last = static_cast<double>(id.parameters.size()) + 1;
  return {.title = "Errors of the parameters",
          .y_label = "Error",
          .y_unit = "sigma",
          .series = {std::move(errors),
                     {"95 %", {0, last}, {sigmas_of_95, sigmas_of_95}, Series::Style::limit},
                     {"95 %", {0, last}, {-sigmas_of_95, -sigmas_of_95}, Series::Style::limit}},
          .x_label = "number in the table"};
}

/// As Fig. 6 of Panetsos, with the source's structure beside.
Boxes compared_boxes(const std::string& structure, const Evidence& at) {
  const std::string linear = "linear, as the source's";
  return r2_boxes("R\u00b2 over unseen motions and the joystick",
                  {{structure == linear ? structure + " (chosen)" : structure, &at.validation.evidence->chosen},
                   {linear, &at.linear.evidence->chosen}},
                  identify::scored_velocities);
}

Table r2_table(const DemoSummary& s, const Evidence& at) {
  const std::size_t paths = s.validation.trajectories;
  const identify::Validation &all = at.validation.evidence->chosen, &linear = at.linear.evidence->chosen;
  const auto number = [](const char* name) { return TableColumn(name, "{:.3f}"); };
  Table table{.columns = {"R2 of", number("unseen motions"), number("linear structure"), number("joystick"),
                          number("linear structure"), percent_column("in the 95 % band, motions"),
                          percent_column("joystick")},
              .note = fmt::format("medians over {} unseen motions of {:g} s; {:g} s of joystick", paths,
                                  s.excitation.duration_s, at.options.joystick_seconds),
              .where = Where::terminal};
  const auto r2 = [&](const identify::Validation& of, int i, bool by_pilot) {
    const auto part = by_pilot ? pool::part_of(of, paths, 1) : pool::part_of(of, 0, paths);
    return model::is_free(of.dof, i) ? part.r2(i).median : nan;
  };
  for (const int i : model::free_indices(all.dof))
    table.rows.push_back({model::dof_name(i), r2(all, i, false), r2(linear, i, false), r2(all, i, true),
                          r2(linear, i, true), pool::part_of(all, 0, paths).coverage(i).median,
                          pool::part_of(all, paths, 1).coverage(i).median});
  return table;
}

Table tracking_table(const DemoSummary::Tracking& tracking) {
  Table table{
      .title = "What the estimate is good for: an unseen path",
      .columns = {
          {"control on an unseen path", "", Where::terminal},
          {"control", "", Where::page},
          TableColumn("off it, rms", "{:.2f} cm").times(100).on_page("off its path, rms [cm]", "{:.2f}"),
          TableColumn("largest", "{:.2f} cm").times(100).on_page("largest [cm]", "{:.2f}")}};
  for (const auto& [name, track] : controls_of(tracking))
    table.rows.push_back({name.starts_with("PID") ? name : "PID with " + name, name,
                          track ? Cell(track->position_rms_m) : Cell("ran away"),
                          track ? Cell(track->position_max_m) : Cell()});
  return table;
}

/// The items of the validation on the page, without boxes: those are ours.
void add_validation(Document& document, const ValidateResult& validation) {
  Document own = validation.report();
  for (Item& item : own.items) {
    auto* text = std::get_if<Text>(&item);
    auto* table = std::get_if<Table>(&item);
    Where here = Where::page;
    Where& where = text ? text->where : table ? table->where : here;
    if (std::holds_alternative<Boxes>(item) || !appears(where, Where::page)) continue;
    where = Where::page;
    document.add(std::move(item));
  }
}

}  // namespace

Document DemoResult::report() const {
  const DemoSummary& s = summary;
  const DemoSummary::Identification& id = s.identification;
  Document document{.title = "A pool day",
                    .subtitle = "excited, swum, identified, validated and used by Fathom",
                    .footer = fmt::format("fathom {}: demo, seed {}", s.version, s.seed)};
  document.add(Text{.paragraphs = {evidence ? evidence->day.excitation.title : s.excitation.problem,
                                   fmt::format("excited and swum: {:g} s, {:.1f} m", s.excitation.duration_s,
                                               s.excitation.distance_m)},
                    .where = Where::terminal});
  Text failed{.title = "Checks that do not hold", .where = Where::page}, told{.where = Where::terminal};
  for (const DemoSummary::Check& check : s.checks)
    if (!check.holds) {
      failed.paragraphs.push_back(check.what);
      told.paragraphs.push_back("A CHECK FAILED: " + check.what);
    }
  document.add_text(failed);
  document.add(figures_of(s));
  if (evidence) document.add(scene_of(*evidence));
  if (!id.candidates.empty()) document.add(candidates_table(id));
  document.add(parameters_table(id));
  document.add(intervals_text(id));
  document.add(constraints_text(id));
  document.add(error_plot(id));
  if (evidence) {
    document.add(compared_boxes(id.structure, *evidence));
    document.add(r2_table(s, *evidence));
  }
  document.add(tracking_table(s.tracking));
  document.add_text(told);
  if (!evidence) return document;
  document.add_text({.title = "The identified robot for other programs",
                     .paragraphs = {},
                     .links = evidence->links,
                     .where = Where::page});
  add_validation(document, evidence->validation);
  return document;
}

std::string DemoResult::next_steps() const {
  const std::filesystem::path folder = std::filesystem::path(summary.report).parent_path();
  const auto at = [&](const char* name) { return shell_word((folder / name).string()); };
  return fmt::format(
      "again, from the files:\n"
      "  fathom identify --robot {} --log {} --thrust-sigma {}{}{}\n"
      "  fathom validate --robot {} --log {}\n"
      "report: {}\n",
      at("nominal.yaml"), at("log"), pool::bench_sigma,
      summary.identification.active_constraints.empty() ? "" : " --accept-bounds",
      summary.identification.not_shown.empty() ? "" : " --accept-unseen", at("robot.yaml"), at("unseen"),
      at("report.html"));
}

}  // namespace fathom::task
