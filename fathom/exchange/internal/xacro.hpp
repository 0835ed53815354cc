#pragma once
#include "fathom/fields/xml_file.hpp"

namespace fathom::exchange::internal {

/// Throws InputError where the file is for xacro: its macros and ${...} are not expanded here.
void reject_xacro(const XmlElement& root);

}  // namespace fathom::exchange::internal
