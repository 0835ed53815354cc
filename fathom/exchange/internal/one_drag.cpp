#include "fathom/exchange/internal/one_drag.hpp"

#include <fmt/format.h>

#include "fathom/exchange/internal/drag_at_origin.hpp"
#include "fathom/model/dof.hpp"

namespace fathom::exchange::internal {
namespace {

/// "3 entries, the largest 0.5 in row 2, column 6"
std::string entries_told(const Mat6& m) {
  Eigen::Index row = 0, column = 0;
  m.cwiseAbs().maxCoeff(&row, &column);
  const auto count = (m.array() != 0).count();
  return fmt::format("{} {}, the largest {} in row {}, column {}", count, count == 1 ? "entry" : "entries",
                     m(row, column), row + 1, column + 1);
}

}  // namespace

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
