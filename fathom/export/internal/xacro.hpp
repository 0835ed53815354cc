#pragma once
#include "fathom/base/xml_file.hpp"

namespace fathom::exchange::internal {

/// Throws InputError where the file is for xacro: its macros and ${...} are not expanded here.
void refuse_xacro(const XmlElement& root);

}  // namespace fathom::exchange::internal
