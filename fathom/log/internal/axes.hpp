#pragma once
#include <optional>
#include <string>

#include "fathom/fields/yaml_values.hpp"
#include "fathom/geometry/types.hpp"

namespace fathom::log::internal {

/// Axes of somebody's file.
struct Axes {
  Mat3 rotation = Mat3::Identity();  ///< brings vectors from these axes into ours
  std::string frame;                 ///< n or b where a word names the axes
};

/// Words of named axes: FRD, FLU, NED, ENU, NWU.
std::vector<std::string_view> axes_words();

/// Reads a word, three rows, or roll, pitch and yaw in degrees.
std::optional<Axes> read_axes(const yaml::Field& field);

}  // namespace fathom::log::internal
