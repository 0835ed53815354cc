#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::log::internal {

/// One field of a message, as its definition says it. Constants are no fields.
struct Field {
  enum class Count { one, fixed, sequence };

  std::string type;  ///< a primitive such as float64, string or wstring, or a message as `package/Name`
  std::string name;
  Count count = Count::one;
  std::uint32_t length = 0;  ///< of a fixed array

  bool operator==(const Field&) const = default;
};

/// The fields of messages by their type, `package/Name`.
using Definitions = std::map<std::string, std::vector<Field>, std::less<>>;

/// `package/Name` of `package/msg/Name`; others as they are.
std::string short_type(std::string_view type);

/// A definition in ROS' text (.msg), with those that it uses behind lines of `===` and `MSG: package/Name`.
/// Throws InputError with the line.
Definitions parse_definitions(std::string_view type, std::string_view text);

/// Definitions of usual messages, for files that bring none. Several where releases of ROS differ: each is
/// complete, the newest first. Empty where the type is unknown.
std::vector<Definitions> usual_definitions(std::string_view type);
Definitions usual_definitions();  ///< all, the newest

}  // namespace fathom::log::internal
