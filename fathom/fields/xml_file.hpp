#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

namespace tinyxml2 {
class XMLElement;
}  // namespace tinyxml2

namespace fathom {

/// An XML file is no larger and no deeper than a model can need: what is beyond is rejected.
inline constexpr std::size_t most_xml_bytes = 16u << 20;
inline constexpr int most_xml_depth = 64;

/// One element of an XmlFile, which must outlive it. Numbers are read strictly: what is not one finite number
/// in full throws InputError with file, line and path.
class XmlElement {
 public:
  XmlElement(const tinyxml2::XMLElement* element, const std::string* file) : element_(element), file_(file) {}

  /// The same element of the same file.
  bool operator==(const XmlElement&) const = default;

  std::string name() const;
  const std::string& file() const { return *file_; }
  int line() const;
  /// From the root down, with the names that elements have: sdf/model[rov]/link[base]/inertial/mass.
  std::string path() const;

  /// The first child of that name.
  std::optional<XmlElement> child(std::string_view name) const;
  /// Throws InputError where there is none; `hint` says what it holds.
  XmlElement required_child(std::string_view name, const std::string& hint) const;
  std::vector<XmlElement> children(std::string_view name) const;
  std::vector<XmlElement> children() const;
  /// All elements of that name below this one, at any depth, in the order of the file.
  std::vector<XmlElement> descendants(std::string_view name) const;

  std::optional<std::string> attribute(std::string_view name) const;
  std::string required_attribute(std::string_view name, const std::string& hint) const;
  /// What stands between its tags, without blanks around it and without comments.
  std::string text() const;

  double number() const;
  /// Exactly `count` numbers with blanks between (a comma or bracket counts as a blank too where lists are
  /// written so: `may_have_brackets`).
  std::vector<double> numbers(std::size_t count, bool may_have_brackets = false) const;
  std::vector<double> numbers_of_any_count(bool may_have_brackets = false) const;
  Eigen::Vector3d vector3() const;
  bool yes_or_no() const;
  double attribute_number(std::string_view name, const std::string& hint) const;
  std::optional<double> optional_attribute_number(std::string_view name) const;
  std::optional<Eigen::Vector3d> attribute_vector3(std::string_view name) const;

  /// Throws InputError about this element.
  [[noreturn]] void reject_it(const std::string& message, const std::string& hint = "") const;

 private:
  double number_in(std::string_view text, const std::string& what) const;
  std::vector<double> numbers_in(std::string_view text, const std::string& what, bool may_have_brackets) const;

  const tinyxml2::XMLElement* element_;
  const std::string* file_;
};

/// A parsed XML text. Entities of a document type are not expanded, so no text grows when it is read.
class XmlFile {
 public:
  /// Throws InputError with the line where it is no XML, too large or too deep. `file` is what messages name.
  XmlFile(const std::string& text, const std::string& file);
  ~XmlFile();
  XmlFile(XmlFile&&) noexcept;
  XmlFile& operator=(XmlFile&&) noexcept;
  XmlFile(const XmlFile&) = delete;
  XmlFile& operator=(const XmlFile&) = delete;

  XmlElement root() const;
  const std::string& file() const;

 private:
  struct Content;
  std::unique_ptr<const Content> content_;
};

}  // namespace fathom
