#include "fathom/report/validation_page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/identify/vehicle/scored_velocities.hpp"
#include "fathom/report/internal/number_text.hpp"
#include "fathom/report/internal/r2_boxes.hpp"

namespace fathom::report {
namespace {

using identify::RecordingResult;
using identify::Spread;
using identify::Validation;
using identify::VelocityResult;
using internal::fixed;
using internal::percent;

constexpr std::size_t most_plotted = 6;  // logs; more would make a page that no browser likes

std::string dof_name(model::Dof dof) { return fmt::format("{}-DoF", static_cast<int>(dof)); }
const char* unit_of(int velocity) { return velocity < 3 ? "m/s" : "rad/s"; }

Figures figures_of(const ValidationPage& page) {
  Figures strip;
  for (const int i : model::free_indices(page.validation->dof)) {
    const Spread r2 = page.validation->r2(i), rmse = page.validation->rmse(i);
    const std::string name(model::dof_name(i));
    std::string note = fmt::format("rmse {:.3g} {}", rmse.median, unit_of(i));
    if (r2.median < page.limit) note += fmt::format("; below the limit of {:g}", page.limit);
    strip.figures.push_back({"R\u00b2 of " + name, fixed(r2.median), std::move(note)});
  }
  return strip;
}

Text warnings(const ValidationPage& page) {
  Text text{.title = "Take care"};
  for (const RecordingResult& r : page.validation->recordings)
    if (r.prediction.diverged > 0)
      text.paragraphs.push_back(fmt::format(
          "The model runs away on {}: {} of {} samples are not compared, and the figures are of the rest.",
          r.name, r.prediction.diverged, r.samples));
  return text;
}

/// Velocities on the track's clock, NaN where they are not compared.
std::vector<double> row_of(const Mat6X& rows, int i, const std::vector<char>& marks) {
  std::vector<double> result(marks.size(), nan);
  for (std::size_t k = 0; k < marks.size(); ++k)
    if (marks[k]) result[k] = rows(i, static_cast<Eigen::Index>(k));
  return result;
}

Plot time_plot(const identify::Recording& recording, const RecordingResult& result, int i) {
  std::vector<double> t(static_cast<std::size_t>(recording.size()));
  for (std::size_t k = 0; k < t.size(); ++k) t[k] = recording.track.t(static_cast<Eigen::Index>(k));
  const std::string name(model::dof_name(i));
  Plot plot{.title = fmt::format("{}: {}", recording.name, name),
            .y_label = fmt::format("{} velocity {}", name, model::velocity_name(i)),
            .y_unit = unit_of(i)};
  plot.series.push_back({"measured", t, row_of(recording.track.nu_b, i, recording.usable)});
  plot.series.push_back(
      {"predicted", t, row_of(result.prediction.nu_b, i, result.prediction.compared), Series::Style::dashed});
  if (result.band)
    plot.bands.push_back({"predicted", t, row_of(result.band->low, i, result.band->compared),
                          row_of(result.band->high, i, result.band->compared)});
  return plot;
}

Boxes r2_boxes(const ValidationPage& page) {
  std::vector<internal::NamedValidation> validations;
  for (const Validation* validation : {page.validation, page.other})
    if (validation) validations.push_back({dof_name(validation->dof), validation});
  return internal::r2_boxes("R\u00b2 over logs", validations, model::free_indices(page.validation->dof));
}

Table metrics_table(const ValidationPage& page) {
  Table table{.title = "Every log",
              .columns = {"log", "velocity", "R\u00b2", "rmse", "unit", "rmse over range", "mean error",
                          "slope", "Pearson", "warped mean", "in the band", "samples"}};
  for (const RecordingResult& r : page.validation->recordings)
    for (const int i : model::free_indices(page.validation->dof)) {
      const VelocityResult& v = r.velocities[static_cast<std::size_t>(i)];
      const identify::Metrics& m = v.metrics;
      table.rows.push_back({r.name, std::string(model::dof_name(i)), fixed(m.r2), fixed(m.rmse, 4), unit_of(i),
                            percent(m.nrmse), fixed(m.mae, 4), fixed(m.slope), fixed(m.pearson),
                            fixed(v.warp_mean, 4), percent(v.coverage), fmt::format("{}", m.samples)});
    }
  table.note =
      "Forward simulation from the inputs alone. Mean error: of the absolute value. Slope: of predicted over "
      "measured. Warped mean: after dynamic time warping has taken out what is merely late or early.";
  return table;
}

Table comparison_table(const ValidationPage& page) {
  Table table{
      .title = "Are four degrees of freedom enough?",
      .columns = {"velocity", "R\u00b2 in " + dof_name(page.validation->dof),
                  "R\u00b2 in " + dof_name(page.other->dof), "rmse in " + dof_name(page.validation->dof),
                  "rmse in " + dof_name(page.other->dof), "unit"}};
  for (const int i : identify::scored_velocities)
    table.rows.push_back({std::string(model::dof_name(i)), fixed(page.validation->r2(i).median),
                          fixed(page.other->r2(i).median), fixed(page.validation->rmse(i).median, 4),
                          fixed(page.other->rmse(i).median, 4), unit_of(i)});
  table.note = page.comparison->verdict;
  return table;
}

Text about_bands(const ValidationPage& page) {
  Text text{.title = "What the bands hold"};
  text.paragraphs.push_back(fmt::format(
      "Each band is from an ensemble of simulations. {} A wrench drawn in blocks of {:.1f} s from the "
      "residuals of {} "
      "acts on each, and the measurement's own noise is added. 95 % of the measurements should be inside.",
      page.validation->has_covariance
          ? "Its members draw their parameters from the covariance that the robot file carries."
          : "The robot file has no covariance, so its members all have the same parameters.",
      page.validation->recordings.front().band->block,
      page.recordings.size() == 1 ? "the log itself, because there is no other," : "the other logs"));
  return text;
}

}  // namespace

std::vector<Item> validation_items(const ValidationPage& page) {
  std::vector<Item> items;
  if (Text text = warnings(page); !text.paragraphs.empty()) items.emplace_back(std::move(text));
  items.emplace_back(figures_of(page));
  const std::size_t plotted = std::min(page.recordings.size(), most_plotted);
  for (std::size_t k = 0; k < plotted; ++k)
    for (const int i : model::free_indices(page.validation->dof))
      items.emplace_back(time_plot(page.recordings[k], page.validation->recordings[k], i));
  if (plotted < page.recordings.size())
    items.emplace_back(Text{
        .paragraphs = {fmt::format("Plotted: the first {} of {} logs.", plotted, page.recordings.size())}});
  if (page.recordings.size() > 1) items.emplace_back(r2_boxes(page));
  if (page.other) items.emplace_back(comparison_table(page));
  items.emplace_back(metrics_table(page));
  if (page.validation->recordings.front().band) items.emplace_back(about_bands(page));
  return items;
}

Page validation_page(const ValidationPage& of) {
  return {.title = "Validation of " + of.robot,
          .subtitle = fmt::format("forward simulation in {} against {}", dof_name(of.validation->dof),
                                  of.recordings.size() == 1
                                      ? "one log"
                                      : fmt::format("{} logs; figures are medians", of.recordings.size())),
          .footer = of.footer,
          .items = validation_items(of)};
}

}  // namespace fathom::report
