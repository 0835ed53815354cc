#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/model/candidates.hpp"

#include "cli/terminal/number_text.hpp"
#include "cli/verbs/identify/identify_vehicle.hpp"

namespace fathom::cli {
namespace {

using Bound = consistency::ConstraintOptions::Bound;

const std::vector<std::string> estimators = {"consistent",   "ordinary", "weighted", "total",
                                             "instrumental", "robust",   "forward"};

/// NAME=MIN:MAX, where one of the two may be left out.
Bound bound_of(const std::string& text) {
  const auto fail = [&] {
    reject("--bound", fmt::format("= {}, expected NAME=MIN:MAX", in_quotes(text)),
           "such as m11=20:40 or d66=0.1:");
  };
  const std::size_t equals = text.find('='), colon = text.find(':', equals);
  if (equals == 0 || equals == std::string::npos || colon == std::string::npos) fail();
  const auto side = [&](std::string_view part, double none) {
    if (part.empty()) return none;
    const auto value = number_in(part);
    if (!value) fail();
    return *value;
  };
  const std::string_view all = text;
  return {text.substr(0, equals), side(all.substr(equals + 1, colon - equals - 1), -infinity),
          side(all.substr(colon + 1), infinity)};
}

identify::FitOptions fit_options(const VehicleOptions& options) {
  identify::FitOptions fit;
  fit.thrust_sigma = options.thrust_sigma;
  fit.estimate_current = options.current == "auto";
  fit.estimate_delay = options.delay == "auto";
  if (fit.estimate_delay) return fit;
  const double most = identify::RegressionOptions().most_delay;
  const auto delay = number_in(options.delay);
  if (!delay || *delay < 0 || *delay > most)
    reject("--delay",
           fmt::format("= {}, expected auto, or seconds from 0 to {:g}", in_quotes(options.delay), most),
           "such as 0.15 for 150 ms");
  fit.delay = *delay;
  return fit;
}

bool has(const model::Structure& structure, const std::string& parameter) {
  return std::any_of(structure.terms.begin(), structure.terms.end(),
                     [&](const model::Term& term) { return name_of(term) == parameter; });
}

model::Structure structure_of(const VehicleOptions& options, const model::Robot& robot) {
  try {
    return model::candidate(options.structure, robot);
  } catch (const InputError& error) {
    const Finding& finding = error.findings().front();
    reject("--structure", finding.message, finding.hint.empty() ? "or auto: the data decide" : finding.hint);
  }
}

/// Before any log is read: a slip shall not cost its minutes.
void check_bounds(const std::vector<Bound>& bounds, const std::vector<model::Structure>& structures) {
  for (const Bound& bound : bounds) {
    const bool is_known = std::any_of(structures.begin(), structures.end(),
                                      [&](const model::Structure& s) { return has(s, bound.parameter); });
    if (!is_known)
      reject("--bound",
             fmt::format("{} is no parameter{}", in_quotes(bound.parameter),
                         structures.size() == 1 ? " of structure " + structures.front().name : ""),
             "names are those that `fathom identify` prints, such as m11, d26, q33|3|, W-B");
    if (!(bound.min < bound.max))
      reject("--bound", fmt::format("{} = {:g}:{:g}, expected a smaller and a larger number", bound.parameter,
                                    bound.min, bound.max));
  }
}

/// The structure that was asked for, or all in which every bounded parameter has a place.
std::vector<model::Structure> candidates_of(const VehicleOptions& options, const model::Robot& robot,
                                            const std::vector<Bound>& bounds) {
  const bool is_chosen = options.structure != "auto";
  std::vector<model::Structure> all =
      is_chosen ? std::vector{structure_of(options, robot)} : model::candidate_structures(robot);
  check_bounds(bounds, all);
  std::vector<model::Structure> kept;
  for (model::Structure& structure : all)
    if (std::all_of(bounds.begin(), bounds.end(), [&](const Bound& b) { return has(structure, b.parameter); }))
      kept.push_back(std::move(structure));
  if (kept.empty())
    reject("--bound", fmt::format("there is no structure with {}", join(options.bounds, " and ")),
           "fewer of them, or a --structure");
  return kept;
}

}  // namespace

void VehicleOptions::check() const {
  require(!output_error || estimator == "consistent", "--output-error",
          "begins with the consistent estimate: not with --estimator " + estimator);
  if (!(thrust_sigma >= 0 && thrust_sigma < 1))
    reject("--thrust-sigma", fmt::format("= {}, must be a share from 0 to 1", thrust_sigma),
           "such as 0.02 for 2 %");
  constexpr double longest_blur = 20;  // s; longer ones leave nothing of a motion
  if (!(blur > 0 && blur <= longest_blur))
    reject("--blur", fmt::format("= {} s, must be above 0 and at most {:g}", blur, longest_blur), "s, not ms?");
  require(unseen_share > 0 && std::isfinite(unseen_share), "--unseen-share",
          fmt::format("= {}, must be above 0", unseen_share));
}

identify::IdentifyOptions VehicleOptions::identify_options(const model::Robot& robot) const {
  identify::IdentifyOptions result;
  result.constraints.dry_body = !no_dry_body;
  for (const std::string& text : bounds) result.constraints.bounds.push_back(bound_of(text));
  result.candidates = candidates_of(*this, robot, result.constraints.bounds);
  result.regression.blur = blur;
  result.unseen_share = unseen_share;
  result.fit = fit_options(*this);
  return result;
}

std::string VehicleOptions::command() const {
  const VehicleOptions usual;
  std::string command = "identify" + logs.command();
  if (structure != usual.structure) command += " --structure " + structure;
  if (estimator != usual.estimator) command += " --estimator " + estimator;
  if (output_error) command += " --output-error";
  if (thrust_sigma != 0) command += fmt::format(" --thrust-sigma {}", thrust_sigma);
  if (blur != usual.blur) command += fmt::format(" --blur {}", blur);
  if (delay != usual.delay) command += " --delay " + delay;
  if (current != usual.current) command += " --current " + current;
  if (no_dry_body) command += " --no-dry-body";
  for (const std::string& bound : bounds) command += " --bound " + shell_word(bound);
  if (unseen_share != usual.unseen_share) command += fmt::format(" --unseen-share {}", unseen_share);
  if (accept_bounds) command += " --accept-bounds";
  if (accept_unseen) command += " --accept-unseen";
  return command;
}

void add_vehicle_options(CLI::App& app, VehicleOptions& options) {
  app.add_option("--structure", options.structure,
                 "Which parameters: linear, diagonal, quadratic, cross, 6dof, 6dof-cross, 6dof-oblique, a "
                 "published vector (vehicle-23, ...), or auto: the data decide among the first seven")
      ->option_text("NAME=auto");
  app.add_option(
         "--estimator", options.estimator,
         "consistent (default), or another whose values and intervals take its place: ordinary, weighted, "
         "total, instrumental, robust; forward: commands explain the acceleration, which foretells better "
         "where they explain but a part; its masses are too large then, and intervals reach to the default's")
      ->check(is_word(estimators))
      ->option_text("WORD");
  app.add_flag("--output-error", options.output_error,
               "Refine the estimate until the model's velocities, not its wrench, meet the measured ones");
  app.add_option("--blur", options.blur, "Seconds, of the Gaussian that both sides of the equation see")
      ->check(is_number("time"))
      ->option_text(fmt::format("S={:g}", options.blur));
  app.add_option(
         "--thrust-sigma", options.thrust_sigma,
         "How well the thrusters' forces are known, one sigma as a share, such as 0.02; widens intervals")
      ->check(is_number("share"))
      ->option_text("SHARE=0");
  app.add_option("--delay", options.delay, "Seconds from command to wrench, or auto: estimated")
      ->option_text("S=auto");
  app.add_option("--current", options.current, "Of the water: auto, it is estimated; or none")
      ->check(is_word({"auto", "none"}))
      ->option_text("WORD=auto");
  app.add_flag("--no-dry-body", options.no_dry_body,
               "The dry body is not known well: M > 0 in place of M - M_rb >= 0");
  app.add_option("--bound", options.bounds,
                 "Keep a parameter within MIN:MAX, of which one may be left out; may "
                 "be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text("NAME=MIN:MAX");
  app.add_option("--unseen-share", options.unseen_share,
                 "A parameter is not seen where one sigma of it makes this share of the thrusters' wrench")
      ->check(is_number("share"))
      ->option_text("SHARE=0.5");
  app.add_flag("--accept-bounds", options.accept_bounds,
               "Status 0 even where a condition holds an estimate back");
  app.add_flag("--accept-unseen", options.accept_unseen,
               "Status 0 even where the logs do not show a parameter");
}

}  // namespace fathom::cli
