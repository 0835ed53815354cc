#pragma once
#include <string>
#include <vector>

#include "fathom/log/dataset.hpp"
#include "fathom/loop/scenario.hpp"
#include "fathom/loop/simulation.hpp"
#include "fathom/report/page.hpp"

namespace fathom::report {

/// What a page about a simulated run is made of.
struct Run {
  const loop::Scenario* scenario;
  const std::vector<log::Channel>* channels;  ///< all rows, or some, evenly spaced
  std::vector<loop::VehicleAccount> vehicles;
  std::vector<loop::Event> events;
  std::string footer;
};

/// The page that `fathom simulate` writes: motion, tracking, thrusters, sensors, events.
Page run_page(const Run& run);

}  // namespace fathom::report
