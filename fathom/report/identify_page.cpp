#include "fathom/report/identify_page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/report/internal/identify_plots.hpp"
#include "fathom/report/internal/number_text.hpp"

namespace fathom::report {
namespace {

using identify::Identified;
using internal::percent;
using internal::significant;
using internal::unit_text;

std::vector<std::string> names_of(const Identified& found) {
  std::vector<std::string> names;
  for (const model::Parameter& parameter : found.parameters.entries()) names.push_back(parameter.name);
  return names;
}

bool is_unidentifiable(const Identified& found, std::size_t k) {
  const auto& unseen = found.identifiability.unidentifiable;
  return std::find(unseen.begin(), unseen.end(), k) != unseen.end();
}

/// What the reader must know before anything else.
Text warnings(const IdentifyPage& page) {
  const Identified& found = *page.found;
  Text text{.title = "Take care"};
  if (!page.about_estimator.empty()) text.paragraphs.push_back(page.about_estimator);
  for (const std::string& name : found.active_constraints())
    text.paragraphs.push_back(fmt::format(
        "A bound is hit: {}. The data want something else than nature, or the bound, allows.", name));
  if (found.neglects_tilt())
    text.paragraphs.push_back(
        fmt::format("The vehicle heels by {:.1f} deg (rms), which this structure takes for zero: inertia and "
                    "drag may be off "
                    "by more than their intervals say.",
                    found.tilt * degrees));
  if (!found.all_identifiable()) {
    std::vector<std::string> names;
    for (const std::size_t k : found.identifiability.unidentifiable) names.push_back(found.parameters[k].name);
    text.paragraphs.push_back(
        fmt::format("The logs do not show {}: the values are not worth much.", join(names, ", ")));
  }
  return text;
}

Figures figures_of(const IdentifyPage& page) {
  const Identified& found = *page.found;
  const identify::NuisanceEstimate& nuisance = found.fit.nuisance;
  Figures strip;
  strip.figures.push_back(
      {"structure", found.structure.name,
       fmt::format("{} parameters, {}-DoF", found.structure.size(), static_cast<int>(found.structure.dof))});
  strip.figures.push_back({"samples", fmt::format("{}", found.fit.residuals.t.size()),
                           fmt::format("one every {:.3g} s, of {} log{}", found.sample_interval(),
                                       page.recordings.size(), page.recordings.size() == 1 ? "" : "s")});
  double worst = 0;
  int where = 0;
  Eigen::Index row = 0;
  for (const int i : model::free_indices(found.structure.dof)) {
    const double share = found.residual_rms(row++) / found.wrench[i];
    if (share > worst) {
      worst = share;
      where = i;
    }
  }
  strip.figures.push_back(
      {"not explained", percent(worst), "of the wrench at most, in " + std::string(model::dof_name(where))});
  strip.figures.push_back(
      {"delay", fmt::format("{:.0f} ms", 1e3 * nuisance.value.delay),
       nuisance.delay_sigma > 0 ? fmt::format("sigma {:.1f} ms", 1e3 * nuisance.delay_sigma) : "as told"});
  strip.figures.push_back({"condition number", fmt::format("{:.3g}", found.fit.scaled_condition),
                           fmt::format("columns of unit length; {:.3g} without", found.fit.condition)});
  const std::size_t hit = found.active_constraints().size(),
                    unseen = found.identifiability.unidentifiable.size();
  strip.figures.push_back({"bounds hit", fmt::format("{}", hit), hit == 0 ? "none" : "named above"});
  strip.figures.push_back(
      {"not seen", fmt::format("{}", unseen), unseen == 0 ? "every parameter is seen" : "named above"});
  return strip;
}

Table parameters_table(const IdentifyPage& page) {
  const model::ParameterVector &now = page.found->parameters, &before = *page.before;
  Table table{.title = "Parameters",
              .columns = {"parameter", "unit", "estimate", "from", "to", "sigma", "before", "sigma before",
                          "group", "seen"}};
  for (std::size_t k = 0; k < now.size(); ++k) {
    const double value = now[k].value, half = sigmas_of_95 * now.sigma(k);
    table.rows.push_back(
        {now[k].name, unit_text(now[k].unit), significant(value, 4), significant(value - half, 4),
         significant(value + half, 4), significant(now.sigma(k), 2), significant(before[k].value, 4),
         significant(before.sigma(k), 2), now[k].group, is_unidentifiable(*page.found, k) ? "no" : "yes"});
  }
  table.note =
      "From, to: 95 % interval. It allows for residuals that remember, for delay, current and attitude errors. "
      "Inertia "
      "is that of body and water together. Before: the robot file.";
  return table;
}

/// 95 % half widths by what they are worth in wrench.
Bars interval_bars(const IdentifyPage& page) {
  const Identified& found = *page.found;
  Bars bars{.title = "What the uncertainty of each parameter is worth",
            .label = "Half of the 95 % interval, as a share of the wrench of its row",
            .unit = "%",
            .names = {"now", "before"},
            .groups = names_of(found),
            .values = {{}, {}}};
  for (std::size_t k = 0; k < found.parameters.size(); ++k) {
    const double worth = 100 * sigmas_of_95 / found.scale[static_cast<Eigen::Index>(k)];
    bars.values[0].push_back(worth * found.parameters.sigma(k));
    const double sigma = page.before->sigma(k);
    bars.values[1].push_back(sigma > 0 ? worth * sigma : nan);
  }
  bars.note =
      "A share of 100 % would be a parameter whose uncertainty alone makes as much wrench, in this motion, as "
      "the "
      "thrusters do. Without a bar before: the robot file does not say how well it is known, or "
      "calls it exact.";
  return bars;
}

Table structures_table(const identify::StructureChoice& choice) {
  Table table{.title = "Why this structure",
              .columns = {"structure", "parameters", "held-out error", "worse than the best", "standard error",
                          "surge", "sway", "heave", "yaw", "verdict"}};
  for (std::size_t k = 0; k < choice.candidates.size(); ++k) {
    const identify::Candidate& c = choice.candidates[k];
    std::vector<std::string> row = {c.structure.name, fmt::format("{}", c.structure.size())};
    if (c.tried)
      row.insert(row.end(), {significant(c.error, 4), significant(c.worse, 2), significant(c.worse_sigma, 2),
                             percent(c.share[0]), percent(c.share[1]), percent(c.share[2]), percent(c.share[5]),
                             k == choice.chosen ? "chosen" : ""});
    else
      row.insert(row.end(), {"\u2013", "\u2013", "\u2013", "\u2013", "\u2013", "\u2013", "\u2013", c.why_not});
    table.rows.push_back(std::move(row));
  }
  table.note = fmt::format(
      "Each was fitted to all but one of {0} stretches of the logs and judged on that one, {0} times. Error: "
      "mean square "
      "in sigmas of the residual. By velocity: what is not explained of the wrench. Chosen is the smallest "
      "that is no "
      "more than a standard error worse than the best.",
      choice.candidates[choice.chosen].by_block.size());
  return table;
}

Table estimators_table(const Identified& found) {
  Table table{.title = "Estimators side by side", .columns = {"parameter"}};
  for (const identify::Estimate& estimate : found.estimates) table.columns.push_back(estimate.name);
  for (std::size_t k = 0; k < found.parameters.size(); ++k) {
    std::vector<std::string> row = {found.parameters[k].name};
    for (const identify::Estimate& estimate : found.estimates)
      row.push_back(estimate.found ? significant(estimate.theta[static_cast<Eigen::Index>(k)], 4) : "\u2013");
    table.rows.push_back(std::move(row));
  }
  for (const identify::Estimate& estimate : found.estimates)
    table.note += fmt::format("{}{}: {}{}", table.note.empty() ? "" : ". ", estimate.name, estimate.about,
                              estimate.found ? "" : "; no estimate, " + estimate.why_not);
  return table;
}

Table residuals_table(const Identified& found) {
  Table table{.title = "Residuals",
              .columns = {"velocity", "rms", "unit", "of the wrench", "integral time [s]", "Ljung-Box p",
                          "motion over noise"}};
  Eigen::Index row = 0;
  for (const int i : model::free_indices(found.structure.dof)) {
    const solve::Whiteness& w = found.fit.whiteness[static_cast<std::size_t>(row)];
    const double rms = found.residual_rms(row++);
    table.rows.push_back({std::string(model::dof_name(i)), significant(rms, 3), i < 3 ? "N" : "N\u00a0m",
                          percent(rms / found.wrench[i]),
                          significant(w.integral_time * found.sample_interval(), 2),
                          significant(w.probability, 2), significant(found.excitation[i], 3)});
  }
  table.note =
      "Residuals that remember for longer than the interval between samples are not white: sigmas of plain "
      "least "
      "squares would be too small, and these are not those. Motion over noise: rms of the velocity over what "
      "the "
      "smoother is unsure of.";
  return table;
}

Table drops_table(const IdentifyPage& page) {
  Table table{.title = "Samples", .columns = {"log", "what", "samples"}};
  for (const identify::Recording& recording : page.recordings) {
    const auto usable = std::count(recording.usable.begin(), recording.usable.end(), 1);
    table.rows.push_back({recording.name, "usable", fmt::format("{} of {}", usable, recording.size())});
    for (const auto& drop : recording.dropped)
      table.rows.push_back({recording.name, "dropped: " + drop.why, fmt::format("{}", drop.samples)});
    for (const auto& s : recording.sensors)
      table.rows.push_back({recording.name,
                            fmt::format("sensor {}: {} missing, {} outliers, innovations {:.2f} sigma", s.name,
                                        s.missing, s.outliers, s.innovation_rms),
                            fmt::format("{}", s.used)});
    for (const Finding& warning : recording.warnings)
      if (warning.severity == Severity::warning) table.rows.push_back({recording.name, warning.text(), ""});
  }
  return table;
}

Text evidence(const IdentifyPage& page) {
  const Identified& found = *page.found;
  const identify::NuisanceEstimate& n = found.fit.nuisance;
  const Vec3& v = n.value.current_n;
  Text text{.title = "Evidence"};
  if (n.current_sigma.norm() > 0)
    text.paragraphs.push_back(fmt::format("Current: {} mm/s north and {} mm/s east, sigma {} and {} mm/s.",
                                          significant(1e3 * v[0], 2), significant(1e3 * v[1], 2),
                                          significant(1e3 * n.current_sigma[0], 2),
                                          significant(1e3 * n.current_sigma[1], 2)));
  for (const std::string& name : found.expected_active_constraints())
    text.paragraphs.push_back(fmt::format(
        "At its edge: {}. That is to be expected: drag that acts beside the body origin makes such a "
        "matrix singular, and a hull need not have drag by another axis' speed.",
        name));
  if (found.fit.active.empty()) text.paragraphs.emplace_back("No condition holds the estimate back.");
  const std::vector<std::string> names = names_of(found);
  for (const auto& c : found.identifiability.unidentifiable_directions)
    text.paragraphs.push_back("The logs do not notice a change along " + to_text(c, names) + ".");
  for (const auto& c : found.identifiability.identifiable_combinations)
    text.paragraphs.push_back("The logs do show " + to_text(c, names) + ".");
  text.paragraphs.push_back(fmt::format(
      "Certificate: the sum of squares is within {:.2g} of the least that the conditions allow, {:.6g}; {} "
      "iterations, stationarity {:.1e}, complementarity {:.1e}.",
      found.fit.conic.gap, found.fit.conic.f, found.fit.conic.iterations, found.fit.conic.stationarity,
      found.fit.conic.complementarity));
  return text;
}

}  // namespace

std::vector<Item> identify_items(const IdentifyPage& page) {
  std::vector<Item> items;
  if (Text text = warnings(page); !text.paragraphs.empty()) items.emplace_back(std::move(text));
  items.emplace_back(figures_of(page));
  items.emplace_back(parameters_table(page));
  items.emplace_back(interval_bars(page));
  if (page.found->choice) items.emplace_back(structures_table(*page.found->choice));
  for (Plot& plot : internal::residual_plots(page)) items.emplace_back(std::move(plot));
  items.emplace_back(internal::autocorrelation_plot(page));
  items.emplace_back(residuals_table(*page.found));
  items.emplace_back(evidence(page));
  if (!page.found->estimates.empty()) items.emplace_back(estimators_table(*page.found));
  items.emplace_back(internal::identified_motion(page));
  for (Plot& plot : internal::velocity_plots(page)) items.emplace_back(std::move(plot));
  items.emplace_back(drops_table(page));
  return items;
}

Page identify_page(const IdentifyPage& of) {
  return {.title = "Identification of " + of.robot->name(),
          .subtitle = fmt::format("structure {} from {} log{}", of.found->structure.name, of.recordings.size(),
                                  of.recordings.size() == 1 ? "" : "s"),
          .footer = of.footer,
          .items = identify_items(of)};
}

}  // namespace fathom::report
