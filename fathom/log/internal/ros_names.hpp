#pragma once
#include <string>
#include <vector>

#include "fathom/log/dataset.hpp"

namespace fathom::log::internal {

/// A channel as ROS has it.
struct RosType {
  std::string name;        ///< fathom_msgs/msg/DepthSensor
  std::string definition;  ///< text, with the definition of Time
};

/// One type for each channel, with names that ROS takes: fields of lower-case letters, digits and single
/// underscores, a letter first. What had to be changed stands in comments, with units and frame.
std::vector<RosType> ros_types(const std::vector<Channel>& channels);

}  // namespace fathom::log::internal
