// Any bytes as an arm file: they load or are rejected with an InputError. What loads comes out of arm_to_yaml
// and back as the same text, and its levers have an arm at both ends of their joints.
#include <cmath>
#include <cstdint>
#include <string>

#include "fathom/base/error.hpp"
#include "fathom/model_file/arm_file.hpp"

#include "fuzz/verdict.hpp"

namespace {

using namespace fathom;
using fuzz::check_messages;
using fuzz::fail;

void check_arm(const model::Arm& arm) {
  const std::string text = model::arm_to_yaml(arm);
  try {
    if (model::arm_to_yaml(model::parse_arm(text, "again.yaml")) != text) fail("the arm changes", text);
  } catch (const InputError& error) {
    fail(error.what(), text);
  }
  for (const model::Joint& joint : arm.joints())
    if (joint.actuator)
      for (const double q : {joint.limits.min, joint.limits.max})
        if (std::isfinite(q) && !(std::abs(motor_angle(joint.actuator->transmission, q).ratio) > 0))
          fail("a lever without arm", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    check_arm(model::parse_arm(std::string(reinterpret_cast<const char*>(data), size), "fuzz.yaml"));
  } catch (const InputError& error) {
    check_messages(error);
  }
  return 0;
}
