#pragma once
#include <string>

#include "fathom/model/robot.hpp"

// Values of robot and arm files as text, which reads back to the same bits.
namespace fathom::model::internal {

/// The shortest decimal that reads back to the same double, with a point: YAML 1.1 readers take 1e-3 for text.
std::string number(double value);

/// Text as a double-quoted YAML scalar on one line.
std::string quote(const std::string& text);

template <class Vector>
std::string flow_list(const Vector& v) {
  std::string text = "[";
  for (Eigen::Index i = 0; i < v.size(); ++i) (text += i ? ", " : "") += number(v[i]);
  return text + ']';
}

std::string write(double value, const std::string& indent);
std::string write(const Vec3& value, const std::string& indent);
std::string write(const Mat3& value, const std::string& indent);
std::string write(const Mat6& value, const std::string& indent);
std::string write(const ForceRange& range, const std::string& indent);
std::string write(const QuadraticDrag& drag, const std::string& indent);

/// Does a value say more than its number?
template <class T>
bool has_more(const Value<T>& value) {
  return !value.source.empty() || value.assumed || value.sigma;
}

/// The degrees that some decimal gives back as the same radians, as the file that was read had them; else
/// nothing.
std::optional<double> exact_degrees(double radians);

class Writer {
 public:
  void line(int depth, const std::string& text) {
    text_ += std::string(static_cast<std::size_t>(2 * depth), ' ') + text + '\n';
  }

  template <class T>
  void value(int depth, const std::string& key, const Value<T>& value) {
    const std::string indent(static_cast<std::size_t>(2 * depth + 2), ' ');
    if (!has_more(value)) return line(depth, key + ": " + write(value.value, indent));
    line(depth, key + ":");
    line(depth + 1, "value: " + write(value.value, indent + "       "));
    if (value.sigma) line(depth + 1, "sigma: " + write(*value.sigma, indent + "       "));
    origin(depth + 1, value.source, value.assumed);
  }
  void origin(int depth, const std::string& source, bool assumed);
  void pose(int depth, const Value<Vec3>& position_b, const Value<Vec3>& attitude_rpy);
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

/// `attitude_deg: [...]` where that is exact, else `attitude: [...]`.
std::string attitude_line(const Vec3& roll_pitch_yaw);

/// An entry of a list of drag elements.
void write_drag(Writer& out, int depth, const DragElement& element);

}  // namespace fathom::model::internal
