// Any bytes as an MCAP file, or as the definition of a message with a message: they are read or rejected with
// an InputError, in the time and memory that their size deserves.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/error.hpp"
#include "fathom/log/bag.hpp"
#include "fathom/log/internal/cdr.hpp"

#include "fuzz/verdict.hpp"

namespace {

using namespace fathom;
using fuzz::check_messages;
using fuzz::fail;

std::vector<std::size_t> readable(const log::Bag& bag) {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < bag.topics().size(); ++k) {
    const log::Topic& topic = bag.topics()[k];
    if (topic.columns.empty() == topic.why_not.empty()) fail("columns, or why there are none", topic.name);
    if (!topic.columns.empty()) places.push_back(k);
  }
  return places;
}

void check_bag(std::string_view bytes, const log::BagOptions& options) {
  const log::Bag bag(bytes, "fuzz.mcap", options);
  for (const Finding& note : bag.notes())
    if (note.message.empty()) fail("a note without a message", note.text());
  const std::vector<std::size_t> wanted = readable(bag);
  std::vector<std::size_t> rows(wanted.size());
  const auto counts = bag.read(wanted, [&](std::size_t k, std::span<const double> row) {
    if (row.size() != bag.topics()[wanted[k]].columns.size()) fail("a row of another width", "");
    ++rows[k];
  });
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (counts[k].rows != rows[k]) fail("rows are miscounted", bag.topics()[wanted[k]].name);
    if (rows[k] + counts[k].unreadable != bag.topics()[wanted[k]].messages) fail("messages are missing", "");
  }
}

void check_message(std::string_view text, std::span<const std::byte> message) {
  using namespace log::internal;
  Definitions definitions = parse_definitions("a_msgs/A", text);
  definitions.merge(usual_definitions());
  const Layout layout = layout_of("a_msgs/A", definitions, message);
  std::vector<double> row(layout.columns.size());
  if (decode(layout, message, 0, row) == Decoded::unreadable && !message.empty())
    fail("the first message has a layout, but is unreadable", std::string(text));
}

template <class Action>
void run(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    check_messages(error);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with("\x89MCAP")) {
    run([&] { check_bag(bytes, {}); });
    run([&] { check_bag(bytes, {.allow_truncated = true}); });
    return 0;
  }
  const std::size_t end = std::min(bytes.find('\0'), size);
  const std::string_view message = bytes.substr(std::min(end + 1, size));
  run([&] { check_message(bytes.substr(0, end), std::as_bytes(std::span(message))); });
  return 0;
}
