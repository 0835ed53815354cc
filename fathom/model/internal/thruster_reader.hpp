#pragma once
#include "fathom/fields/yaml.hpp"
#include "fathom/model/thruster_map.hpp"

namespace fathom::model::internal {

/// Of a robot file, without judging it: check_thruster_map does that.
ThrusterMap read_thruster_map(const yaml::Field& field);
Transient read_transient(const yaml::Field& field);

}  // namespace fathom::model::internal
