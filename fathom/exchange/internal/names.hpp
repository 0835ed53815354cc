#pragma once
#include <cctype>
#include <string>
#include <string_view>

namespace fathom::exchange::internal {

/// Letters, digits, - and _ alone, a letter or digit first, at most 64: what robots, links, joints and topics
/// can be called in every program.
inline std::string plain_name(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  std::string name;
  for (const char c : text.substr(0, 64))
    if (is_letter(c) || (!name.empty() && c == '-'))
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  return name.empty() ? "unnamed" : name;
}

/// A name that ROS takes for a namespace: letters, digits and _, a letter first.
inline std::string ros_name(const std::string& robot) {
  std::string name;
  for (const char c : robot) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (name.empty() || !std::isalpha(static_cast<unsigned char>(name.front()))) name = "robot_" + name;
  return name;
}

}  // namespace fathom::exchange::internal
