#pragma once
#include "fathom/fields/key.hpp"

namespace fathom::model {

/// JSON schema of a robot file that holds one body.
fields::Json robot_schema();
/// JSON schema of a hull file.
fields::Json hull_schema();

}  // namespace fathom::model
