#pragma once
#include "fathom/fields/yaml.hpp"
#include "fathom/model/arm.hpp"

namespace fathom::model::internal {

/// What stands below `arm` in an arm file, or as an entry of a vehicle's arms, without judging it.
ArmSpec read_arm_section(const yaml::Field& field);

/// The arm behind it. Where no arm can be made of `spec` the findings go to the field's reading, under its key.
std::optional<Arm> make_arm(ArmSpec spec, const yaml::Field& field);

}  // namespace fathom::model::internal
