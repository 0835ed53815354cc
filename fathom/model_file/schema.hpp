#pragma once
#include "fathom/fields/key.hpp"

namespace fathom::model {

/// JSON schema of a robot file: one body, or a vehicle with arms.
fields::Json robot_schema();
/// JSON schema of an arm file.
fields::Json arm_schema();
/// JSON schema of a hull file.
fields::Json hull_schema();

}  // namespace fathom::model
