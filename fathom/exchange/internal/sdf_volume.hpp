#pragma once
#include <optional>

#include "fathom/fields/xml_file.hpp"

namespace fathom::exchange::internal {

/// m^3 of the body in a <geometry> of SDF; nothing for a mesh and what has no volume. Throws InputError where a
/// size is not positive.
std::optional<double> volume_of_geometry(const XmlElement& geometry);

}  // namespace fathom::exchange::internal
