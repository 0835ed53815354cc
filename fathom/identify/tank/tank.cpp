#include "fathom/identify/tank/tank.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/log/csv_table.hpp"
#include "fathom/log/far_values.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr std::size_t most_rows = 2'000'000;
constexpr Index least_rest = 8;
constexpr double most_reading = 1e7;  // N, N m, m/s or rad: no tank measures more

/// The columns of one table in SI: time first. Rows with a missing value are left out, and counted.
struct TankTable {
  VectorXd t;
  Eigen::MatrixXd columns;
  std::size_t dropped = 0;
  std::vector<int> lines = {};  // of the rows
};

/// A carriage and a swinging body do not leap: one sample that is off by more than the range of all others is a
/// slip. A load cell may, where the carriage starts.
constexpr double reach_of_motion = 1;

void check_no_far(const TankRun& run, const TankTable& table, Index column, const TankColumn& of,
                  double reach) {
  log::FarValues values;
  for (Index k = 0; k < table.t.size(); ++k)
    values.add(table.columns(k, column) / of.factor, table.lines[static_cast<std::size_t>(k)]);
  const log::FarValues::Found found = values.found(reach);
  if (!found.far.empty())
    reject(run.file.string(), found.far.front().line, of.name,
           fmt::format("= {:g}, {}", found.far.front().value, found.others("")),
           "a slip? Mend it, or leave the line out");
}

TankTable read_table(const TankRun& run, const TankColumn& time, const std::vector<TankColumn>& wanted) {
  if (std::error_code unknown; !std::filesystem::exists(run.file, unknown))
    reject(run.file.string(), 0, "", "does not exist", "a run's file is meant from the folder of its campaign");
  log::CsvTable table(run.file);
  std::vector<std::size_t> places = {table.find(time.name)};
  for (const TankColumn& column : wanted) places.push_back(table.find(column.name));
  table.pick(places);
  std::vector<double> t, values;
  TankTable out;
  while (table.next()) {
    const auto row = table.values();
    if (!std::all_of(row.begin(), row.end(), [](double x) { return std::isfinite(x); })) {
      ++out.dropped;
      continue;
    }
    const double at = time.factor * row[0];
    if (at < run.from.value_or(-infinity) || at > run.until.value_or(infinity)) continue;
    if (!t.empty() && !(at > t.back()))
      reject(run.file.string(), table.line(), time.name,
             fmt::format("= {} s, not after {} s before it", at, t.back()), "times must rise; seconds?");
    if (t.size() == most_rows)
      reject(run.file.string(), table.line(), "", fmt::format("has more than {} rows", most_rows));
    t.push_back(at);
    out.lines.push_back(table.line());
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      values.push_back(wanted[k].factor * row[k + 1]);
      if (std::abs(values.back()) > most_reading)
        reject(run.file.string(), table.line(), wanted[k].name,
               fmt::format("= {:g} in SI, expected at most {:g}", values.back(), most_reading),
               "a slip, or another unit? Mend it, or leave the line out");
    }
  }
  if (t.empty()) reject(run.file.string(), 0, "", "has no row that counts", "are from and until on its clock?");
  out.t = Eigen::Map<const VectorXd>(t.data(), static_cast<Index>(t.size()));
  out.columns =
      Eigen::Map<const Eigen::MatrixXd>(values.data(), static_cast<Index>(wanted.size()), out.t.size())
          .transpose();
  return out;
}

/// Says what is wrong with every run, not only with the first.
class EveryFinding {
 public:
  template <class Action>
  void of(const TankRun& run, const Action& action) {
    try {
      action();
    } catch (const InputError& error) {
      for (Finding finding : error.findings()) {
        if (finding.file.empty()) {
          finding.file = run.file.string();
          if (finding.key == "run" || finding.key == run.name) finding.key.clear();
        }
        findings_.push_back(std::move(finding));
      }
    }
  }
  void throw_if_any() const {
    if (!findings_.empty()) throw InputError(findings_);
  }

 private:
  Findings findings_;
};

/// The sign of a run that says backwards is that of its speed, whatever the carriage counts up.
void check_speed(const TankRun& run, double measured) {
  if (!run.speed) return;
  if (std::abs(measured - *run.speed) > 0.2 * std::abs(*run.speed))
    reject(run.file.string(), 0, "speed",
           fmt::format("is {:.3g} in its steady part, the campaign says {:.3g}", measured, *run.speed),
           measured * *run.speed < 0 ? "backwards is below 0 in both" : "is the column's unit right?");
}

TowedRecord towed_record(const TowingCampaign& campaign, const TankRun& run) {
  std::vector<TankColumn> wanted = campaign.cell_columns;
  if (campaign.speed) wanted.push_back(*campaign.speed);
  const TankTable table = read_table(run, campaign.time, wanted);
  for (std::size_t k = 0; k < wanted.size(); ++k)
    check_no_far(run, table, static_cast<Index>(k), wanted[k],
                 k < campaign.cells.size() ? log::FarValues::usual_reach : reach_of_motion);
  const auto cells = static_cast<Index>(campaign.cells.size());
  const Eigen::MatrixXd readings = table.columns.leftCols(cells);
  TowedRecord towed{
      run.name, {table.t, path_force(campaign.cells, readings, 0).force, {}}, 0, {}, table.dropped};
  if (campaign.speed) towed.record.speed = table.columns.col(cells);
  towed.at_rest = samples_at_rest(towed.record);
  if (towed.at_rest < least_rest) {
    towed.steady.why_not =
        fmt::format("it has {} samples at rest before it moves, must have {}: they are its zero", towed.at_rest,
                    least_rest);
    return towed;
  }
  const PathForce path = path_force(campaign.cells, readings, towed.at_rest);
  towed.record.force = path.force;
  towed.steady = find_steady_part(towed.record);
  if (!towed.steady.part) return towed;
  const SteadyPart& part = *towed.steady.part;
  if (campaign.speed) check_speed(run, part.speed);
  towed.reduced = {run.name, campaign.speed ? part.speed : *run.speed, part.force.value,
                   part.force.variance + path.zero_variance,
                   shared_errors(campaign.cells, readings, path, part.from, part.count)};
  return towed;
}

std::vector<TowedRecord> towed_records(const TowingCampaign& campaign, const std::vector<TankRun>& runs,
                                       EveryFinding& findings) {
  std::vector<TowedRecord> records;
  for (const TankRun& run : runs) findings.of(run, [&] { records.push_back(towed_record(campaign, run)); });
  return records;
}

std::vector<TowedRun> reduced_runs(const std::vector<TowedRecord>& records) {
  std::vector<TowedRun> runs;
  for (const TowedRecord& record : records)
    if (record.steady.part) runs.push_back(record.reduced);
  return runs;
}

/// The findings of a fit name no file; and where it is short of runs, why it is.
template <class Fit>
auto in_file(const std::string& file, const std::vector<TowedRecord>& records, const Fit& fit) {
  try {
    return fit();
  } catch (const InputError& error) {
    Findings findings = error.findings();
    for (Finding& finding : findings) finding.file = file;
    for (const TowedRecord& record : records)
      if (!record.steady.part)
        findings.push_back({Severity::note, file, 0, record.name, "is left out: " + record.steady.why_not, ""});
    throw InputError(std::move(findings));
  }
}

/// What a law of the bracket's own runs is wrong by scales it as a whole: an error that all runs share.
DragLaw law_of_bracket(const DragFit& fit) {
  DragLaw law = fit.law;
  const double fastest = std::max(std::abs(fit.points.front().speed), std::abs(fit.points.back().speed));
  const double share = fit.misfit / std::max(law.force(fastest), 1e-300);
  law.covariance += share * share * law.c * law.c.transpose();
  return law;
}

DecayRun decay_run(const DecayCampaign& campaign, const TankRun& run) {
  const TankTable table = read_table(run, campaign.time, {campaign.angle});
  if (table.columns.cwiseAbs().maxCoeff() > 4 * std::numbers::pi)
    reject(run.file.string(), 0, campaign.angle.name, "is beyond two turns", "degrees? {name: .., unit: deg}");
  check_no_far(run, table, 0, campaign.angle, reach_of_motion);
  return {run.name, table.t, table.columns.col(0)};
}

}  // namespace

const TowedRecord& IdentifiedTowing::record_of(std::size_t run) const {
  for (const TowedRecord& record : records)
    if (record.steady.part && run-- == 0) return record;
  reject("run", "is none of the fit's");
}

IdentifiedTowing identify_towing(const TowingCampaign& campaign) {
  IdentifiedTowing found;
  EveryFinding findings;
  found.bracket = campaign.bracket;
  found.bracket_records = towed_records(campaign, campaign.bracket_runs, findings);
  found.records = towed_records(campaign, campaign.runs, findings);
  findings.throw_if_any();
  if (!found.bracket_records.empty())
    found.bracket = law_of_bracket(in_file(campaign.file, found.bracket_records, [&] {
                                     return fit_towing(reduced_runs(found.bracket_records));
                                   }).all);
  found.fit = in_file(campaign.file, found.records,
                      [&] { return fit_towing(reduced_runs(found.records), found.bracket); });
  return found;
}

IdentifiedDecay identify_decay(const DecayCampaign& campaign) {
  IdentifiedDecay found;
  EveryFinding findings;
  for (const TankRun& run : campaign.runs)
    findings.of(run, [&] { found.runs.push_back(decay_run(campaign, run)); });
  findings.throw_if_any();
  found.fit = in_file(campaign.file, {}, [&] { return fit_decay(found.runs); });
  if (!(found.fit.r2 > 0.5))
    reject(campaign.file, 0, "runs",
           fmt::format("are explained to {:.0f} % by a swing that dies out", 100 * found.fit.r2),
           "let them begin at the release (from: S), and is the column the angle of this axis?");
  if (campaign.known) found.coefficients = coefficients_of(found.fit, *campaign.known);
  return found;
}

}  // namespace fathom::identify
