#pragma once
#include <string>
#include <vector>

#include "fathom/log/dataset.hpp"
#include "fathom/loop/scenario.hpp"
#include "fathom/loop/statistics.hpp"
#include "fathom/report/page.hpp"

namespace fathom::report {

/// What a page about a simulated run is made of.
struct Run {
  const loop::Scenario* scenario;
  const std::vector<log::Channel>* channels;  ///< all rows, or some, evenly spaced
  std::vector<loop::VehicleStatistics> vehicles;
  std::vector<loop::CouplingStatistics> couplings = {};
  std::vector<loop::Event> events = {};
  double simulated = 0;     ///< s
  std::string failed = {};  ///< the vehicle whose motion ran away, if any
  std::size_t stride = 1;   ///< one row in how many is in `channels`, at most
  std::string footer = {};
};

/// The page that `fathom simulate` writes: motion, tracking, thrusters, sensors, couplings, events.
Page run_page(const Run& run);

}  // namespace fathom::report
