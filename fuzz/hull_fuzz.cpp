// Any bytes as a hull file: it is rejected with an InputError, or gives a robot that a robot file takes.
#include <cstdint>
#include <string>

#include "fathom/base/error.hpp"
#include "fathom/model/geometric_prior.hpp"
#include "fathom/model_file/hull_file.hpp"
#include "fathom/model_file/robot_file.hpp"

#include "fuzz/verdict.hpp"

namespace {

using namespace fathom;
using fuzz::check_messages;
using fuzz::fail;

void check_hull(const std::string& text) {
  const model::Environment water;
  const model::HullDescription hull = model::parse_hull_file(text, "fuzz.yaml");
  model::warnings_about(hull, water);
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
    check_messages(error);
  }
  return 0;
}
