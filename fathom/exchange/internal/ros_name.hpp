#pragma once
#include <cctype>
#include <string>

namespace fathom::exchange::internal {

/// A name that ROS takes for a namespace: letters, digits and _, a letter first.
inline std::string ros_name(const std::string& robot) {
  std::string name;
  for (const char c : robot) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (name.empty() || !std::isalpha(static_cast<unsigned char>(name.front()))) name = "robot_" + name;
  return name;
}

}  // namespace fathom::exchange::internal
