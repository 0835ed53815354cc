#pragma once
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/geometry/types.hpp"

namespace fathom::exchange::internal {

/// The shortest decimal that reads back as the same double; zero has no sign. Must be finite.
std::string number_text(double value);
std::string numbers_text(std::span<const double> values);
std::string numbers_text(const Vec3& v);
/// Position, then roll, pitch, yaw: as SDF and URDF have poses.
std::string numbers_text(const Vec3& position, const Vec3& rpy);

/// `&`, `<`, `>` and quotes as entities; bytes that XML does not allow as '?'.
std::string escaped(std::string_view text);

using Attribute = std::pair<std::string_view, std::string>;

/// XML as people write it: two blanks a level, one element a line.
class XmlText {
 public:
  /// Without `declaration` no <?xml ...?> line: for parts of a file.
  explicit XmlText(bool declaration = true);

  void open(std::string_view name, std::initializer_list<Attribute> attributes = {});
  void close();
  /// <name attributes>text</name>, or <name attributes/> where the text is empty.
  void leaf(std::string_view name, std::string_view text, std::initializer_list<Attribute> attributes = {});
  void leaf(std::string_view name, double value) { leaf(name, number_text(value)); }
  void leaf(std::string_view name, const Vec3& value) { leaf(name, numbers_text(value)); }
  void empty(std::string_view name, std::initializer_list<Attribute> attributes) { leaf(name, "", attributes); }
  void comment(std::string_view text);
  /// The whole text; every element that is open is closed first.
  std::string take();

 private:
  void begin_line();
  void tag(std::string_view name, std::initializer_list<Attribute> attributes);

  std::string text_;
  std::vector<std::string> open_;
};

}  // namespace fathom::exchange::internal
