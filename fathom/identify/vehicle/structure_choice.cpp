#include "fathom/identify/vehicle/structure_choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/parallel_map.hpp"
#include "fathom/base/text.hpp"
#include "fathom/identify/vehicle/estimators.hpp"
#include "fathom/identify/vehicle/internal/conic_words.hpp"
#include "fathom/identify/vehicle/regression.hpp"
#include "fathom/identify/vehicle/scored_velocities.hpp"
#include "fathom/solve/least_squares.hpp"

namespace fathom::identify {
namespace {

/// What one block adds to a fit, and by what it judges one.
struct BlockSums {
  using ByVelocity = std::array<double, scored_velocities.size()>;

  solve::Rows first, middle, last;  ///< weighed; `first` and `last` are next to another block
  std::vector<solve::Rows> judged;  ///< not weighed, by judged velocity
  ByVelocity wrench_square = {};
  double samples = 0;

  explicit BlockSums(Eigen::Index unknowns);
  /// Sum of squares of what theta leaves of the whole block.
  ByVelocity residual_square(const Eigen::VectorXd& theta) const;
};

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

/// Where blocks of time begin, in samples, and the end: `most` of them, fewer where a log is short. Throws
/// InputError where it is too short for any, or `most` is too few to compare by; docs/identification.md,
/// "Structure".
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

/// `sigma` weighs the rows of [u v w p q r]. The structure has all judged velocities.
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

/// All blocks but one, without what its windows see too.
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

using Eigen::Index;

/// Of each row of [u v w p q r], from the rows of the reference's structure. One without roll and pitch tells
/// nothing of them: they count like yaw.
Vec6 row_sigmas(const Fit& reference) {
  const Index rows = reference.row_sigma.size();
  if (rows != 4 && rows != 6)
    reject("reference", fmt::format("is a fit of {} rows, expected 4 or 6", rows),
           "of a structure with surge, sway, heave and yaw");
  const auto free = model::free_indices(static_cast<model::Dof>(rows));
  Vec6 sigma;
  for (std::size_t row = 0; row < free.size(); ++row)
    sigma[free[row]] = reference.row_sigma[static_cast<Index>(row)];
  if (rows == 4) sigma[3] = sigma[4] = sigma[5];
  return sigma;
}

void judge(Candidate& candidate, const Regression& regression, const solve::ConicSet& constraints,
           const std::optional<ParameterPrior>& prior, const Nuisance& at, const Vec6& sigma, int blocks) {
  const auto sums = sums_by_block(regression, at, sigma, block_borders(regression, blocks));
  solve::ConicSolver solver(constraints);
  BlockSums::ByVelocity residual = {}, wrench = {};
  for (std::size_t k = 0; k < sums.size(); ++k) {
    solve::Rows rows = rows_without(sums, k);
    if (prior) {
      const Eigen::MatrixXd root = prior->root();
      rows.add(root, root * prior->value);
    }
    const solve::ConicResult& result = solver.solve(sum_of_squares(rows));
    if (result.status != solve::ConicStatus::solved) {
      candidate.why_not = result.status == solve::ConicStatus::infeasible
                              ? internal::no_estimate(candidate.structure.name, constraints, result).message
                              : "the rest of the log does not show its parameters";
      return;
    }
    const auto squares = sums[k].residual_square(result.x);
    double error = 0;
    for (std::size_t d = 0; d < squares.size(); ++d) {
      residual[d] += squares[d];
      wrench[d] += sums[k].wrench_square[d];
      error += squares[d] / (sigma[scored_velocities[d]] * sigma[scored_velocities[d]]);
    }
    candidate.by_block.push_back(error / (static_cast<double>(squares.size()) * sums[k].samples));
  }
  candidate.tried = true;
  candidate.error = std::accumulate(candidate.by_block.begin(), candidate.by_block.end(), 0.0) /
                    static_cast<double>(candidate.by_block.size());
  for (std::size_t d = 0; d < residual.size(); ++d)
    candidate.share[scored_velocities[d]] = std::sqrt(residual[d] / std::max(wrench[d], 1e-300));
}

/// Velocities that the structure lacks, those that rest, and those that nothing drives; empty where it can be
/// tried.
std::string why_not(const model::Structure& structure, const Vec6& excited, const Vec6& wrench) {
  for (const int i : scored_velocities)
    if (!model::is_free(structure.dof, i))
      return fmt::format("has no {}, by which it would be judged", model::dof_name(i));
  std::vector<std::string_view> resting, undriven;
  for (const int i : model::free_indices(structure.dof))
    if (excited[i] < least_excitation)
      resting.push_back(model::dof_name(i));
    else if (!is_driven(wrench, i) && !is_coupled(structure.dof, i))
      undriven.push_back(model::dof_name(i));
  std::string text;
  if (!resting.empty()) text = fmt::format("no motion in {}", join(resting, ", "));
  if (!undriven.empty())
    text += fmt::format("{}no wrench in {}", text.empty() ? "" : "; ", join(undriven, ", "));
  return text;
}

void compare(StructureChoice& choice) {
  std::size_t best = choice.candidates.size();
  for (std::size_t k = 0; k < choice.candidates.size(); ++k)
    if (choice.candidates[k].tried &&
        (best == choice.candidates.size() || choice.candidates[k].error < choice.candidates[best].error))
      best = k;
  if (best == choice.candidates.size())
    reject("structure", "no structure can be fitted to this log",
           choice.candidates.empty() ? "" : choice.candidates.front().why_not);
  choice.chosen = best;
  for (std::size_t k = 0; k < choice.candidates.size(); ++k) {
    Candidate& candidate = choice.candidates[k];
    if (!candidate.tried) continue;
    const auto count = static_cast<double>(candidate.by_block.size());
    double mean = 0, square = 0;
    for (std::size_t b = 0; b < candidate.by_block.size(); ++b)
      mean += (candidate.by_block[b] - choice.candidates[best].by_block[b]) / count;
    for (std::size_t b = 0; b < candidate.by_block.size(); ++b) {
      const double d = candidate.by_block[b] - choice.candidates[best].by_block[b] - mean;
      square += d * d;
    }
    candidate.worse = mean;
    candidate.worse_sigma = std::sqrt(square / (count - 1) / count);
    if (mean <= candidate.worse_sigma &&
        candidate.structure.size() < choice.candidates[choice.chosen].structure.size())
      choice.chosen = k;
  }
}

}  // namespace

Vec6 excitation(std::span<const Recording> recordings) {
  Vec6 motion = Vec6::Zero(), noise = Vec6::Zero();
  each_usable(recordings, [&](const Recording& recording, Index k) {
    motion += recording.track.nu_b.col(k).cwiseAbs2();
    noise += recording.track.nu_sigma_b.col(k).cwiseAbs2();
  });
  return (motion.array() / noise.array().max(1e-300)).sqrt();
}

Vec6 wrench_rms(std::span<const Recording> recordings) {
  Vec6 square = Vec6::Zero();
  double samples = 0;
  each_usable(recordings, [&](const Recording& recording, Index k) {
    square += recording.tau_b.col(k).cwiseAbs2();
    samples += 1;
  });
  return (square / std::max(samples, 1.0)).cwiseSqrt();
}

bool is_driven(const Vec6& wrench_rms, int velocity) {
  constexpr double rounding = 1e-9;  // newton and newton-metre alike: no vehicle has a lever of that length
  return wrench_rms[velocity] > rounding * wrench_rms.maxCoeff();
}

bool is_coupled(model::Dof dof, int velocity) {
  return dof == model::Dof::six && (velocity == 3 || velocity == 4);
}

std::optional<ParameterPrior> prior_of(const model::Structure& structure, const Vec6& wrench_rms,
                                       const model::Robot& robot, const model::Environment& environment) {
  const auto free = model::free_indices(structure.dof);
  if (std::all_of(free.begin(), free.end(), [&](int i) { return is_driven(wrench_rms, i); })) return {};
  ParameterPrior prior = file_prior(structure, robot, environment);
  if (prior.information.isZero(0)) return {};  // a file without sigmas
  return prior;
}

StructureChoice choose_structure(const std::vector<model::Structure>& candidates,
                                 std::span<const Recording> recordings, const model::Robot& robot,
                                 const model::Environment& environment,
                                 const consistency::ConstraintOptions& constraints,
                                 const RegressionOptions& regression, const Fit& reference,
                                 const ChoiceOptions& options) {
  StructureChoice choice;
  const Vec6 excited = excitation(recordings), wrench = wrench_rms(recordings);
  const Vec6 sigma = row_sigmas(reference);
  const auto count = static_cast<int>(candidates.size());
  const auto try_one = [&](int k) {
    const model::Structure& structure = candidates[static_cast<std::size_t>(k)];
    Candidate candidate;
    candidate.structure = structure;
    candidate.why_not = why_not(structure, excited, wrench);
    if (candidate.why_not.empty())
      judge(candidate, Regression(structure, recordings, regression),
            consistency::constraints(structure, robot, environment, constraints),
            prior_of(structure, wrench, robot, environment), reference.nuisance.value, sigma, options.blocks);
    return candidate;
  };
  const auto tell = [&](int ended) {
    if (options.progress && ended < count) options.progress(static_cast<std::size_t>(ended));
  };
  tell(0);
  ThreadPool pool(options.threads);
  choice.candidates = parallel_map(pool, count, try_one, tell);
  compare(choice);
  return choice;
}

}  // namespace fathom::identify
