#pragma once
#include <string>

#include "fathom/model/arm.hpp"

namespace fathom::model {

// From a path and to one: read_arm and write_arm of arm.hpp.

/// An arm file (docs/arm-file.md) from its text; `file` is the name that messages carry. Throws InputError that
/// lists everything wrong, with lines.
Arm parse_arm(const std::string& text, const std::string& file);

/// The same of a URDF. Links that are fixed to each other become one; the root and what is fixed to it is what
/// the arm stands on and has no part in it.
Arm parse_urdf_arm(const std::string& text, const std::string& file);

/// The arm as an arm file: sources and sigmas are kept, and reading it gives the same numbers. Shapes, payloads
/// and Khalil's parameters were numbers of links and joints as soon as they were read.
std::string arm_to_yaml(const Arm& arm);

}  // namespace fathom::model
