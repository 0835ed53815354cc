// Any bytes either make a scenario, or are rejected with an InputError; a scenario that is read can also be
// begun.
#include <cstdint>
#include <string>

#include "fathom/base/error.hpp"
#include "fathom/loop/simulation.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const fathom::loop::Scenario scenario =
        fathom::loop::parse_scenario(text, "fuzz.yaml", {FATHOM_ROBOTS_DIR});
    fathom::log::NoSink nowhere;
    fathom::loop::Simulation simulation(scenario, 1, nowhere);
    simulation.step();
  } catch (const fathom::InputError&) {
  }
  return 0;
}
