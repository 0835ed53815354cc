#include <algorithm>
#include <array>

#include <fmt/ranges.h>

#include "fathom/base/text.hpp"
#include "fathom/dynamics/attainable.hpp"
#include "fathom/dynamics/attainable_facets.hpp"
#include "fathom/dynamics/thruster.hpp"
#include "fathom/excite/internal/limit.hpp"
#include "fathom/excite/internal/wrench_rows.hpp"

namespace fathom::excite::internal {
namespace {

/// How much of a facet's bound x takes: x / bound. Where the set ends at zero, as with thrusters that push one
/// way only, there is nothing to take a share of: one less the slack over its scale. Either is above one where
/// x is outside.
double use_of(double x, double bound, double scale) {
  const double rounding = 1e-9 * scale, slack = bound - x;
  if (bound > rounding) return std::max(x / bound, 0.0);
  return std::abs(slack) <= rounding ? 1 : 1 - slack / scale;
}

/// The wrench that the model predicts in still water stays between the facets of what the thrusters attain.
/// Each pair of facets has two slacks, upper - x and x - lower with x = N tau; their scale is half the range.
class ThrusterLimit final : public Limit {
 public:
  ThrusterLimit(const Problem& problem, dynamics::AttainableFacets facets)
      : vehicle_(problem.robot, problem.environment),
        facets_(std::move(facets)),
        scale_(0.5 * (facets_.upper - facets_.lower)),
        per_scale_(scale_.cwiseInverse()) {}
  std::string_view key() const override { return "thrusters"; }
  std::string_view hint() const override {
    return "is the robot in the right water? Trim it, or give the path a larger share";
  }

  double barrier(const Samples& at, const Eigen::ArrayXd& weight, Samples* adjoint,
                 double* least) const override {
    double sum = 0;
    Batch batch;
    for (Eigen::Index i = 0; i < at.size(); ++i) {
      if (weight[i] != 0) batch.rows[batch.count++] = i;
      if (batch.count < lanes && (i + 1 < at.size() || batch.count == 0)) continue;
      sum += barrier_of(batch, at, weight, adjoint, least);
      if (sum == infinity && !least) return infinity;
      batch.count = 0;
    }
    return sum;
  }

  void slopes(const Samples& at, const Eigen::ArrayXd& weight, const double* least,
              PathLimits::Slopes& slopes) const override {
    for (Eigen::Index i = 0; i < at.size(); ++i) {
      if (weight[i] == 0 || least[i] > PathLimits::far) continue;
      Mat6 by_twist;
      const Vec6 tau = dynamics::inverse_dynamics(vehicle_, motion_at(at, i), &by_twist);
      NearestTwo nearest;  // of all upper sides, then all lower ones
      for (Eigen::Index k = 0; k < facets_.pairs(); ++k) {
        double x = 0;
        for (Eigen::Index a = 0; a < facets_.N.cols(); ++a) x += facets_.N(k, a) * tau[axis(a)];
        nearest.see((facets_.upper[k] - x) / scale_[k] - closer_, k);
        nearest.see((x - facets_.lower[k]) / scale_[k] - closer_, facets_.pairs() + k);
      }
      for (std::size_t j = 0; j < slopes.size() && nearest.slack[j] <= PathLimits::far; ++j) {
        const Eigen::Index k = nearest.index[j] % facets_.pairs();
        const double sign = nearest.index[j] < facets_.pairs() ? -1 : 1;
        Vec6 pull = Vec6::Zero();
        for (Eigen::Index a = 0; a < facets_.N.cols(); ++a)
          pull[axis(a)] = sign * std::sqrt(weight[i]) / (nearest.slack[j] * scale_[k]) * facets_.N(k, a);
        spread(by_twist, pull, i, slopes[j]);
      }
    }
  }

  Margin nearest(const Samples& at, const Eigen::ArrayXd& t) const override {
    Worst worst;
    for (Eigen::Index i = 0; i < at.size(); ++i) {
      const Vec6 tau = dynamics::inverse_dynamics(vehicle_, motion_at(at, i));
      const Eigen::VectorXd x = facets_.N * tau(facets_.axes);
      for (Eigen::Index k = 0; k < x.size(); ++k)
        worst.see(
            std::max(use_of(x[k], facets_.upper[k], scale_[k]), use_of(-x[k], -facets_.lower[k], scale_[k])),
            i);
    }
    return {"thrusters", "of the attainable wrench", worst.value, 1, 1 - worst.value, t[worst.row]};
  }

 private:
  static constexpr std::size_t lanes = 64;  // samples at a time: what they need stays in the cache
  using Lanes = Eigen::Array<double, lanes, 1>;
  using Wrenches = Eigen::Array<double, lanes, 6>;
  struct Batch {
    std::size_t count = 0;
    std::array<Eigen::Index, lanes> rows;
    Lanes weight;
    Wrenches tau;
    std::array<Mat6, lanes> by_twist;
  };

  /// Lanes beyond the count repeat the first with weight zero.
  void fill(Batch& batch, const Samples& at, const Eigen::ArrayXd& weight, bool with_derivative) const {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const auto k = static_cast<Eigen::Index>(lane);
      if (lane < batch.count) {
        const Eigen::Index i = batch.rows[lane];
        batch.weight[k] = weight[i];
        batch.tau.row(k) = dynamics::inverse_dynamics(vehicle_, motion_at(at, i),
                                                      with_derivative ? &batch.by_twist[lane] : nullptr);
      } else {
        batch.weight[k] = 0;
        batch.tau.row(k) = batch.tau.row(0);
      }
    }
  }

  double barrier_of(Batch& batch, const Samples& at, const Eigen::ArrayXd& weight, Samples* adjoint,
                    double* least_of) const {
    fill(batch, at, weight, adjoint != nullptr);
    if (!batch.tau.isFinite().all()) return infinity;
    bool inside = true;
    const Eigen::Index pairs = facets_.pairs(), axes = facets_.N.cols();
    Lanes logs = Lanes::Zero(), product = Lanes::Ones(), least = Lanes::Ones(), x, above, below;
    Wrenches by_tau = Wrenches::Zero();
    for (Eigen::Index k = 0; k < pairs; ++k) {
      x = facets_.N(k, 0) * batch.tau.col(axis(0));
      for (Eigen::Index a = 1; a < axes; ++a) x += facets_.N(k, a) * batch.tau.col(axis(a));
      above = (facets_.upper[k] - closer_ * scale_[k]) - x;
      below = x - (facets_.lower[k] + closer_ * scale_[k]);
      least = least.min(per_scale_[k] * above.min(below));
      const double per_square = 1 / (scale_[k] * scale_[k]);
      product *= per_square * above * below;
      // One logarithm for eight pairs: a factor is below one and, if not zero, above rounding.
      if (k % 8 == 7 || k + 1 == pairs) {
        inside = (least > 0).all();
        if (!inside && !least_of) return infinity;
        logs += product.log();
        product.setOnes();
      }
      if (!adjoint) continue;
      x = batch.weight * (below - above) / (above * below);
      for (Eigen::Index a = 0; a < axes; ++a) by_tau.col(axis(a)) += facets_.N(k, a) * x;
    }
    if (least_of)
      for (std::size_t lane = 0; lane < batch.count; ++lane)
        least_of[batch.rows[lane]] = least[static_cast<Eigen::Index>(lane)];
    if (!inside) return infinity;
    for (std::size_t lane = 0; adjoint && lane < batch.count; ++lane)
      spread(batch.by_twist[lane], by_tau.row(static_cast<Eigen::Index>(lane)).transpose(), batch.rows[lane],
             *adjoint);
    return -(batch.weight * logs).sum();
  }

  /// From the derivative by tau.
  void spread(const Mat6& by_twist, const Vec6& pull, Eigen::Index i, Samples& to) const {
    add_wrench_adjoint(vehicle_, by_twist, pull, i, to);
  }

  Eigen::Index axis(Eigen::Index a) const { return facets_.axes[static_cast<std::size_t>(a)]; }

  dynamics::Vehicle vehicle_;
  dynamics::AttainableFacets facets_;
  Eigen::VectorXd scale_, per_scale_;
};

std::vector<model::ForceRange> limits_of(const Problem& problem) {
  std::vector<model::ForceRange> limits;
  for (const model::Thruster& thruster : problem.robot.thrusters()) {
    const auto range = dynamics::ThrusterModel(thruster, problem.environment.density()).force_range();
    if (!(std::isfinite(range.min) && std::isfinite(range.max)))
      reject_key(problem, "thrusters",
                 fmt::format("are limited, but thruster {} of {} has no force limit", thruster.name,
                             problem.robot.name()),
                 "the robot file needs `force` or a map for it");
    limits.push_back({problem.thrusters->share * range.min, problem.thrusters->share * range.max});
  }
  return limits;
}

}  // namespace

/// All six axes where the thrusters push all of them. Where they do not, something else holds the others, which
/// is not part of the model, so that only the free axes of the structure count.
std::unique_ptr<Limit> make_thruster_limit(const Problem& problem) {
  if (!problem.thrusters) return nullptr;
  const double share = problem.thrusters->share;
  if (!(share > 0 && share <= 1))
    reject_key(problem, "thrusters.share", fmt::format("= {}, must be above 0 and at most 1", share), "");
  const auto count = problem.robot.thrusters().size();
  if (count < 1 || count > dynamics::AttainableFacets::max_thrusters)
    reject_key(problem, "thrusters",
               fmt::format("are limited, but {} has {}, must have 1 to {}", problem.robot.name(), count,
                           dynamics::AttainableFacets::max_thrusters),
               "leave out `thrusters`, or take a robot with them");
  const std::vector<model::ForceRange> limits = limits_of(problem);
  const Mat6X B = model::allocation_matrix(problem.robot);
  std::span<const int> axes = dynamics::all_axes;
  if (!dynamics::unpushable_axes(B, limits).empty()) axes = model::free_indices(problem.structure.dof);
  std::vector<std::string_view> missing;
  for (const int axis : dynamics::unpushable_axes(B, limits, axes)) missing.push_back(model::dof_name(axis));
  if (!missing.empty())
    reject_key(problem, "thrusters",
               fmt::format("of {} cannot push {} by themselves, which {} leaves free", problem.robot.name(),
                           join(missing, ", "), problem.structure.name),
               "take a structure with fewer degrees of freedom, or leave out `thrusters`");
  return std::make_unique<ThrusterLimit>(problem, dynamics::attainable_facets(B, limits, axes));
}

}  // namespace fathom::excite::internal
