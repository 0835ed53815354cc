// Any bytes as a URDF of an arm: they are read or rejected with an InputError whose lines are in the file. What
// is read is an arm that an arm file takes.
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
    if (model::parse_arm(text, "again.yaml").size() != arm.size()) fail("joints get lost", text);
  } catch (const InputError& error) {
    fail(error.what(), text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  int lines = 1;
  for (const char c : text) lines += c == '\n' || c == '\r';
  try {
    check_arm(model::parse_urdf_arm(text, "fuzz.urdf"));
  } catch (const InputError& error) {
    check_messages(error);
    for (const Finding& finding : error.findings())
      if (finding.line > lines) fail("a problem beyond the end", error.what());
  }
  return 0;
}
