#include "fathom/log/internal/ros_names.hpp"

#include <set>

#include <fmt/format.h>

#include "fathom/base/text.hpp"

namespace fathom::log::internal {
namespace {

constexpr std::string_view definition_of_time =
    "================================================================================\n"
    "MSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

/// `text` itself, or with the first number behind it that makes it new.
std::string unique(const std::string& text, std::string_view between, std::set<std::string>& taken) {
  std::string name = text;
  for (int k = 2; !taken.insert(name).second; ++k) name = fmt::format("{}{}{}", text, between, k);
  return name;
}

std::string field_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (is_letter(c) || is_digit(c))
      name += lower(c);
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  while (name.ends_with('_')) name.pop_back();
  if (name.empty() || !is_letter(name.front())) name = name.empty() ? "column" : "column_" + name;
  return name;
}

/// DepthSensor of depth_sensor.
std::string type_name(std::string_view text) {
  std::string name;
  bool begins = true;
  for (const char c : text) {
    if (is_letter(c) || is_digit(c)) name += begins ? upper(c) : c;
    begins = !is_letter(c) && !is_digit(c);
  }
  if (name.empty() || !is_letter(name.front())) name = "Channel" + name;
  return name;
}

/// As a comment, line by line.
std::string comment(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    result += fmt::format("# {}\n", printable(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::string definition_of(const ChannelInfo& info) {
  std::string text = comment(fmt::format("channel {}, frame {}", info.name, info.frame)) + comment(info.about);
  text += "builtin_interfaces/Time stamp\n";
  std::set<std::string> taken = {"stamp"};
  for (const Column& column : info.columns) {
    text +=
        fmt::format("float64 {}  # {}", unique(field_name(column.name), "_", taken), printable(column.name));
    text += column.unit.empty() ? "\n" : fmt::format(" [{}]\n", printable(column.unit));
  }
  return text += definition_of_time;
}

}  // namespace

std::vector<RosType> ros_types(const std::vector<Channel>& channels) {
  std::vector<RosType> types;
  types.reserve(channels.size());
  std::set<std::string> taken;
  for (const Channel& channel : channels)
    types.push_back(
        {"fathom_msgs/msg/" + unique(type_name(channel.info.name), "V", taken), definition_of(channel.info)});
  return types;
}

}  // namespace fathom::log::internal
