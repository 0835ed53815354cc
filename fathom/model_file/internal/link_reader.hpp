#pragma once
#include "fathom/fields/yaml.hpp"
#include "fathom/model/arm.hpp"

namespace fathom::model::internal {

/// The key link of a joint, with what its shape says where nothing else does, and with its payload merged into
/// it; without judging it.
Link read_link(const yaml::Field& field, const std::string& name_of_joint);

}  // namespace fathom::model::internal
