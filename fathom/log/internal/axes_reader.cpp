#include <cmath>

#include "fathom/base/constants.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/log/internal/axes.hpp"

namespace fathom::log::internal {
namespace {

/// Axes that have a name. Forward, port, up and north, west, up are half a turn about the first axis from ours.
struct NamedAxes {
  std::string_view word, frame;
  int first, second, third;  // ours, as plus or minus the number of theirs
};
constexpr NamedAxes named_axes[] = {
    {"FRD", "b", 1, 2, 3},  {"FLU", "b", 1, -2, -3}, {"NED", "n", 1, 2, 3},
    {"ENU", "n", 2, 1, -3}, {"NWU", "n", 1, -2, -3},
};

Mat3 rotation_of(const NamedAxes& axes) {
  Mat3 rotation = Mat3::Zero();
  const int ours[] = {axes.first, axes.second, axes.third};
  for (int row = 0; row < 3; ++row) rotation(row, std::abs(ours[row]) - 1) = ours[row] > 0 ? 1 : -1;
  return rotation;
}

std::optional<Mat3> read_rows(const yaml::Field& field) {
  const auto entries = field.square(3, "three rows: our axes in theirs");
  if (!entries) return std::nullopt;
  const Mat3 rotation = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(entries->data());
  const double error = (rotation * rotation.transpose() - Mat3::Identity()).cwiseAbs().maxCoeff();
  if (!(error < 1e-3) || rotation.determinant() < 0) {
    field.error("is no rotation",
                error < 1e-3 ? "it mirrors: one axis points the wrong way, or two stand in the wrong order"
                             : "rows of length 1 at right angles to each other");
    return std::nullopt;
  }
  if (error < 1e-12) return rotation;  // as it stands: zeros stay zeros
  return Quat(rotation).normalized().toRotationMatrix();
}

}  // namespace

std::vector<std::string_view> axes_words() {
  std::vector<std::string_view> words;
  for (const NamedAxes& axes : named_axes) words.push_back(axes.word);
  return words;
}

std::optional<Axes> read_axes(const yaml::Field& field) {
  if (!field.is_list()) {
    const auto k = yaml::choice(field, axes_words());
    if (!k) return std::nullopt;
    return Axes{rotation_of(named_axes[*k]), std::string(named_axes[*k].frame)};
  }
  if (field.node().size() > 0 && field.node()[0].IsSequence()) {
    const auto rotation = read_rows(field);
    return rotation ? std::optional(Axes{*rotation, ""}) : std::nullopt;
  }
  const auto angles = yaml::vec3(field, "degrees: roll, pitch, yaw of their axes in ours; or three rows");
  if (!angles) return std::nullopt;
  return Axes{quaternion_from_euler(*angles * degree).toRotationMatrix(), ""};
}

}  // namespace fathom::log::internal
