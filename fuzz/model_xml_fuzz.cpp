// Any bytes as a model of another simulator: they are read or rejected with an InputError. What is read has
// finite numbers and places within the file; what is a robot besides can be written for Gazebo Sim and read
// back to the same body.
#include <cmath>
#include <cstdint>
#include <string>

#include "fathom/base/error.hpp"
#include "fathom/exchange/import.hpp"

#include "fuzz/verdict.hpp"

namespace {

using namespace fathom;
using fuzz::check_messages;
using fuzz::fail;

void check_places(const exchange::Imported& imported, const std::string& text) {
  int lines = 1;
  for (const char c : text) lines += c == '\n' || c == '\r';
  for (const auto& [key, place] : imported.places)
    if (place.line < 1 || place.line > lines || place.tag.empty()) fail("a place outside the file", key);
  for (const exchange::Loss& loss : imported.losses)
    if (loss.key.empty() || loss.what.empty()) fail("a loss without a text", loss.key);
}

void check_round_trip(const model::Robot& robot) {
  const exchange::Exported exported = exchange::export_robot(robot, exchange::Format::gz_sim);
  try {
    const exchange::Imported back = exchange::parse_model(exported.files.front().text, "again.sdf");
    const double mass = robot.hull().mass.value;
    if (!(std::abs(back.spec.hull.mass.value - mass) <= 1e-9 * mass)) fail("the mass changes", robot.name());
    const auto upper = [](const Mat6& m) -> Mat6 {
      return m.triangularView<Eigen::Upper>();
    };  // SDF has one half
    if (upper(back.spec.hull.added_mass.value) != upper(robot.hull().added_mass.value))
      fail("the added mass changes", exported.files.front().text);
    if (back.spec.thrusters.size() != robot.thrusters().size()) fail("the thrusters change", robot.name());
  } catch (const InputError& error) {
    fail(error.what(), exported.files.front().text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const exchange::Imported imported = exchange::parse_model(text, "fuzz.sdf");
    check_places(imported, text);
    check_round_trip(model::Robot::make(imported.spec));
  } catch (const InputError& error) {
    check_messages(error);
  }
  return 0;
}
