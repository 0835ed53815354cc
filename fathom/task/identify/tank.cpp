#include "fathom/task/identify/tank.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/file.hpp"
#include "fathom/identify/tank/missing_dof.hpp"
#include "fathom/identify/tank/tank_robot.hpp"
#include "fathom/model/dof.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/task/internal/json.hpp"
#include "fathom/task/internal/option_table.hpp"

namespace fathom {

template <>
const fields::Keys& fields::Table<task::TankOptions>::fields() {
  using task::TankOptions;
  static const Keys keys{
      field<&TankOptions::campaign>("campaign")
          .metavar("FILE")
          .doc("With --what towing or decay: YAML file that names the runs of a campaign in the tank; --robot "
               "is then "
               "the robot to put the result into."),
      field<&TankOptions::robot>("robot").metavar("NAME|FILE").doc("Robot to put the result into."),
      task::internal::water_density(field<&TankOptions::density>("density"))
          .by_default("1000")
          .doc("Water density.")};
  return keys;
}

}  // namespace fathom

namespace fathom::task {
namespace {

using identify::DragFit;

TankEstimate estimate_of(double value, double half_width) {
  return {value, {value - half_width, value + half_width}};
}

/// c1, c2 with one sigma each, widened so that 1.96 of it are the 95 % interval.
identify::AxisDrag drag_of(const DragFit& fit) {
  return {fit.law.c[0], fit.law.c[1], fit.half_width_of(0) / sigmas_of_95, fit.half_width_of(1) / sigmas_of_95};
}

TowingSummary::Law law_of(const DragFit& fit) {
  TowingSummary::Law law{estimate_of(fit.law.c[0], fit.half_width_of(0)),
                         estimate_of(fit.law.c[1], fit.half_width_of(1)),
                         fit.law.covariance,
                         fit.degrees,
                         fit.misfit,
                         fit.at_bound,
                         {}};
  for (const identify::FusedPoint& point : fit.points)
    law.points.push_back({point.speed, point.force, point.sigma, point.runs.size(), fit.law.force(point.speed),
                          fit.half_width(point.speed)});
  return law;
}

std::vector<TowingSummary::Run> runs_of(const identify::IdentifiedTowing& found) {
  std::vector<TowingSummary::Run> runs;
  std::size_t k = 0;
  for (const identify::TowedRecord& record : found.records) {
    TowingSummary::Run& run = runs.emplace_back(TowingSummary::Run{record.name, record.dropped});
    if (!record.steady.part) {
      run.left_out = record.steady.why_not;
      continue;
    }
    const identify::SteadyPart& part = *record.steady.part;
    const auto& t = record.record.t;
    run.speed = found.fit.runs[k].speed;
    run.force = found.fit.runs[k].force;
    run.sigma = std::sqrt(found.fit.runs[k].variance);
    run.steady = std::array{t[part.from], t[part.from + part.count - 1]};
    run.effective_samples = part.force.effective_samples;
    for (const identify::TowingOutlier& outlier : found.fit.outliers)
      if (outlier.run == k) run.outlier_sigmas = outlier.sigmas;
    ++k;
  }
  return runs;
}

std::string drag_yaml(const std::string& axis, const identify::AxisDrag& drag, const std::string& source) {
  return fmt::format(
      "{}:\n  linear: {{value: {:.6g}, sigma: {:.3g}}}\n  quadratic: {{value: {:.6g}, sigma: {:.3g}}}\n  "
      "source: \"{}\"\n",
      axis, drag.linear, drag.linear_sigma, drag.quadratic, drag.quadratic_sigma, source);
}

/// Puts drag into result.yaml and into the robot, if there is one.
void put(TowingResult& result, int axis, const identify::AxisDrag& drag, const std::string& source) {
  result.yaml += drag_yaml(std::string(model::dof_name(axis)), drag, source);
  if (result.robot) result.robot = identify::with_axis_drag(*result.robot, axis, drag, source);
}

/// The drag of an axis that was not tested follows from that of the tested one.
void put_supposed(TowingResult& result, int axis, const identify::TowingCampaign& campaign,
                  const identify::AxisDrag& drag) {
  const Mat6& added = result.robot->hull().added_mass.value;
  const std::string name(model::dof_name(axis));
  const identify::SupposedDrag supposed = identify::drag_by_added_mass(
      result.summary.axis, drag, added(campaign.axis, campaign.axis), name, added(axis, axis));
  result.summary.supposed.push_back({name, supposed.ratio, supposed.drag.linear, supposed.drag.quadratic});
  put(result, axis, supposed.drag, supposed.about);
}

constexpr const char* rate_units[] = {"1/s^2", "rad", "1/s", "1/rad"};
constexpr const char* coefficient_names[] = {"inertia", "restoring", "linear", "quadratic"};
constexpr const char* coefficient_units[] = {"kg m^2", "N m", "N m s", "N m s^2"};

std::string decay_yaml(const identify::IdentifiedDecay& found, const DecaySummary& s,
                       const std::string& source) {
  std::string yaml = fmt::format("{}:\n  source: \"{}\"\n  over_inertia:\n", s.axis, source);
  for (int k = 0; k < 4; ++k)
    yaml += fmt::format("    {}: {{value: {:.6g}, sigma: {:.3g}, unit: {}}}\n",
                        identify::decay_names[static_cast<std::size_t>(k)], found.fit.rates.vector()[k],
                        found.fit.half_width(k) / sigmas_of_95, rate_units[k]);
  for (std::size_t k = 0; s.coefficients && k < 4; ++k) {
    const auto& [name, c] = (*s.coefficients)[k];
    yaml += fmt::format("  {}: {{value: {:.6g}, sigma: {:.3g}, unit: {}}}\n", name, c.estimate, c.sigma,
                        coefficient_units[k]);
  }
  return yaml;
}

std::string source_of(const auto& summary, const TankOptions& options) {
  return fmt::format("{}: fathom identify --what {}, from {}", summary.axis, summary.what,
                     std::filesystem::path(options.campaign).filename().string());
}

/// A result with what does not depend on the fit, and the robot as it was before.
template <class Result, class Campaign>
Result begun(const Campaign& campaign, const TankOptions& options, const Context& context) {
  Result result;
  auto& s = result.summary;
  s.version = version();
  s.command = internal::command_of("identify --what " + s.what, options);
  s.name = campaign.name;
  s.axis = model::dof_name(campaign.axis);
  result.inputs = {options.campaign};
  for (const identify::TankRun& run : campaign.runs) result.inputs.push_back(run.file);
  if (!options.robot.empty()) {
    result.inputs.push_back(context.paths.robot(options.robot));
    result.robot = model::read_robot(result.inputs.back());
  }
  throw_if(context.stop);
  return result;
}

void need_campaign(const TankOptions& options) {
  fields::check_values(options);
  if (options.campaign.empty())
    reject("--campaign", "is missing: a tank test is told by one", "--campaign FILE.yaml");
}

}  // namespace

TowingResult identify_towing(const TankOptions& options, const Context& context) {
  need_campaign(options);
  const identify::TowingCampaign campaign = identify::read_towing_campaign(options.campaign);
  if (options.robot.empty() && !campaign.suppose.empty())
    reject(options.campaign, 0, "assume", "needs the added masses of a robot", "--robot NAME");
  auto result = begun<TowingResult>(campaign, options, context);
  for (const identify::TankRun& run : campaign.bracket_runs) result.inputs.push_back(run.file);
  TowingSummary& s = result.summary;
  identify::IdentifiedTowing found = identify::identify_towing(campaign);
  const identify::AxisDrag drag = drag_of(found.fit.all);
  put(result, campaign.axis, drag, source_of(s, options));
  for (const int axis : campaign.suppose) put_supposed(result, axis, campaign, drag);
  if (found.bracket) s.bracket = {found.bracket->c[0], found.bracket->c[1]};
  s.all = law_of(found.fit.all);
  if (found.fit.forward) s.forward = law_of(*found.fit.forward);
  if (found.fit.backward) s.backward = law_of(*found.fit.backward);
  s.same_both_ways = found.fit.same_both_ways;
  s.run_sigma = found.fit.run_sigma;
  s.runs = runs_of(found);
  result.evidence = {campaign, std::move(found)};
  return result;
}

DecayResult identify_decay(const TankOptions& options, const Context& context) {
  need_campaign(options);
  const identify::DecayCampaign campaign = identify::read_decay_campaign(options.campaign);
  if (!options.robot.empty() && !campaign.known)
    reject(options.campaign, 0, "known", "is missing: a decay shows ratios, a robot file holds numbers",
           "known: {inertia: .., sigma: ..}, or restoring");
  auto result = begun<DecayResult>(campaign, options, context);
  DecaySummary& s = result.summary;
  identify::IdentifiedDecay found = identify::identify_decay(campaign);
  const identify::DecayFit& fit = found.fit;
  for (int k = 0; k < 4; ++k) {
    s.over_inertia.emplace_back(identify::decay_names[static_cast<std::size_t>(k)],
                                estimate_of(fit.rates.vector()[k], fit.half_width(k)));
    s.over_inertia.back().second.unit = rate_units[k];
  }
  if (const auto& c = found.coefficients) {
    const double values[] = {c->inertia, c->restoring, c->linear, c->quadratic};
    s.coefficients.emplace();
    for (int k = 0; k < 4; ++k)
      s.coefficients->emplace_back(coefficient_names[k], DecaySummary::Coefficient{values[k], c->sigma[k]});
  }
  s.held_at_zero = fit.at_bound;
  s.r2 = fit.r2;
  s.converged = fit.converged;
  for (std::size_t k = 0; k < fit.runs.size(); ++k)
    s.runs.push_back({found.runs[k].name, fit.runs[k].first_angle, fit.runs[k].first_rate, fit.runs[k].mse});
  const std::string source = source_of(s, options);
  result.yaml = decay_yaml(found, s, source);
  if (result.robot)
    result.robot = identify::with_decay(
        *result.robot, model::Environment(options.density.value_or(model::fresh_water)), campaign.axis,
        *found.coefficients, fit.rates.equilibrium, fit.half_width(1) / sigmas_of_95, source);
  result.evidence = {campaign, std::move(found)};
  return result;
}

// The keys of summary.json, in its order.
FATHOM_JSON(TankEstimate, estimate, interval_95, unit)
FATHOM_JSON(TowingSummary::Bracket, c1, c2)
FATHOM_JSON(TowingSummary::Point, speed, force, sigma, runs, law, half_band)
FATHOM_JSON(TowingSummary::Law, c1, c2, covariance, degrees_of_freedom, misfit, held_at_zero, points)
FATHOM_JSON(TowingSummary::Run, name, rows_dropped, left_out, speed, force, sigma, steady, effective_samples,
            outlier_sigmas)
FATHOM_JSON(TowingSummary::Supposed, axis, ratio, linear, quadratic)
FATHOM_SUMMARY(TowingSummary, version, command, what, name, axis, bracket, all, forward, backward,
               same_both_ways, run_sigma, runs, supposed, files)
FATHOM_JSON(DecaySummary::Coefficient, estimate, sigma)
FATHOM_JSON(DecaySummary::Run, name, first_angle, first_rate, mse)
FATHOM_SUMMARY(DecaySummary, version, command, what, name, axis, over_inertia, coefficients, held_at_zero, r2,
               converged, runs, files)

template <class Summary, class Campaign, class Found>
std::vector<ResultFile> TankResult<Summary, Campaign, Found>::files() const {
  std::vector<ResultFile> list;
  if (robot) list.push_back({"robot.yaml", model::robot_to_yaml(*robot)});
  list.push_back({"result.yaml", yaml});
  return list;
}
template <class Summary, class Campaign, class Found>
TankResult<Summary, Campaign, Found> TankResult<Summary, Campaign, Found>::load(
    const std::filesystem::path& folder) {
  TankResult result{{TankResult::from_json(read_file(folder / "summary.json"))},
                    read_file(folder / "result.yaml")};
  if (std::filesystem::exists(folder / "robot.yaml")) result.robot = model::read_robot(folder / "robot.yaml");
  return result;
}
template struct TankResult<TowingSummary, identify::TowingCampaign, identify::IdentifiedTowing>;
template struct TankResult<DecaySummary, identify::DecayCampaign, identify::IdentifiedDecay>;

}  // namespace fathom::task
