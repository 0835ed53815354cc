#pragma once
#include "fathom/exchange/import.hpp"
#include "fathom/fields/xml_file.hpp"

namespace fathom::exchange::internal {

// Each takes the parsed file; files that it names are looked for beside `xml.file()`.

Imported read_gz_sim(const XmlFile& xml);
Imported read_uuv_simulator(const XmlFile& xml);
Imported read_rdml(const XmlFile& xml);

/// Gives every value without a source the place that it was read from: file, line and tag.
void name_sources(Imported& imported);

/// Throws InputError where the file is for xacro: its macros and ${...} are not expanded here.
void reject_xacro(const XmlElement& root);

}  // namespace fathom::exchange::internal
