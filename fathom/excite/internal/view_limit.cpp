#include <algorithm>
#include <numbers>

#include "fathom/excite/internal/limit.hpp"

namespace fathom::excite::internal {
namespace {

constexpr double degree = std::numbers::pi / 180;

/// Every corner of the area stays inside the camera's cone. With d from the camera to the corner and a the
/// camera's axis, the slack is a.d - cos(half angle) |d|: smooth but at the camera itself, and concave in d.
class ViewLimit final : public Limit {
 public:
  ViewLimit(const View& view, const Vec6& start) : view_(view), cos_(std::cos(view.half_angle)) {
    view_.axis_b.normalize();
    // The slack of the farthest corner if the camera looked straight at it from the start.
    const Vec3 camera = start.head<3>() + Attitude(start.tail<3>()).R_nb * view_.position_b;
    double farthest = 0;
    for (const Vec3& corner : view_.area_n) farthest = std::max(farthest, (corner - camera).norm());
    if (farthest > 0) scale_ = (1 - cos_) * farthest;
  }
  std::string_view key() const override { return "view"; }
  std::string_view hint() const override { return "a smaller area, a wider camera, or more height above it"; }

  double barrier(const Samples& at, const Eigen::ArrayXd& weight, Samples* adjoint) const override {
    double sum = 0;
    for (Eigen::Index i = 0; i < at.size(); ++i) {
      if (weight[i] == 0) continue;
      const Attitude attitude = attitude_of(at, i);
      const Vec3 arm = attitude.R_nb * view_.position_b, axis = attitude.R_nb * view_.axis_b;
      const Vec3 camera = position_of(at, i) + arm;
      Vec3 by_camera = Vec3::Zero(), by_axis = Vec3::Zero();
      for (const Vec3& corner : view_.area_n) {
        const Vec3 d = corner - camera;
        const double length = d.norm(), slack = axis.dot(d) - cos_ * length - closer_ * scale_;
        if (!(slack > 0)) return infinity;
        sum -= weight[i] * std::log(slack / scale_);
        by_camera += weight[i] / slack * (axis - cos_ / length * d);
        by_axis -= weight[i] / slack * d;
      }
      if (!adjoint) continue;
      const Vec3 moment = arm.cross(by_camera) + axis.cross(by_axis);
      adjoint->pose.row(i).head<3>() += by_camera.transpose().array();
      adjoint->pose.row(i).tail<3>() += (attitude.axes_n.transpose() * moment).transpose().array();
    }
    return sum;
  }

  Margin nearest(const Samples& at, const Eigen::ArrayXd& t) const override {
    Worst worst;
    for (Eigen::Index i = 0; i < at.size(); ++i) {
      const Attitude attitude = attitude_of(at, i);
      const Vec3 camera = position_of(at, i) + attitude.R_nb * view_.position_b;
      const Vec3 axis = attitude.R_nb * view_.axis_b;
      for (const Vec3& corner : view_.area_n) {
        const Vec3 d = corner - camera;
        worst.see(std::atan2(axis.cross(d).norm(), axis.dot(d)) / degree, i);
      }
    }
    const double bound = view_.half_angle / degree;
    return {"view", "deg", worst.value, bound, bound - worst.value, t[worst.row]};
  }

 private:
  View view_;
  double cos_, scale_ = 1;  // m
};

}  // namespace

std::unique_ptr<Limit> make_view_limit(const Problem& problem) {
  if (!problem.view) return nullptr;
  const View& view = *problem.view;
  check_finite(problem, "view.position", view.position_b);
  check_finite(problem, "view.axis", view.axis_b);
  if (!(view.axis_b.norm() > 0))
    refuse(problem, "view.axis", "is zero", "where the camera looks, such as [0, 0, 1] for straight down");
  if (!(view.half_angle > 0 && view.half_angle <= 85 * degree * (1 + 1e-12)))
    refuse(problem, "view.half_angle",
           fmt::format("= {:.6g} deg, must be above 0 and at most 85", view.half_angle / degree),
           "half of the opening angle");
  if (view.area_n.empty()) refuse(problem, "view.area", "has no corners, must have at least one", "");
  for (const Vec3& corner : view.area_n) check_finite(problem, "view.area", corner);
  return std::make_unique<ViewLimit>(view, problem.start);
}

}  // namespace fathom::excite::internal
