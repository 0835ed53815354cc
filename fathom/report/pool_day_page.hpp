#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fathom/identify/vehicle/identify.hpp"
#include "fathom/identify/vehicle/validation.hpp"
#include "fathom/loop/scenario.hpp"
#include "fathom/loop/statistics.hpp"
#include "fathom/report/page.hpp"

namespace fathom::report {

/// A parameter beside the truth, which a simulation knows.
struct ParameterBesideTruth {
  std::string name, unit;
  double truth = 0, value = 0, sigma = 0;
  bool holds = false;  ///< the 95 % interval holds the truth
};

/// How well one way of control held the vehicle on its path. Nothing where it ran away.
struct TrackingRow {
  std::string control;
  std::optional<loop::Tracking> tracking;
};

/// What a page about a whole pool day is made of.
struct PoolDayPage {
  const loop::Scenario* scenario;   ///< of the excitation, with its motion
  const identify::Recording* swum;  ///< along it
  const identify::Identified* identified;
  std::vector<ParameterBesideTruth> parameters;
  const identify::Validation* validation;  ///< with the structure that the data chose
  const identify::Validation* linear;      ///< with the source's
  std::span<const identify::Recording> recordings;
  std::vector<TrackingRow> tracking;
  std::vector<std::string> failed = {};  ///< checks that do not hold
  std::vector<FileLink> exported = {};   ///< the identified robot as other programs read it
  std::string footer = {};
};

/// The page that `fathom demo` writes: the swim, parameters beside the truth, predicted velocities with their
/// bands, R2 beside that of the source's structure, tracking with the estimate, and files for other programs.
Page pool_day_page(const PoolDayPage& page);

}  // namespace fathom::report
