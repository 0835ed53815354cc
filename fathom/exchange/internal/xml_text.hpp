#pragma once
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tinyxml2.h>

#include "fathom/base/utf8.hpp"
#include "fathom/geometry/types.hpp"

namespace fathom::exchange::internal {

/// Returns the shortest decimal that reads back as the same double; zero has no sign. Must be finite.
std::string number_text(double value);
std::string numbers_text(std::span<const double> values);
std::string numbers_text(const Vec3& v);
/// Position, then roll, pitch, yaw: as SDF and URDF have poses.
std::string numbers_text(const Vec3& position, const Vec3& rpy);

using Attribute = std::pair<const char*, std::string>;

/// Prints XML with one element per line, indented by two blanks per level. Bytes that XML does not allow become
/// '?'.
class XmlText : tinyxml2::XMLPrinter {
 public:
  XmlText() { PushHeader(false, true); }

  /// The name must live until the element is closed.
  void open(const char* name, std::initializer_list<Attribute> attributes = {});
  void close() { CloseElement(); }
  /// Prints <name attributes>text</name>, or <name attributes/> where the text is empty.
  void leaf(const std::string& name, std::string_view text, std::initializer_list<Attribute> attributes = {});
  void leaf(const std::string& name, double value) { leaf(name, number_text(value)); }
  void leaf(const std::string& name, const Vec3& value) { leaf(name, numbers_text(value)); }
  void empty(const std::string& name, std::initializer_list<Attribute> attributes) {
    leaf(name, "", attributes);
  }
  /// Prints a comment, which must not contain "--".
  void comment(const std::string& text) { PushComment((" " + as_utf8(text) + " ").c_str()); }
  /// Closes all open elements and returns the whole text.
  std::string take();

 private:
  void PrintSpace(int depth) override;
};

}  // namespace fathom::exchange::internal
