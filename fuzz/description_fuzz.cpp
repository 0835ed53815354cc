// Any bytes as a description, a line of dashes and a small table: they convert, or are rejected with an
// InputError that has a message. What is converted has times in order and no infinite value, and is counted
// right.
#include <cmath>
#include <cstdint>
#include <string>

#include "fathom/base/error.hpp"
#include "fathom/log/convert.hpp"

#include "fuzz/verdict.hpp"

namespace {

using namespace fathom;
using fuzz::check_messages;
using fuzz::fail;

void check(const log::Dataset& dataset, const log::Conversion& conversion) {
  if (dataset.channels().size() != conversion.channels.size()) fail("a channel is missing");
  for (std::size_t c = 0; c < conversion.channels.size(); ++c) {
    const log::Channel& channel = dataset.channels()[c];
    if (channel.size() != conversion.channels[c].quality.rows) fail("rows are miscounted");
    for (std::size_t k = 0; k < channel.size(); ++k)
      if (!std::isfinite(channel.t[k]) || (k > 0 && channel.t[k] < channel.t[k - 1]))
        fail("times are out of order");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view cut = "\n-----\n";
  const std::size_t at = text.find(cut);
  const std::string table = at == std::string::npos ? "" : text.substr(at + cut.size());
  try {
    log::DatasetSink sink;
    const log::Description description = log::parse_description(text.substr(0, at), "fuzz.yaml");
    const log::Conversion conversion = log::convert_text(description, table, sink);
    check(std::move(sink).dataset(), conversion);
  } catch (const InputError& error) {
    check_messages(error);
  }
  return 0;
}
