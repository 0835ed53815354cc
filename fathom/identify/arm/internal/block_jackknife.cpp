#include "fathom/identify/arm/internal/block_jackknife.hpp"

#include <algorithm>

#include "fathom/identify/vehicle/internal/uncertainty.hpp"

namespace fathom::identify::internal {
namespace {

using Eigen::Index;

// Enough for Student's t to be near the normal, and each still longer than residuals remember.
constexpr Index most_blocks = 15;
constexpr Index least_block = 20;  // samples
// A block that alone shows an unknown leaves nothing of it behind; this share of the block stays in.
constexpr double left_in = 0.01;

}  // namespace

BlockJackknife block_jackknife(const ArmRows& rows, const Eigen::VectorXd& scale,
                               const Eigen::VectorXd& residuals) {
  const Index unknowns = rows.A.cols(), count = rows.y.size();
  const Index blocks = std::clamp<Index>(rows.samples / least_block, 2, most_blocks);
  const auto block_of = [&](Index row) {
    return rows.sample[static_cast<std::size_t>(row)] * blocks / rows.samples;
  };
  const Eigen::MatrixXd A = scale.asDiagonal() * rows.A;
  const Eigen::VectorXd r = scale.cwiseProduct(residuals);
  const Eigen::MatrixXd H = A.transpose() * A;
  BlockJackknife out;
  out.shift = Eigen::VectorXd::Zero(count);
  out.degrees = static_cast<double>(blocks - 1);
  Eigen::MatrixXd moved(unknowns, blocks);
  for (Index block = 0, first = 0; block < blocks; ++block) {
    Index end = first;  // rows are in order of their samples
    while (end < count && block_of(end) == block) ++end;
    const auto part = A.middleRows(first, end - first);
    const Eigen::MatrixXd rest = H - (1 - left_in) * part.transpose() * part;
    moved.col(block) = scaled_inverse(rest) * (part.transpose() * r.segment(first, end - first));
    out.shift.segment(first, end - first) = rows.A.middleRows(first, end - first) * moved.col(block);
    first = end;
  }
  moved.colwise() -= moved.rowwise().mean().eval();
  out.variance = out.degrees / static_cast<double>(blocks) * moved.rowwise().squaredNorm();
  return out;
}

}  // namespace fathom::identify::internal
