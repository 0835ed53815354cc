#pragma once
#include <vector>

#include "fathom/base/random.hpp"
#include "fathom/identify/tank/free_decay.hpp"
#include "fathom/identify/tank/load_cell.hpp"
#include "fathom/identify/tank/towing.hpp"

// A towing tank that is not what is fitted: the plant of `fathom reproduce tank`.
namespace fathom::studies {

/// A vehicle under a carriage. Its drag has a dip that no law c1 u + c2 |u| u has; the carriage ramps, waves
/// stand in the tank, the water still moves from the run before, cells remember their noise and their zeros
/// drift.
struct TowingPlant {
  static double drag(double u);
  static identify::DragLaw
  bracket();  ///< as the campaign believes it, with sigmas; the truth is drawn about it
  static std::vector<identify::LoadCell> cells();

  struct Campaign {
    std::vector<identify::TowedRun> runs;  ///< as the library reads them off the records
    std::vector<std::size_t> outliers;     ///< that were planted
    int without_steady_part = 0;
  };
  /// Three runs at each of ten speeds in both directions, two of them with a line that was caught.
  static Campaign tow(RandomStream& random, bool speed_is_measured);
  /// The same of the bracket alone, whose law is then exactly the one believed.
  static Campaign tow_bracket(RandomStream& random);
  /// The law that a fit without noise would find: the true drag at the fitted speeds, with the fit's weights.
  static identify::DragLaw nearest_law(const identify::DragFit& fit);
};

/// A vehicle that swings, with a force that remembers its motion, water that pushes it, and a sensor that is
/// mounted a little differently in every run.
struct DecayPlant {
  static std::vector<identify::DecayRun> swing(RandomStream& random, int runs);
  /// Of a small swing: the memory's part in phase with the rate is damping, that in phase with the angle
  /// restoring.
  static identify::DecayRates small_swing();
  /// What a fit of runs without any noise finds.
  static identify::DecayRates nearest_rates();
};

}  // namespace fathom::studies
