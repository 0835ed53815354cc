#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/column.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::sensing {

/// A quantity of a sensor's sample, with its columns and the channel of each number of its error.
struct Part {
  model::Quantity quantity;
  std::vector<Column> columns;
  std::vector<std::string_view>
      error_channels;  ///< a quaternion has four columns and an error of three numbers
};

/// Returns the parts of a sensor's sample, in order. Thruster sensors have one column per thruster of the
/// robot.
std::vector<Part> parts_of(const model::Sensor& sensor, std::span<const std::string> thruster_names = {});

/// Returns the columns of all parts, in order.
std::vector<Column> columns_of(const model::Sensor& sensor, std::span<const std::string> thruster_names = {});

/// The frame of the numbers: c (the sensor's axes), n, s (the transceiver's), or "" where there is none.
std::string frame_of(const model::Sensor& sensor);

}  // namespace fathom::sensing
