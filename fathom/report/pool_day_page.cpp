#include "fathom/report/pool_day_page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/identify/vehicle/scored_velocities.hpp"
#include "fathom/report/internal/r2_boxes.hpp"
#include "fathom/report/robot_body.hpp"
#include "fathom/report/validation_page.hpp"

namespace fathom::report {
namespace {

constexpr Eigen::Index most_poses = 3000;  // in the scene

/// The swim as the smoother saw it, on the path that was asked for.
Scene scene_of(const PoolDayPage& page) {
  const loop::VehicleScenario& vehicle = page.scenario->vehicles.front();
  const filter::Track& track = page.swum->track;
  Body body = robot_body(vehicle.name, vehicle.robot);
  Path3 path{.name = "reference"};
  const Eigen::Index stride = std::max<Eigen::Index>(1, track.size() / most_poses);
  for (Eigen::Index k = 0; k < track.size(); k += stride) {
    body.t.push_back(track.t(k));
    body.p_n.push_back(track.p_nb_n.col(k));
    body.q_nb.push_back(track.attitude(k));
    if (vehicle.reference) path.points_n.push_back(vehicle.reference->at(track.t(k)).p_nb_n);
  }
  Scene scene{.title = "The excitation, as the sensors saw it", .bodies = {std::move(body)}};
  if (!path.points_n.empty()) scene.paths.push_back(std::move(path));
  if (page.scenario->tank) scene.tank_n = Box{page.scenario->tank->min_n, page.scenario->tank->max_n};
  return scene;
}

Figures figures_of(const PoolDayPage& page) {
  Figures strip;
  const auto held =
      std::count_if(page.parameters.begin(), page.parameters.end(), [](const auto& p) { return p.holds; });
  strip.figures.push_back({"parameters", fmt::format("{}", page.parameters.size()),
                           "structure " + page.identified->structure.name + ", chosen by the data"});
  strip.figures.push_back({"hold the truth", fmt::format("{} of {}", held, page.parameters.size()),
                           "95 % intervals; a plant outside the fitted class"});
  const identify::NuisanceEstimate& nuisance = page.identified->fit.nuisance;
  strip.figures.push_back({"delay", fmt::format("{:.0f} ms", 1000 * nuisance.value.delay),
                           fmt::format("\u00b1 {:.0f} ms (95 %), thruster lag included",
                                       1000 * sigmas_of_95 * nuisance.delay_sigma)});
  for (const TrackingRow& row : page.tracking)
    if (row.tracking)
      strip.figures.push_back({row.control, fmt::format("{:.1f} cm", 100 * row.tracking->position_rms),
                               "off an unseen path, root mean square"});
  return strip;
}

Table parameter_table(const PoolDayPage& page) {
  Table table{.title = "Parameters",
              .columns = {"", "parameter", "unit", "true", "estimated", "95 % from", "to", "holds the truth"}};
  for (std::size_t k = 0; k < page.parameters.size(); ++k) {
    const ParameterBesideTruth& p = page.parameters[k];
    const auto number = [](double x) { return fmt::format("{:.3f}", x); };
    table.rows.push_back({fmt::format("{}", k + 1), p.name, p.unit, number(p.truth), number(p.value),
                          number(p.value - sigmas_of_95 * p.sigma), number(p.value + sigmas_of_95 * p.sigma),
                          p.holds ? "yes" : "no"});
  }
  table.note =
      "True: the plant's own entries. The plant is not of the fitted class: its drag along each axis grows "
      "with "
      "the speed along the others, which the nearest terms take up, and it has thruster lag, a tether and a "
      "wandering current. So 95 % is more than can be asked.";
  return table;
}

/// What the terminal says below its table of parameters.
Text constraints_text(const identify::Identified& identified) {
  Text text{.title = "What holds the estimate back"};
  for (const std::string& name : identified.active_constraints())
    text.paragraphs.push_back("BOUND HIT: " + name);
  for (const std::string& name : identified.expected_active_constraints())
    text.paragraphs.push_back("at its edge, as hulls may be: " + name);
  if (text.paragraphs.empty()) text.paragraphs.push_back("No condition.");
  return text;
}

/// Estimates less the truth in their own sigmas: all parameters on one scale.
Plot error_plot(const PoolDayPage& page) {
  Series errors{.name = "estimate less truth", .style = Series::Style::points};
  for (std::size_t k = 0; k < page.parameters.size(); ++k) {
    const ParameterBesideTruth& p = page.parameters[k];
    errors.t.push_back(static_cast<double>(k + 1));
    errors.y.push_back((p.value - p.truth) / p.sigma);
  }
  Plot plot{.title = "Errors of the parameters",
            .y_label = "Error",
            .y_unit = "sigma",
            .x_label = "number in the table"};
  const double last = static_cast<double>(page.parameters.size()) + 1;
  plot.series = {std::move(errors),
                 {"95 %", {0, last}, {sigmas_of_95, sigmas_of_95}, Series::Style::limit},
                 {"95 %", {0, last}, {-sigmas_of_95, -sigmas_of_95}, Series::Style::limit}};
  return plot;
}

Table choice_table(const PoolDayPage& page) {
  const identify::StructureChoice& choice = *page.identified->choice;
  Table table{.title = "Which structure?",
              .columns = {"structure", "parameters", "error on held-out blocks", "worse than the best by", ""}};
  for (std::size_t k = 0; k < choice.candidates.size(); ++k) {
    const identify::Candidate& c = choice.candidates[k];
    table.rows.push_back({c.structure.name, fmt::format("{}", c.structure.size()),
                          c.tried ? fmt::format("{:.4f}", c.error) : "\u2013",
                          c.tried ? fmt::format("{:.4f} \u00b1 {:.4f}", c.worse, c.worse_sigma) : c.why_not,
                          k == choice.chosen ? "chosen" : ""});
  }
  table.note = "Mean square in sigmas of the residuals, over blocks of time that were not fitted to.";
  return table;
}

/// As Fig. 6 of Panetsos, with the source's structure beside.
Boxes r2_boxes(const PoolDayPage& page) {
  const std::string linear = "linear, as the source's";
  std::string chosen = page.identified->structure.name;
  if (chosen == linear) chosen += " (chosen)";
  return internal::r2_boxes("R\u00b2 over unseen motions and the joystick",
                            {{std::move(chosen), page.validation}, {linear, page.linear}},
                            identify::scored_velocities);
}

Table tracking_table(const PoolDayPage& page) {
  Table table{.title = "What the estimate is good for: an unseen path",
              .columns = {"control", "off its path, rms [cm]", "largest [cm]"}};
  for (const TrackingRow& row : page.tracking)
    table.rows.push_back({row.control,
                          row.tracking ? fmt::format("{:.2f}", 100 * row.tracking->position_rms) : "ran away",
                          row.tracking ? fmt::format("{:.2f}", 100 * row.tracking->position_max) : ""});
  return table;
}

}  // namespace

Page pool_day_page(const PoolDayPage& of) {
  Page page{.title = "A pool day",
            .subtitle = "excited, swum, identified, validated and used by Fathom",
            .footer = of.footer};
  if (!of.failed.empty())
    page.items.emplace_back(Text{.title = "Checks that do not hold", .paragraphs = of.failed});
  page.items.emplace_back(figures_of(of));
  page.items.emplace_back(scene_of(of));
  page.items.emplace_back(parameter_table(of));
  page.items.emplace_back(constraints_text(*of.identified));
  page.items.emplace_back(error_plot(of));
  if (of.identified->choice) page.items.emplace_back(choice_table(of));
  page.items.emplace_back(r2_boxes(of));
  page.items.emplace_back(tracking_table(of));
  if (!of.exported.empty())
    page.items.emplace_back(
        Text{.title = "The identified robot for other programs", .paragraphs = {}, .links = of.exported});
  const ValidationPage validation{.robot = {},
                                  .validation = of.validation,
                                  .other = nullptr,
                                  .comparison = nullptr,
                                  .recordings = of.recordings};
  for (Item& item : validation_items(validation))
    if (!std::holds_alternative<Boxes>(item)) page.items.push_back(std::move(item));  // its boxes are ours
  return page;
}

}  // namespace fathom::report
