#include <algorithm>

#include "fathom/base/constants.hpp"
#include "fathom/excite/internal/limit.hpp"

namespace fathom::excite::internal {
namespace {

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

  double barrier(const Samples& at, const Eigen::ArrayXd& weight, Samples* adjoint,
                 double* least) const override {
    double sum = 0;
    bool inside = true;
    for (Eigen::Index i = 0; i < at.size(); ++i) {
      if (weight[i] == 0) continue;
      const Camera camera(*this, at, i);
      Vec3 by_camera = Vec3::Zero(), by_axis = Vec3::Zero();
      double nearest = infinity;
      for (const Vec3& corner : view_.area_n) {
        const Vec3 d = corner - camera.place;
        const double length = d.norm(), slack = camera.axis.dot(d) - cos_ * length - closer_ * scale_;
        nearest = std::min(nearest, slack / scale_);
        inside = inside && slack > 0;
        if (!inside && !least) return infinity;
        if (!inside) continue;
        sum -= weight[i] * std::log(slack / scale_);
        by_camera += weight[i] / slack * (camera.axis - cos_ / length * d);
        by_axis -= weight[i] / slack * d;
      }
      if (least) least[i] = nearest;
      if (adjoint) camera.add_derivative(by_camera, by_axis, i, *adjoint);
    }
    return inside ? sum : infinity;
  }

  void slopes(const Samples& at, const Eigen::ArrayXd& weight, const double* least,
              PathLimits::Slopes& slopes) const override {
    for (Eigen::Index i = 0; i < at.size(); ++i) {
      if (weight[i] == 0 || least[i] > PathLimits::far) continue;
      const Camera camera(*this, at, i);
      NearestTwo nearest;
      for (std::size_t k = 0; k < view_.area_n.size(); ++k) {
        const Vec3 d = view_.area_n[k] - camera.place;
        nearest.see(camera.axis.dot(d) - cos_ * d.norm() - closer_ * scale_, static_cast<Eigen::Index>(k));
      }
      for (std::size_t j = 0; j < slopes.size() && nearest.slack[j] <= PathLimits::far * scale_; ++j) {
        const Vec3 d = view_.area_n[static_cast<std::size_t>(nearest.index[j])] - camera.place;
        const double factor = std::sqrt(weight[i]) / nearest.slack[j];
        camera.add_derivative(-factor * (camera.axis - cos_ / d.norm() * d), factor * d, i, slopes[j]);
      }
    }
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
  struct Camera {
    Attitude attitude;
    Vec3 arm, axis, place;  // in n
    Camera(const ViewLimit& limit, const Samples& at, Eigen::Index i)
        : attitude(attitude_of(at, i)),
          arm(attitude.R_nb * limit.view_.position_b),
          axis(attitude.R_nb * limit.view_.axis_b),
          place(position_of(at, i) + arm) {}
    /// From those by place and axis.
    void add_derivative(const Vec3& by_camera, const Vec3& by_axis, Eigen::Index i, Samples& to) const {
      const Vec3 moment = arm.cross(by_camera) + axis.cross(by_axis);
      to.pose.row(i).head<3>() += by_camera.transpose().array();
      to.pose.row(i).tail<3>() += (attitude.axes_n.transpose() * moment).transpose().array();
    }
  };

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
    reject_key(problem, "view.axis", "is zero", "where the camera looks, such as [0, 0, 1] for straight down");
  if (!(view.half_angle > 0 && view.half_angle <= View::widest * (1 + 1e-12)))
    reject_key(problem, "view.half_angle",
               fmt::format("= {:.6g} deg, must be above 0 and at most {:g}", view.half_angle / degree,
                           View::widest / degree),
               "half of the opening angle");
  if (view.area_n.empty()) reject_key(problem, "view.area", "has no corners, must have at least one", "");
  for (const Vec3& corner : view.area_n) check_finite(problem, "view.area", corner);
  return std::make_unique<ViewLimit>(view, problem.start);
}

}  // namespace fathom::excite::internal
