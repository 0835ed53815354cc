#include "fathom/exchange/internal/drag_at_origin.hpp"

#include <fmt/format.h>

#include "fathom/model/dof.hpp"

namespace fathom::exchange::internal {

namespace {

/// |(H nu)_j| as factor |nu_k|: exact where row j of H has one entry, else the largest of its own kind (speeds
/// or rates), which is what is left when the lever and the small angles are forgotten.
struct Speed {
  Eigen::Index k = 0;
  double factor = 0;
  bool is_exact = false;
};

Speed speed_of(const Mat6& H, Eigen::Index j) {
  Speed speed;
  const Eigen::Index first = j < 3 ? 0 : 3;
  H.row(j).segment<3>(first).cwiseAbs().maxCoeff(&speed.k);
  speed.k += first;
  speed.factor = std::abs(H(j, speed.k));
  speed.is_exact = (H.row(j).array() != 0).count() == 1;
  return speed;
}

/// "3 entries, the largest 0.5 in row 2, column 6"
std::string entries_told(const Mat6& m) {
  Eigen::Index row = 0, column = 0;
  m.cwiseAbs().maxCoeff(&row, &column);
  const auto count = (m.array() != 0).count();
  return fmt::format("{} {}, the largest {} in row {}, column {}", count, count == 1 ? "entry" : "entries",
                     m(row, column), row + 1, column + 1);
}

}  // namespace

DragAtOrigin drag_at_origin(const model::Robot& robot) {
  DragAtOrigin sum;
  for (std::size_t e = 0; e < robot.damping().size(); ++e) {
    const model::DragElement& element = robot.damping()[e];
    const bool at_origin = element.at_origin();
    const Mat6 H = at_origin ? Mat6::Identity() : twist_transform(element.pose());
    const auto moved = [&](const Mat6& m) -> Mat6 { return at_origin ? m : Mat6(H.transpose() * m * H); };
    sum.linear += moved(element.linear.value);
    for (std::size_t j = 0; j < 6; ++j) {
      const Mat6& Q = element.quadratic.value.by_speed[j];
      if (Q.isZero(0)) continue;
      const Speed speed = speed_of(H, static_cast<Eigen::Index>(j));
      const auto k = static_cast<std::size_t>(speed.k);
      sum.quadratic.by_speed[k] += speed.factor * moved(Q);
      if (!speed.is_exact)
        sum.losses.push_back(
            {fmt::format("damping[{}].quadratic.{}", e, model::velocity_names[j]),
             fmt::format("'{}' is {:.3g} m from the origin, turned by {:.3g} rad: its speed |{}| is taken as "
                         "{:.4g} |{}| of the origin, so without what turning adds at the lever",
                         element.name, element.position_b.value.norm(),
                         log_rotation(element.pose().q_pc).norm(), model::velocity_names[j], speed.factor,
                         model::velocity_names[k]),
             "exact in pure translation along an axis of the element; fit one element at the origin if turning "
             "matters"});
    }
  }
  return sum;
}

OneDrag one_drag(const model::Robot& robot, std::string_view format, std::vector<Loss>& losses) {
  DragAtOrigin all = drag_at_origin(robot);
  losses.insert(losses.end(), all.losses.begin(), all.losses.end());
  OneDrag one;
  one.linear = all.linear;
  for (std::size_t j = 0; j < 6; ++j) {
    const auto k = static_cast<Eigen::Index>(j);
    Mat6& Q = all.quadratic.by_speed[j];
    one.quadratic[k] = Q(k, k);
    Q(k, k) = 0;
    if (!Q.isZero(0))
      losses.push_back({fmt::format("damping.quadratic.{}", model::velocity_names[j]),
                        fmt::format("couplings of quadratic drag: {}. {} has one number a velocity",
                                    entries_told(Q), format),
                        "export to MATLAB keeps them"});
  }
  return one;
}

Vec6 diagonal_of(const Mat6& m, const std::string& key, std::string_view format, std::vector<Loss>& losses) {
  Mat6 coupling = m;
  coupling.diagonal().setZero();
  if (!coupling.isZero(0))
    losses.push_back({key,
                      fmt::format("couplings: {}. {} has the diagonal alone", entries_told(coupling), format),
                      "export to UUV Simulator or MATLAB keeps them"});
  return m.diagonal();
}

}  // namespace fathom::exchange::internal
