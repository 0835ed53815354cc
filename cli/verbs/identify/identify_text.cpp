#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"

#include "cli/terminal/number_text.hpp"
#include "cli/terminal/table.hpp"
#include "cli/verbs/identify/identify_result.hpp"

namespace fathom::cli {
namespace {

using identify::Identified;

constexpr std::size_t most_combinations = 6;  // that anybody would read on a terminal

std::string parameter_table(const IdentifyResult& result) {
  const model::ParameterVector &now = result.found.parameters, before = result.parameters_before();
  const std::vector<std::size_t>& unseen = result.found.identifiability.unidentifiable;
  Table table({"parameter", "estimate", "95 % interval", "before", "unit", "group"});
  for (std::size_t k = 0; k < now.size(); ++k) {
    const double value = now[k].value, half = sigmas_of_95 * now.sigma(k);
    const bool is_unidentifiable = std::find(unseen.begin(), unseen.end(), k) != unseen.end();
    table.row({now[k].name, significant(value),
               fmt::format("{} .. {}", significant(value - half), significant(value + half)),
               significant(before[k].value), now[k].unit,
               now[k].group + (is_unidentifiable ? ", NOT SEEN" : "")});
  }
  return table.text();
}

std::string structure_table(const identify::StructureChoice& choice) {
  Table table({"structure", "parameters", "held-out error", "worse by", "surge", "sway", "heave", "yaw", ""});
  const auto share = [](double value) { return fmt::format("{:.1f} %", 100 * value); };
  for (std::size_t k = 0; k < choice.candidates.size(); ++k) {
    const identify::Candidate& c = choice.candidates[k];
    const std::string size = fmt::format("{}", c.structure.size());
    if (c.tried)
      table.row({c.structure.name, size, significant(c.error),
                 fmt::format("{} +- {}", significant(c.worse, 2), significant(c.worse_sigma, 2)),
                 share(c.share[0]), share(c.share[1]), share(c.share[2]), share(c.share[5]),
                 k == choice.chosen ? "chosen" : ""});
    else
      table.row({c.structure.name, size, "-", "-", "-", "-", "-", "-", c.why_not});
  }
  return table.text() +
         "held-out error: mean square over stretches of the log that were not fitted to, in sigmas of the "
         "residual;\nby velocity: residual over wrench. Chosen is the smallest that is no more than a standard "
         "error worse than the best.\n";
}

std::string estimator_table(const IdentifyResult& result) {
  std::vector<std::string> header = {"parameter"};
  for (const identify::Estimate& estimate : result.found.estimates) header.push_back(estimate.name);
  Table table(header);
  const std::vector<std::string> names = result.names();
  for (std::size_t k = 0; k < names.size(); ++k) {
    std::vector<std::string> row = {names[k]};
    for (const identify::Estimate& estimate : result.found.estimates)
      row.push_back(estimate.found ? significant(estimate.theta[static_cast<Eigen::Index>(k)]) : "-");
    table.row(std::move(row));
  }
  std::string text = table.text();
  for (const identify::Estimate& estimate : result.found.estimates)
    if (!estimate.found) text += fmt::format("{}: no estimate, {}\n", estimate.name, estimate.why_not);
  return text;
}

std::string residual_table(const Identified& found) {
  Table table({"velocity", "residual rms", "of the wrench", "remembers", "white with p", "motion over noise"});
  Eigen::Index row = 0;
  for (const int i : model::free_indices(found.structure.dof)) {
    const solve::Whiteness& w = found.fit.whiteness[static_cast<std::size_t>(row)];
    const double rms = found.residual_rms(row++);
    table.row({std::string(model::dof_name(i)), fmt::format("{} {}", significant(rms, 3), i < 3 ? "N" : "N m"),
               fmt::format("{:.1f} %", 100 * rms / found.wrench[i]),
               fmt::format("{:.2g} s", w.integral_time * found.sample_interval()),
               significant(w.probability, 2), significant(found.excitation[i], 3)});
  }
  return table.text();
}

std::string log_text(const identify::Recording& recording) {
  const auto usable = std::count(recording.usable.begin(), recording.usable.end(), 1);
  std::string text = fmt::format("log {}: {} of {} samples usable, one every {:g} s", recording.name, usable,
                                 recording.size(), recording.track.dt);
  for (const auto& drop : recording.dropped) text += fmt::format("; dropped {}: {}", drop.samples, drop.why);
  text += fmt::format(". Smoothed with white jerk of {:.3g} m/s^3 and {:.3g} rad/s^3 per root hertz.",
                      recording.jerk, recording.angular_jerk);
  for (const auto& s : recording.sensors)
    text += fmt::format(" {}: {} used, {} missing, {} outliers, innovations {:.2f} sigma.", s.name, s.used,
                        s.missing, s.outliers, s.innovation_rms);
  return wrapped(text);
}

std::string nuisance_text(const IdentifyResult& result) {
  const identify::NuisanceEstimate& n = result.found.fit.nuisance;
  const Vec3& v = n.value.current_n;
  std::string text = result.fit.estimate_delay
                         ? fmt::format("delay {:.4f} s, sigma {:.4f} s\n", n.value.delay, n.delay_sigma)
                         : fmt::format("delay {:g} s, as told\n", n.value.delay);
  const auto command_path = [&](const char* name, const std::optional<identify::CommandPathNumber>& number,
                                const char* unit) {
    if (number)
      text += fmt::format("{} {}{}, 95 % interval {} .. {}, by drawing {} pieces of the logs anew\n", name,
                          significant(number->value), unit, significant(number->low), significant(number->high),
                          result.command_path.blocks);
  };
  command_path("dead band of a thruster", result.command_path.dead_band, " N");
  command_path("thrust over what was told", result.command_path.gain, "");
  for (const std::string& warning : {delay_warning(result), command_path_warning(result), tilt_warning(result)})
    if (!warning.empty()) text += wrapped(warning) + "\n";
  text += result.fit.estimate_current
              ? fmt::format("current {:.4f} m/s north, {:.4f} m/s east, sigma {:.4f} and {:.4f} m/s\n", v[0],
                            v[1], n.current_sigma[0], n.current_sigma[1])
              : "current taken as none\n";
  return text;
}

std::string noise_text(double share) {
  if (share == 0) return "the sensors' noise is not known: none is taken out of the rows\n";
  return fmt::format("{:.0f} % of the sensors' noise is taken out of the rows{}\n", 100 * share,
                     share < 1 ? ": TOO NOISY for this motion" : "");
}

/// Conditions that are active, and what the logs cannot show.
std::string verdict_text(const IdentifyResult& result) {
  const Identified& found = result.found;
  std::string text;
  for (const std::string& name : found.active_constraints()) text += fmt::format("BOUND HIT: {}\n", name);
  for (const std::string& name : found.expected_active_constraints())
    text += fmt::format("at its edge, as hulls may be: {}\n", name);
  if (found.fit.active.empty()) text += "no condition holds the estimate back\n";
  if (found.all_identifiable()) return text + "every parameter is seen\n";
  const std::vector<std::string> names = result.names();
  text += fmt::format("NOT SEEN: {}\n", join(result.unseen(), ", "));
  const auto list = [&](const char* words, const std::vector<consistency::Combination>& combinations) {
    const std::size_t shown = std::min(combinations.size(), most_combinations);
    for (std::size_t k = 0; k < shown; ++k)
      text += fmt::format("  {} {}\n", words, to_text(combinations[k], names));
    if (shown < combinations.size())
      text += fmt::format("  and {} more, see summary.json\n", combinations.size() - shown);
  };
  list("the logs do not notice a change along", found.identifiability.unidentifiable_directions);
  list("the logs do show", found.identifiability.identifiable_combinations);
  return text;
}

std::string evidence(const IdentifyResult& result) {
  const Identified& found = result.found;
  std::string text = residual_table(found) +
                     "remembers: integral time of the residual; intervals allow for it. white with p: Ljung "
                     "and Box, of residuals "
                     "four blurs apart.\n\n";
  for (const auto& recording : result.recordings) text += log_text(recording) + "\n";
  text += fmt::format("fitted to {} samples, one every {:.3g} s\n", found.fit.residuals.t.size(),
                      found.sample_interval());
  text += fmt::format("the estimate {} after {} rounds; residuals' correlations count over {:.3g} s\n",
                      found.fit.settled ? "stood still" : "STILL MOVED", found.fit.rounds,
                      found.fit.bandwidth * found.sample_interval());
  text += noise_text(found.fit.noise_share);
  text += nuisance_text(result);
  text += fmt::format("condition number {:.4g}, with columns of unit length {:.4g}\n", found.fit.condition,
                      found.fit.scaled_condition);
  if (!result.refined)
    text += fmt::format("certificate: within {:.2g} of the least {:.6g} that the conditions allow\n",
                        found.fit.conic.gap, found.fit.conic.f);
  return text + verdict_text(result);
}

}  // namespace

std::string text_of(const IdentifyResult& result) {
  const Identified& found = result.found;
  std::string text =
      fmt::format("{}: {} parameters of structure {}, {}-DoF, from {} log{}\n\n{}", result.before.name(),
                  found.structure.size(), found.structure.name, static_cast<int>(found.structure.dof),
                  result.recordings.size(), result.recordings.size() == 1 ? "" : "s", parameter_table(result));
  if (const std::string about = about_estimator(result); !about.empty()) text += wrapped(about);
  if (found.choice) text += "\n" + structure_table(*found.choice);
  text += "\n" + estimator_table(result) + "\n" + evidence(result);
  return text + "\n";
}

}  // namespace fathom::cli
