#pragma once
#include <string>

#include "fathom/model/arm.hpp"

namespace fathom::model {

/// Reads an arm file (docs/arm-file.md) or a URDF, by the name's ending. Throws InputError with place and hint.
Arm read_arm(const std::string& path);
/// Writes an arm file that read_arm gives back number by number.
void write_arm(const Arm& arm, const std::string& path);

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
