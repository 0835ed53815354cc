#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "fathom/task/excite/excite.hpp"

// What vehicles and arms share, and what is of one of the two.
namespace fathom::task::internal {

std::string to_string(excite::Criterion criterion);
/// Returns the criterion of that name; nothing where there is none.
std::optional<excite::Criterion> criterion_of(const std::string& word);

/// Throws InputError for options that do not fit the problem.
void check(const ExciteOptions& options, const excite::Problem& problem);
void check(const ExciteOptions& options, const excite::ArmProblem& problem);

ExciteResult excite_vehicle(const excite::Problem& problem, const ExciteOptions& options, WorkerPool& pool,
                            const Context& context);
ExciteResult excite_arm(const excite::ArmProblem& problem, const ExciteOptions& options, WorkerPool& pool,
                        const Context& context);
/// Returns the result of a vehicle's design with that many free coefficients.
ExciteResult result_of(ExciteResult::Vehicle evidence, const ExciteOptions& options, long unknowns);

/// Sets what a search is told; `in_words` says a criterion's value. Does not throw Interrupted where it
/// reports progress: the best so far would be lost.
void prepare_search(excite::SearchOptions& search, const std::string& problem, int starts,
                    const ExciteOptions& options, const Context& context,
                    std::function<std::string(double criterion)> in_words);

/// Returns a summary with the keys that are the same of both kinds. `problem` and `design` are a vehicle's or
/// an arm's.
template <class Problem, class Design>
ExciteSummary common_summary(const Problem& problem, const Design& design, const ExciteOptions& options) {
  ExciteSummary s;
  s.command = options.command(), s.version = version(), s.seed = options.seed;
  s.problem.name = problem.name, s.problem.title = problem.title, s.problem.file = problem.file;
  s.problem.criterion = to_string(problem.criterion), s.problem.starts = problem.starts;
  const solve::InteriorPointResult& c = design.certificate;
  s.certificate = {
      solve::to_string(c.status), {}, c.stationarity, c.complementarity, c.margin, c.iterations, {}};
  for (const excite::Start& start : design.starts)
    s.starts.push_back(
        {start.number, {}, start.last, {}, solve::to_string(start.status), start.iterations, {}});
  s.interrupted = design.interrupted, s.notes = design.notes;
  return s;
}

std::vector<ResultFile> vehicle_files(const ExciteResult::Vehicle& of);
std::vector<ResultFile> arm_files(const ExciteResult::Arm& of);
/// Add to a page with title and footer what is of one kind; `of` is null in a result that was loaded.
void add_vehicle(report::Document& page, const ExciteSummary& s, const ExciteResult::Vehicle* of);
void add_arm(report::Document& page, const ExciteSummary& s, const ExciteResult::Arm* of);

/// Returns what the reader must know before anything else.
report::Text take_care(const ExciteSummary& s);
/// Adds how the search ended, as a table of the page and a line of the terminal.
void add_certificate(report::Document& page, const ExciteSummary& s, const std::string& note = {});

/// Returns of each kind of limit the margin with the least `left`, which is worst where it is not a number.
/// Kinds are in the order in which they first appear.
template <class KindOf>
std::vector<ExciteSummary::Margin> nearest_margins(const ExciteSummary& s, KindOf kind_of,
                                                   IfAny<double> ExciteSummary::Margin::*left) {
  std::vector<ExciteSummary::Margin> nearest;
  for (const ExciteSummary::Margin& margin : s.margins) {
    const auto same = std::find_if(nearest.begin(), nearest.end(),
                                   [&](const auto& other) { return kind_of(other) == kind_of(margin); });
    if (same == nearest.end())
      nearest.push_back(margin);
    else if (!std::isnan(*((*same).*left)) && !(*(margin.*left) >= *((*same).*left)))
      *same = margin;
  }
  return nearest;
}

/// Returns the path in its tank, within the limits of its position.
report::Scene motion_scene(const excite::Problem& problem, const excite::Grid& grid);
/// Returns pose, speeds, accelerations, body velocities and wrench over time, with their limits.
std::vector<report::Plot> motion_plots(const excite::Problem& problem, const excite::Assessment& assessment);

}  // namespace fathom::task::internal
