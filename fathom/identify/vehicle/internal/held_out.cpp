#include "fathom/identify/vehicle/internal/held_out.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/error.hpp"

namespace fathom::identify::internal {
namespace {

using Eigen::Index;

constexpr Index border = 8;        // samples, of a blur each: a window reaches four to either side
constexpr Index least_block = 20;  // samples: more than two borders, and something to judge by
constexpr int least_blocks = 3;    // for a standard error

/// Places of the judged velocities among the rows of a sample.
std::array<Index, scored_velocities.size()> judged_rows(const Regression& regression) {
  std::array<Index, scored_velocities.size()> rows = {};
  const std::span<const int> free = regression.free();
  for (std::size_t d = 0; d < rows.size(); ++d)
    rows[d] = std::find(free.begin(), free.end(), scored_velocities[d]) - free.begin();
  return rows;
}

}  // namespace

std::vector<Index> block_borders(const Regression& regression, int most) {
  if (most < least_blocks)
    reject("choice.blocks", fmt::format("= {}, must be at least {}", most, least_blocks));
  const Index samples = regression.samples();
  if (samples < least_blocks * least_block)
    reject(regression.recordings().front().name, 0, "log",
           fmt::format("is too short to choose a structure by: {} samples, one every {:g} s, expected at "
                       "least {}",
                       samples, regression.options().blur, least_blocks * least_block),
           "name one: `--structure NAME`; or a longer log");
  const Index blocks = std::min<Index>(most, samples / least_block);
  std::vector<Index> borders;
  for (Index k = 0; k <= blocks; ++k) borders.push_back(k * samples / blocks);
  return borders;
}

BlockSums::BlockSums(Index unknowns)
    : first(unknowns), middle(unknowns), last(unknowns), judged(scored_velocities.size(), first) {}

BlockSums::ByVelocity BlockSums::residual_square(const Eigen::VectorXd& theta) const {
  Eigen::VectorXd with(theta.size() + 1);
  with << theta, -1;
  ByVelocity squares = {};
  for (std::size_t d = 0; d < squares.size(); ++d) squares[d] = (judged[d].factor() * with).squaredNorm();
  return squares;
}

std::vector<BlockSums> sums_by_block(const Regression& regression, const Nuisance& at, const Vec6& sigma,
                                     const std::vector<Index>& borders) {
  const Index rows = regression.rows();
  const auto judged = judged_rows(regression);
  Eigen::VectorXd row_sigma(rows);
  for (Index row = 0; row < rows; ++row)
    row_sigma[row] = sigma[regression.free()[static_cast<std::size_t>(row)]];
  std::vector<BlockSums> sums(borders.size() - 1, BlockSums(static_cast<Index>(regression.structure().size())));
  std::size_t number = 0;
  regression.pass(at, [&](const RowBlock& block) {
    for (std::size_t k = 0; k < block.t.size(); ++k) {
      const Index sample = block.first_sample + static_cast<Index>(k);
      if (sample == borders[number + 1]) ++number;
      BlockSums& to = sums[number];
      const auto Y = block.Y.middleRows(static_cast<Index>(k) * rows, rows);
      const auto tau = block.tau.segment(static_cast<Index>(k) * rows, rows);
      const bool is_first = sample < borders[number] + border, is_last = sample >= borders[number + 1] - border;
      (is_first ? to.first : is_last ? to.last : to.middle).add(Y, tau, row_sigma);
      for (std::size_t d = 0; d < judged.size(); ++d) {
        to.judged[d].add(Y.row(judged[d]), tau.segment(judged[d], 1));
        to.wrench_square[d] += tau[judged[d]] * tau[judged[d]];
      }
      to.samples += 1;
    }
  });
  return sums;
}

solve::Rows rows_without(const std::vector<BlockSums>& sums, std::size_t held_out) {
  solve::Rows rows(sums.front().middle.unknowns());
  for (std::size_t k = 0; k < sums.size(); ++k) {
    if (k == held_out) continue;
    rows.add(sums[k].middle);
    if (k != held_out + 1) rows.add(sums[k].first);
    if (k + 1 != held_out) rows.add(sums[k].last);
  }
  return rows;
}

}  // namespace fathom::identify::internal
