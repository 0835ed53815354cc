#include "fathom/exchange/format.hpp"

#include "fathom/base/error.hpp"

namespace fathom::exchange {

const FormatFacts& facts_of(Format format) {
  for (const FormatFacts& facts : formats)
    if (facts.format == format) return facts;
  reject("format", "is none of those that there are");
}

Format format_from(const std::string& name) {
  std::string names;
  for (const FormatFacts& facts : formats) {
    if (facts.name == name) return facts.format;
    names += (names.empty() ? "" : ", ") + std::string(facts.name);
  }
  reject("format", "'" + name + "' is no format", "there are: " + names);
}

}  // namespace fathom::exchange
