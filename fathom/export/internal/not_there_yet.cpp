// Formats that have no writer or reader yet; each goes from here when its file comes.
#include "fathom/base/error.hpp"
#include "fathom/export/internal/readers.hpp"
#include "fathom/export/internal/writers.hpp"

namespace fathom::exchange::internal {
namespace {

[[noreturn]] void not_there_yet(Format format) {
  refuse("format", std::string(facts_of(format).title) + " is not there yet");
}

}  // namespace

Exported to_uuv_simulator(const model::Robot&, const ExportOptions&) { not_there_yet(Format::uuv_simulator); }
Exported to_rdml(const model::Robot&, const ExportOptions&) { not_there_yet(Format::rdml); }
Exported to_stonefish(const model::Robot&, const ExportOptions&) { not_there_yet(Format::stonefish); }
Exported to_matlab(const model::Robot&, const ExportOptions&) { not_there_yet(Format::matlab); }
Imported read_uuv_simulator(const XmlFile&) { not_there_yet(Format::uuv_simulator); }
Imported read_rdml(const XmlFile&) { not_there_yet(Format::rdml); }

}  // namespace fathom::exchange::internal
