#include "fathom/excite/internal/limit.hpp"

namespace fathom::excite::internal {
namespace {

/// The attachment stays within the tether's length of the anchor: slack 1 - |d|^2 / length^2, scale 1.
class TetherLimit final : public Limit {
 public:
  explicit TetherLimit(const TetherReach& reach)
      : reach_(reach), per_square_(1 / (reach.length * reach.length)) {}
  std::string_view key() const override { return "tether"; }
  std::string_view hint() const override { return "a longer tether, or an anchor nearer to the path"; }

  double barrier(const Samples& at, const Eigen::ArrayXd& weight, Samples* adjoint,
                 double* least) const override {
    double sum = 0;
    bool inside = true;
    for (Eigen::Index i = 0; i < at.size(); ++i) {
      if (weight[i] == 0) continue;
      const Attitude attitude = attitude_of(at, i);
      const Vec3 arm = attitude.R_nb * reach_.attachment_b, d = position_of(at, i) + arm - reach_.anchor_n;
      const double slack = 1 - per_square_ * d.squaredNorm() - closer_;
      if (least) least[i] = slack;
      inside = inside && slack > 0;
      if (!inside && !least) return infinity;
      if (!inside) continue;
      sum -= weight[i] * std::log(slack);
      if (adjoint) add_derivative(attitude, arm, 2 * per_square_ * weight[i] / slack * d, i, *adjoint);
    }
    return inside ? sum : infinity;
  }

  void slopes(const Samples& at, const Eigen::ArrayXd& weight, const double* least,
              PathLimits::Slopes& slopes) const override {
    for (Eigen::Index i = 0; i < at.size(); ++i) {
      if (weight[i] == 0 || least[i] > PathLimits::far) continue;
      const Attitude attitude = attitude_of(at, i);
      const Vec3 arm = attitude.R_nb * reach_.attachment_b, d = position_of(at, i) + arm - reach_.anchor_n;
      add_derivative(attitude, arm, -2 * per_square_ * std::sqrt(weight[i]) / least[i] * d, i, slopes[0]);
    }
  }

  Margin nearest(const Samples& at, const Eigen::ArrayXd& t) const override {
    Worst worst;
    for (Eigen::Index i = 0; i < at.size(); ++i) {
      const Vec3 point = position_of(at, i) + attitude_of(at, i).R_nb * reach_.attachment_b;
      worst.see((point - reach_.anchor_n).norm(), i);
    }
    return {"tether", "m", worst.value, reach_.length, reach_.length - worst.value, t[worst.row]};
  }

 private:
  /// From that by the attachment's place.
  static void add_derivative(const Attitude& attitude, const Vec3& arm, const Vec3& by_point, Eigen::Index i,
                             Samples& to) {
    to.pose.row(i).head<3>() += by_point.transpose().array();
    to.pose.row(i).tail<3>() += (attitude.axes_n.transpose() * arm.cross(by_point)).transpose().array();
  }

  TetherReach reach_;
  double per_square_;  // 1 / m^2
};

}  // namespace

std::unique_ptr<Limit> make_tether_limit(const Problem& problem) {
  if (!problem.tether) return nullptr;
  const TetherReach& reach = *problem.tether;
  check_finite(problem, "tether.anchor", reach.anchor_n);
  check_finite(problem, "tether.attachment", reach.attachment_b);
  if (!(reach.length > 0 && std::isfinite(reach.length)))
    reject_key(problem, "tether.length", fmt::format("= {} m, must be positive and finite", reach.length), "");
  return std::make_unique<TetherLimit>(reach);
}

}  // namespace fathom::excite::internal
