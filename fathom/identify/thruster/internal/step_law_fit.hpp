#pragma once
#include <vector>

#include "fathom/identify/thruster/step_law_choice.hpp"

namespace fathom::identify::internal {

/// Rows of one run from one move of the command to the next, [first, end).
struct Step {
  std::size_t run = 0;
  Eigen::Index first = 0, end = 0;
};
/// The steps of a run: a ramp is one, and what comes before the first belongs to it. Empty where the command
/// never changes.
std::vector<Step> steps_of(const StepRun& run, std::size_t index);

/// Runs as a fit sees them: rows with a share of all, residuals over the spread of each series.
class StepProblem {
 public:
  /// `with_delay`: the command may come late, which on a slow ramp nothing tells from a lag. `bent`: the rotor
  /// is no first-order lag.
  StepProblem(const StepModel& model, const std::vector<StepRun>& runs, bool with_delay, bool bent = false);

  /// The unknowns of the law as a vector of numbers near one: logarithms of what is positive.
  struct Unknown {
    std::string name, unit;
    double StepNumbers::*plain;
    double model::MotorRates::*rate;
    double model::AxialFlow::*flow;
    double low, high;
    bool is_logarithm, of_bench;

    double& in(StepNumbers& numbers) const;
    double value(double x) const;
    double coordinate(double value) const;
  };
  const std::vector<Unknown>& unknowns() const { return unknowns_; }
  StepNumbers numbers(const Eigen::VectorXd& x) const;
  Eigen::VectorXd coordinates(StepNumbers numbers) const;

  /// What is measured less what is modelled in these steps, speeds then forces of each step in turn; `series`
  /// is where each begins.
  Eigen::VectorXd residuals(const Eigen::VectorXd& x, const std::vector<Step>& steps,
                            std::vector<Eigen::Index>* series = nullptr, const StepNumbers::Left& left = {},
                            RotorMemory* memory = nullptr) const;
  /// Of what no law has, as much as would show.
  std::vector<StepNumbers::Left> left_to_try(const Eigen::VectorXd& x) const;
  /// By what the coordinates move if the delay of a motor is the lag of its windings: nothing tells them apart.
  Eigen::VectorXd moved_by_windings(const Eigen::VectorXd& x) const;
  /// 0 to 2: speeds and forces that this run is judged by.
  std::size_t series_of(std::size_t run) const { return (speed_spread_[run] > 0) + (force_spread_[run] > 0); }
  /// Mean square over one step of speed and force, each over its spread, all rows.
  double error(const StepNumbers& numbers, const Step& step) const;
  StepResponse response(const StepNumbers& numbers, std::size_t run) const {
    return model_.simulate(run, numbers);
  }
  StepScore score(const StepResponse& response, std::size_t run) const;

  struct Minimum {
    Eigen::VectorXd x;
    double cost = infinity;
    bool converged = false;
  };
  Minimum minimise(const Eigen::VectorXd& from, const std::vector<Step>& steps) const;
  /// From numbers that suit the runs: a lag by search, a flow from several starts.
  Minimum minimise(const std::vector<Step>& steps) const;
  /// With intervals.
  std::vector<StepParameter> parameters(const Minimum& at, const std::vector<Step>& steps) const;

 private:
  double search_lag(const std::vector<Step>& steps) const;
  StepNumbers first_guess(double lag) const;

  const StepModel& model_;
  const std::vector<StepRun>& runs_;
  std::vector<Unknown> unknowns_;
  std::vector<double> speed_spread_, force_spread_;  // by run; 0 where there is no such series
  Eigen::Index stride_ = 1;                          // rows from one that is fitted to the next
  double row_time_ = 0, duration_ = 0;               // s
  bool bent_ = false;
};

}  // namespace fathom::identify::internal
