#pragma once
#include "fathom/model/internal/yaml_reader.hpp"
#include "fathom/model/thruster_map.hpp"

namespace fathom::model::internal {

/// Of a robot file, without judging it: check_thruster_map does that.
ThrusterMap read_thruster_map(const Field& field);
Transient read_transient(const Field& field);

}  // namespace fathom::model::internal
