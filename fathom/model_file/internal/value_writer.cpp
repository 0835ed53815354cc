#include "fathom/model_file/internal/value_writer.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/model/dof.hpp"

namespace fathom::model::internal {
namespace {

template <class Matrix>
bool is_diagonal(const Matrix& m) {
  Matrix off_diagonal = m;
  off_diagonal.diagonal().setZero();
  return off_diagonal.cwiseAbs().maxCoeff() == 0;
}

/// A square matrix: its diagonal, or rows on lines of their own.
template <class Matrix>
std::string matrix(const Matrix& m, const std::string& indent) {
  if (is_diagonal(m)) return flow_list(m.diagonal().eval());
  std::string text = "[";
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    if (i) text += ",\n" + indent + " ";
    text += flow_list(m.row(i).eval());
  }
  return text + ']';
}

}  // namespace

std::string number(double value) {
  if (std::isinf(value)) return value > 0 ? ".inf" : "-.inf";
  std::string text = fmt::format("{}", value == 0 ? 0.0 : value);
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos) text.insert(exponent, ".0");
  return text;
}

std::string quote(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (result += '\\') += c;
    else if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      result += c;
  }
  return result + '"';
}

std::string write(double value, const std::string&) { return number(value); }
std::string write(const Vec3& value, const std::string&) { return flow_list(value); }
std::string write(const Mat3& value, const std::string& indent) { return matrix(value, indent); }
std::string write(const Mat6& value, const std::string& indent) { return matrix(value, indent); }
std::string write(const ForceRange& range, const std::string&) {
  return fmt::format("[{}, {}]", number(range.min), number(range.max));
}
std::string write(const QuadraticDrag& drag, const std::string& indent) {
  Vec6 diagonal;
  bool only_diagonal = true;
  for (std::size_t j = 0; j < 6; ++j) {
    const auto k = static_cast<Eigen::Index>(j);
    Mat6 rest = drag.by_speed[j];
    diagonal[k] = rest(k, k);
    rest(k, k) = 0;
    only_diagonal = only_diagonal && rest.cwiseAbs().maxCoeff() == 0;
  }
  if (only_diagonal) return flow_list(diagonal);
  std::string text = "{";
  for (std::size_t j = 0; j < 6; ++j) {
    if (drag.by_speed[j].cwiseAbs().maxCoeff() == 0) continue;
    if (text.size() > 1) text += ",\n" + indent + " ";
    text += fmt::format("{}: {}", velocity_names[j], matrix(drag.by_speed[j], indent + "    "));
  }
  return text + '}';
}

std::optional<double> exact_degrees(double radians) {
  const double best = radians * degrees;
  for (const double candidate : {std::round(best), std::round(best * 1e6) / 1e6, best,
                                 std::nextafter(best, 1e9), std::nextafter(best, -1e9)})
    if (candidate * degree == radians) return candidate;
  return std::nullopt;
}

std::string attitude_line(const Vec3& roll_pitch_yaw) {
  Vec3 degrees;
  for (int i = 0; i < 3; ++i) {
    const auto exact = exact_degrees(roll_pitch_yaw[i]);
    if (!exact) return "attitude: " + flow_list(roll_pitch_yaw);
    degrees[i] = *exact;
  }
  return "attitude_deg: " + flow_list(degrees);
}

void Writer::origin(int depth, const std::string& source, bool assumed) {
  if (assumed)
    line(depth, "assumed: " + quote(source));
  else if (!source.empty())
    line(depth, "source: " + quote(source));
}

void Writer::pose(int depth, const Value<Vec3>& position_b, const Value<Vec3>& attitude_rpy) {
  if (has_more(position_b) || !position_b.value.isZero(0)) value(depth, "position", position_b);
  if (has_more(attitude_rpy)) return value(depth, "attitude", attitude_rpy);
  if (!attitude_rpy.value.isZero(0)) line(depth, attitude_line(attitude_rpy.value));
}

void write_drag(Writer& out, int depth, const DragElement& element) {
  out.line(depth, "- name: " + quote(element.name));
  out.pose(depth + 1, element.position_b, element.attitude_rpy);
  out.value(depth + 1, "linear", element.linear);
  out.value(depth + 1, "quadratic", element.quadratic);
}

}  // namespace fathom::model::internal
