#pragma once
#include "fathom/exchange/import.hpp"
#include "fathom/fields/xml_file.hpp"

namespace fathom::exchange::internal {

// Each takes the parsed file; files that it names are looked for beside `xml.file()`.

Imported read_gz_sim(const XmlFile& xml);
Imported read_uuv_simulator(const XmlFile& xml);
Imported read_rdml(const XmlFile& xml);

}  // namespace fathom::exchange::internal
