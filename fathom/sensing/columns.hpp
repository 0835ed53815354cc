#pragma once
#include <span>
#include <string>
#include <vector>

#include "fathom/base/column.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::sensing {

/// What a sensor's sample holds, in order. Thruster sensors have one column per thruster of the robot.
std::vector<Column> columns_of(const model::Sensor& sensor, std::span<const std::string> thruster_names = {});

/// The frame of the numbers: c (the sensor's axes), n, s (the transceiver's), or "" where there is none.
std::string frame_of(const model::Sensor& sensor);

}  // namespace fathom::sensing
