#pragma once
#include "fathom/fields/yaml.hpp"
#include "fathom/model/identified.hpp"

namespace fathom::model::internal {

/// Of a robot file, without judging it: check_identified does that.
IdentifiedParameters read_identified(const yaml::Field& field);

}  // namespace fathom::model::internal
