// Any bytes as a hull file: it is refused with an InputError, or gives a robot that a robot file takes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fathom/base/error.hpp"
#include "fathom/model/geometric_prior.hpp"
#include "fathom/model/robot_file.hpp"

namespace {

using namespace fathom;

[[noreturn]] void fail(const char* what, const std::string& text) {
  std::fprintf(stderr, "hull_fuzz: %s\n%s\n", what, text.c_str());
  std::abort();
}

void check_hull(const std::string& text) {
  const model::Environment water;
  const model::HullDescription hull = model::parse_hull_file(text, "fuzz.yaml");
  model::doubts_about(hull, water);
  const std::string robot = model::robot_to_yaml(model::geometric_prior(hull, water));
  try {
    model::parse_robot(robot, "prior.yaml");
  } catch (const InputError& error) {
    fail("a prior that no robot file takes", error.what() + ("\n" + robot));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    check_hull(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const InputError& error) {
    if (error.findings().empty()) fail("an InputError without a problem", error.what());
    for (const Finding& finding : error.findings())
      if (finding.message.empty()) fail("a problem without a message", error.what());
  }
  return 0;
}
