#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fathom/excite/any_problem.hpp"
#include "fathom/excite/arm/design.hpp"
#include "fathom/excite/assessment.hpp"
#include "fathom/task/context.hpp"
#include "fathom/task/result.hpp"

namespace fathom::task {

/// Options of excite(); keys are the flags of `fathom excite`. What is absent is as the problem file has it.
struct ExciteOptions {
  std::string problem = {};                      ///< name of a shipped problem, or path of a problem file
  std::optional<double> duration = {};           ///< s; segments keep their shares; of an arm: of a period
  std::optional<std::string> criterion = {};     ///< a-optimal, d-optimal or condition
  std::optional<int> starts = {};                ///< random beginnings, of which the best end is kept
  std::optional<double> waypoint_interval = {};  ///< s between a vehicle's way-points; absent: 1
  std::optional<double> rate = {};               ///< Hz, rows of an arm's trajectory.csv; absent: 100
  std::optional<int> periods = {};               ///< of an arm's motion in trajectory.csv; absent: 1
  std::uint64_t seed = 1;                        ///< of all random draws

  /// Returns the command that asks for the same again.
  std::string command() const;
};

/// The numbers of a designed motion, as summary.json has them. A key that is of vehicles alone, or of arms
/// alone, is absent in the summary of the other.
struct ExciteSummary {
  struct Segment {
    std::string name;
    double duration_s = 0;
  };
  struct Shape {
    std::string kind;
    IfAny<double> interval_s = {};
    IfAny<int> degree = {}, parts = {};
  };
  struct Problem {
    std::string name, title, file;
    IfAny<std::string> robot, robot_file, structure;  // of a vehicle, up to sampling_s
    IfAny<std::size_t> parameters;
    IfAny<double> duration_s;
    IfAny<std::vector<Segment>> segments;
    IfAny<double> sampling_s;
    IfAny<bool> thruster_errors;       // of a vehicle: they count
    IfAny<std::string> arm, arm_file;  // of an arm, up to period_s
    IfAny<std::vector<std::string>> held;
    IfAny<std::string> medium, space, measured;
    IfAny<double> noise;
    IfAny<int> harmonics;
    IfAny<double> period_s;
    long samples = 0;
    IfAny<Shape> shape;    // of a vehicle
    IfAny<long> unknowns;  // of a vehicle
    std::string criterion;
    int starts = 0;
  };
  struct Floor {
    double value = 0;
    std::string largest, smallest;
  };
  struct Parameter {
    std::string name, unit;
    double value = 0;
    IfAny<double> linearised_value = {};  // of a vehicle
    double sigma = 0;
    IfAny<double> scale = {};  // of a vehicle
    double relative = 0;
    IfAny<std::string> grouping = {};  // of an arm
  };
  struct Baseline {
    double error_rms = 0, condition_number = 0;
    std::vector<double> sigma = {};
  };
  struct Baselines {
    std::optional<Baseline> sinusoids, multisine;
    Baseline random;
  };
  struct Certificate {
    std::string status;
    IfAny<std::string> reason;  // of a vehicle
    double stationarity = 0, complementarity = 0, margin = 0;
    int iterations = 0;
    IfAny<int> evaluations;  // of a vehicle
  };
  struct Margin {
    IfAny<std::string> joint;  // of an arm
    std::string limit, unit;
    IfAny<double> nearest = {}, bound = {}, margin = {}, t_s = {};  // of a vehicle
    IfAny<double> reached = {}, allowed = {}, share_left = {};      // of an arm
  };
  struct Start {
    int number = 0;
    IfAny<double> first;  // of a vehicle: the criterion at the beginning
    double last = 0;
    IfAny<double> polished;  // of an arm: the criterion after polishing
    std::string status;
    int iterations = 0;
    IfAny<bool> drawn_together;  // of an arm
  };

  std::string command, version;
  std::uint64_t seed = 1;
  Problem problem;
  double criterion = 0;
  std::string criterion_in_words;
  IfAny<double> error_rms;  // of a vehicle
  double condition_number = 0;
  IfAny<double> condition_number_in_units, condition_number_of_random_motions;  // of an arm
  IfAny<Floor> condition_floor;                                                 // of a vehicle
  std::vector<Parameter> parameters;
  IfAny<Baselines> baselines;  // of a vehicle
  Certificate certificate;
  IfAny<double> run_in_s, motion_s;  // of an arm
  bool inside_limits = false;
  std::vector<Margin> margins;
  int best_start = 0;
  std::vector<Start> starts;
  bool interrupted = false;
  std::vector<std::string> notes, files;
};

struct ExciteResult : ResultOf<ExciteResult, ExciteSummary> {
  /// What the numbers come from, for drawings and files.
  struct Vehicle {
    excite::Problem problem;
    excite::Design design;
    excite::Assessment assessment;
    double waypoint_interval = 1;  ///< s
  };
  struct Arm {
    excite::ArmProblem problem;
    excite::ArmDesign design;
    excite::ArmRunIn run_in;       ///< of trajectory.csv: from rest to rest
    double rate = 100;             ///< Hz, likewise
    std::string identify_command;  ///< that takes the run which this motion gives
  };
  std::variant<std::monostate, Vehicle, Arm> evidence;  ///< std::monostate in a result that was loaded

  static constexpr bool has_page = true;

  Status status() const { return reasons().empty() ? Status::done : Status::check_failed; }
  std::vector<std::string> reasons() const;
  std::vector<std::string> warnings() const;
  report::Document report() const;
  /// Throws InputError unless the keys of a vehicle, or those of an arm, are all there.
  static ExciteSummary from_json(const std::string& text);
  /// Returns trajectory, samples and way-points of a vehicle, or the motion of an arm as a table and a series.
  std::vector<ResultFile> files() const;
  static ExciteResult load(const std::filesystem::path& folder);
};

/// Designs the motion that shows a vehicle's or an arm's parameters best, inside walls and limits
/// (docs/excitation.md, docs/arm-excitation.md). Once a start has ended, a request to stop ends the search with
/// the best so far, and the result says so. Throws InputError, and Interrupted where no start has ended.
ExciteResult excite(const ExciteOptions& options, const Context& context = {});

/// Reads the problem with what the options change of it. Throws InputError, also for options of the other kind.
excite::AnyProblem read_problem(const ExciteOptions& options, const Context& context);
/// The same as excite() of a problem that was read with these options. All starts run on the pool; where that
/// is a task::Batch, a process that is not the first hears of none.
ExciteResult excite(const excite::AnyProblem& problem, const ExciteOptions& options, WorkerPool& pool,
                    const Context& context = {});

}  // namespace fathom::task
