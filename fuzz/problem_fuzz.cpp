// Any bytes either make a problem of excitation, of a vehicle or of an arm, that a solver can begin with, or
// are rejected with an InputError.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fathom/base/error.hpp"
#include "fathom/excite/any_problem.hpp"

namespace {

using fathom::excite::ArmProblem;
using fathom::excite::Problem;
using fathom::excite::Range;

void insist(bool holds) {
  if (!holds) std::abort();
}

bool holds_inside(const Range& range, double value) { return range.min <= value && value <= range.max; }

void check(const Problem& problem) {
  insist(!problem.segments.empty());
  insist(problem.duration() / problem.sampling > 99.9 && problem.duration() / problem.sampling < 200001);
  for (const int coordinate : problem.coordinates()) {
    const auto k = static_cast<std::size_t>(coordinate);
    for (const auto& segment : problem.segments) {
      const Range& pose = segment.limits.pose[k];
      insist(segment.duration > 0 && std::isfinite(pose.min) && std::isfinite(pose.max) && pose.min < pose.max);
      for (const Range& range : {segment.limits.rate[k], segment.limits.acceleration[k]})
        insist(range.min < 0 && range.max > 0 && std::isfinite(range.max - range.min));
    }
    insist(holds_inside(problem.segments.front().limits.pose[k], problem.start[coordinate]));
    insist(holds_inside(problem.segments.back().limits.pose[k], problem.end[coordinate]));
  }
}

void check(const ArmProblem& problem) {
  insist(problem.arm.size() > 0 && problem.period > 0 && problem.samples > 4 * problem.harmonics);
  for (const auto& joint : problem.arm.joints()) {
    insist(std::isfinite(joint.limits.min) && std::isfinite(joint.limits.max));
    insist(joint.limits.min < joint.limits.max && joint.limits.speed > 0 && joint.limits.effort > 0);
    insist(!problem.in_current || joint.actuator);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const fathom::model::Folders folders = {{FATHOM_ROBOTS_DIR}, {FATHOM_ROBOTS_DIR "/../arms"}};
    std::visit([](const auto& problem) { check(problem); },
               fathom::excite::parse_any_problem(text, "fuzz.yaml", folders));
  } catch (const fathom::InputError&) {
  }
  return 0;
}
