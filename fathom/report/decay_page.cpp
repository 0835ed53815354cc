#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/model/dof.hpp"
#include "fathom/report/internal/number_text.hpp"
#include "fathom/report/tank_page.hpp"

namespace fathom::report {
namespace {

using identify::DecayFit;
using identify::IdentifiedDecay;
using internal::significant;

std::vector<double> in_degrees(const Eigen::VectorXd& angle) {
  const Eigen::VectorXd scaled = degrees * angle;
  return {scaled.begin(), scaled.end()};
}

/// A run's own time: from its first sample on.
Plot swing_plot(const identify::DecayRun& run, const DecayFit::Run& fitted) {
  const Eigen::VectorXd t = run.t.array() - run.t[0];
  Series measured{.name = "measured", .style = Series::Style::points}, model{.name = "fitted"};
  measured.t.assign(t.begin(), t.end());
  measured.y = in_degrees(run.angle);
  model.t = measured.t;
  model.y = in_degrees(fitted.angle);
  return {.title = "Run " + run.name,
          .y_label = "Angle",
          .y_unit = "\u00b0",
          .series = {std::move(model), std::move(measured)}};
}

Plot residual_plot_of(const IdentifiedDecay& found) {
  Plot plot{.title = "Measured less fitted", .y_label = "Angle", .y_unit = "\u00b0"};
  for (std::size_t k = 0; k < found.runs.size(); ++k) {
    const Eigen::VectorXd t = found.runs[k].t.array() - found.runs[k].t[0];
    Series left{.name = found.runs[k].name};
    left.t.assign(t.begin(), t.end());
    left.y = in_degrees(found.runs[k].angle - found.fit.runs[k].angle);
    plot.series.push_back(std::move(left));
  }
  return plot;
}

Table rates_table(const DecayFit& fit) {
  Table table{.title = "What a free decay shows: ratios to the inertia",
              .columns = {"number", "value", "\u00b1 95 %", "unit", "degrees of freedom"}};
  const char* units[] = {"1/s\u00b2", "\u00b0", "1/s", "1/rad"};
  const char* names[] = {"restoring / inertia", "equilibrium", "linear damping / inertia",
                         "quadratic damping / inertia"};
  for (int k = 0; k < 4; ++k) {
    const double scale = k == 1 ? degrees : 1;
    table.rows.push_back({names[k], significant(scale * fit.rates.vector()[k], 5),
                          significant(scale * fit.half_width(k), 2), units[k], significant(fit.degrees[k], 3)});
  }
  table.note =
      "I \u03b8\u2033 + d \u03b8\u2032 + q |\u03b8\u2032| \u03b8\u2032 + k sin(\u03b8 \u2212 \u03b8\u2080) = "
      "0.";
  if (!fit.at_bound.empty()) table.note += fmt::format(" Held at 0: {}.", join(fit.at_bound, ", "));
  return table;
}

Table coefficients_table(const identify::DecayCampaign& campaign, const identify::DecayCoefficients& found) {
  Table table{.title = "Coefficients", .columns = {"number", "value", "\u00b1 sigma", "unit"}};
  const double values[] = {found.inertia, found.restoring, found.linear, found.quadratic};
  const char* names[] = {"inertia, with the water's", "restoring", "linear damping", "quadratic damping"};
  const char* units[] = {"kg m\u00b2", "N m", "N m s", "N m s\u00b2"};
  for (int k = 0; k < 4; ++k)
    table.rows.push_back({names[k], significant(values[k], 4), significant(found.sigma[k], 2), units[k]});
  table.note =
      fmt::format("The {} was known: {:.4g} \u00b1 {:.2g}.",
                  campaign.known->what == identify::KnownOfDecay::What::inertia ? "inertia" : "restoring",
                  campaign.known->value, campaign.known->sigma);
  return table;
}

Table runs_of_decay(const IdentifiedDecay& found) {
  Table table{.title = "Runs",
              .columns = {"run", "released at [\u00b0]", "samples", "mean square error [rad\u00b2]"}};
  for (std::size_t k = 0; k < found.runs.size(); ++k)
    table.rows.push_back({found.runs[k].name, significant(degrees * found.fit.runs[k].first_angle, 4),
                          fmt::format("{}", found.runs[k].t.size()), significant(found.fit.runs[k].mse, 3)});
  table.note =
      fmt::format("R2 {:.5f}. One residual in {:.0f} is independent.", found.fit.r2, found.fit.integral_time);
  return table;
}

}  // namespace

Page decay_page(const DecayPage& of) {
  const IdentifiedDecay& found = *of.found;
  Page page{.title = "Free decay " + of.campaign->name,
            .subtitle = fmt::format("{}, {} runs", model::dof_name(of.campaign->axis), found.runs.size()),
            .footer = of.footer};
  page.items.emplace_back(rates_table(found.fit));
  if (found.coefficients) page.items.emplace_back(coefficients_table(*of.campaign, *found.coefficients));
  for (std::size_t k = 0; k < found.runs.size(); ++k)
    page.items.emplace_back(swing_plot(found.runs[k], found.fit.runs[k]));
  page.items.emplace_back(residual_plot_of(found));
  page.items.emplace_back(runs_of_decay(found));
  return page;
}

}  // namespace fathom::report
