#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/constants.hpp"
#include "fathom/identify/thruster/step_law.hpp"

namespace fathom::identify {

/// One number of a fitted law.
struct StepParameter {
  std::string name, unit;
  double value = 0;
  /// 95 %, residuals that remember and steps that disagree allowed for; of a flow behind a lag also a rotor
  /// that is none.
  double low = 0, high = 0;
  bool of_bench = false;  ///< says something of instruments and table, not of the thruster
  bool at_bound = false;  ///< the runs do not show it
};

/// How a law meets a run that it was not fitted to. NaN where it was not measured, or never changes.
struct StepScore {
  std::string run;
  double speed_r2 = nan, force_r2 = nan;
  double speed_rmse = nan, force_rmse = nan;  ///< rad/s, N
};

struct StepLawFit {
  StepLaw law;
  std::string why_not = {};  ///< where it was not tried; then there is nothing below
  StepNumbers numbers = {};  ///< of all runs together
  std::vector<StepParameter> parameters = {};
  bool converged = false;
  std::vector<StepScore> held_out = {};  ///< by run; empty where there was nothing to hold out
  std::vector<double> by_step = {};      ///< mean square held-out error of each step, over the run's spread
  double error = nan;                    ///< their mean
  double worse = 0, worse_sigma = 0;  ///< than the best law: mean and standard error of the difference by step

  std::size_t unknowns() const;  ///< of the thruster itself
  /// Whether the flow's share or its drag is told from zero; true without a flow.
  bool shows_flow() const;
};

struct StepLawChoice {
  std::vector<StepLawFit> laws;  ///< in the order of step_laws()
  std::size_t chosen = 0;
  bool forced = false;   ///< the law was named
  bool by_runs = false;  ///< held out was one run after the other; else every other step of the only run
  std::size_t steps = 0;

  const StepLawFit& best() const { return laws[chosen]; }
  /// What the runs cannot tell of the chosen law, for people.
  std::vector<std::string> not_told() const;
};

/// Fits each law that table and runs permit, by least squares over speed and force, each in units of its spread
/// in the run; holds out one run after the other, or every other step of the only one, and takes the law with
/// fewest unknowns that is not worse on unseen steps than the best one by more than a standard error, nor by
/// more than a tenth: few steps make standard errors wide. A flow that is not told from none is not taken.
/// `forced`: that law, however it fares. Throws InputError, by the run's name, where a command or a measured
/// column never changes, no lag can be seen, or there is one step and no law is named; and for a table of
/// several voltages.
StepLawChoice choose_step_law(const IdentifiedThruster& thruster, const std::vector<StepRun>& runs,
                              const std::optional<StepLaw>& forced = {});

/// Throws InputError, with the run's file, where its measured columns say nothing about the thruster.
void check_step_run(const IdentifiedThruster& thruster, const StepRun& run);

/// Returns how a law meets run `index` of its model, which may be one that nothing was fitted to.
StepScore score_step_run(const StepModel& model, const StepNumbers& numbers, const StepRun& run,
                         std::size_t index);

}  // namespace fathom::identify
