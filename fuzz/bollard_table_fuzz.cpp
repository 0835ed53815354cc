// Any bytes as the table of a bollard test: it gives a map that a robot file takes, or is rejected with an
// InputError.
#include <cstdint>
#include <string>

#include "fathom/base/error.hpp"
#include "fathom/identify/thruster/thruster.hpp"

#include "fuzz/verdict.hpp"

namespace {

using namespace fathom;
using fuzz::check_messages;
using fuzz::fail;

constexpr Eigen::Index most_rows = 60;  // more take long, and tell nothing new

void check_table(const log::NumberTable& numbers) {
  if (!numbers.values.allFinite()) fail("a number that is not finite", "");
  const identify::BollardTable table = identify::bollard_table(numbers);
  if (table.commands.size() > most_rows) return;
  const auto found = identify_thruster(table, command_of(table), "fuzz", {.folds = 3, .resamples = 3});
  for (const Finding& finding : model::check_thruster_map(found.map(), {}, "map"))
    fail("a bad map", finding.text());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    check_table(log::parse_number_table(text, "fuzz.csv"));
  } catch (const InputError& error) {
    check_messages(error);
  }
  return 0;
}
