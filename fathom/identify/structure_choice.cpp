#include "fathom/identify/structure_choice.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "fathom/identify/estimators.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;

constexpr std::array<int, 4> judged = {0, 1, 2, 5};  // surge, sway, heave, yaw: what every candidate has
constexpr Index border = 5;                          // samples, of a blur each: beyond the reach of the blur

/// The sums of one block: all rows to fit, and those of each judged degree of freedom.
struct BlockSums {
  solve::Rows all;
  std::vector<solve::Rows> by_dof;
  std::array<double, 4> wrench_square = {0, 0, 0, 0};
  Index samples = 0;
};

std::vector<BlockSums> sums_by_block(const Regression& regression, const Supposition& at, const Vec6& sigma,
                                     int blocks) {
  const auto n = static_cast<Index>(regression.structure().size());
  std::vector<BlockSums> sums(static_cast<std::size_t>(blocks),
                              BlockSums{solve::Rows(n), std::vector<solve::Rows>(4, solve::Rows(n)), {}, 0});
  const Index rows = regression.rows(), length = regression.samples() / blocks;
  Eigen::VectorXd row_sigma(rows);
  for (Index row = 0; row < rows; ++row)
    row_sigma[row] = sigma[regression.free()[static_cast<std::size_t>(row)]];
  regression.pass(at, [&](const RowBlock& block) {
    for (std::size_t k = 0; k < block.t.size(); ++k) {
      const Index sample = block.first_sample + static_cast<Index>(k);
      const Index number = std::min<Index>(sample / length, blocks - 1);
      const Index into = sample - number * length;
      if ((into < border && number > 0) || (into >= length - border && number < blocks - 1)) continue;
      BlockSums& to = sums[static_cast<std::size_t>(number)];
      const auto Y = block.Y.middleRows(static_cast<Index>(k) * rows, rows);
      const auto tau = block.tau.segment(static_cast<Index>(k) * rows, rows);
      to.all.add(Y, tau, row_sigma);
      for (std::size_t d = 0; d < judged.size(); ++d) {
        const auto row = std::find(regression.free().begin(), regression.free().end(), judged[d]) -
                         regression.free().begin();
        to.by_dof[d].add(Y.row(row), tau.segment(row, 1));
        to.wrench_square[d] += tau[row] * tau[row];
      }
      ++to.samples;
    }
  });
  return sums;
}

double residual_square(const solve::Rows& rows, const Eigen::VectorXd& theta) {
  Eigen::VectorXd with(theta.size() + 1);
  with << theta, -1;
  return (rows.factor() * with).squaredNorm();
}

/// Fitted to all blocks but one.
Eigen::VectorXd without_block(const std::vector<BlockSums>& sums, std::size_t left_out,
                              solve::ConicSolver& solver, bool& solved) {
  solve::Rows rows(sums.front().all.unknowns());
  for (std::size_t k = 0; k < sums.size(); ++k)
    if (k != left_out) rows.add(sums[k].all);
  const solve::ConicResult& result = solver.solve(sum_of_squares(rows));
  solved = result.status == solve::ConicStatus::solved;
  return result.x;
}

void judge(Candidate& candidate, const Regression& regression, const solve::ConicSet& conditions,
           const Supposition& at, const Vec6& sigma, int blocks) {
  const std::vector<BlockSums> sums = sums_by_block(regression, at, sigma, blocks);
  solve::ConicSolver solver(conditions);
  std::array<double, 4> residual = {0, 0, 0, 0}, wrench = {0, 0, 0, 0};
  for (std::size_t k = 0; k < sums.size(); ++k) {
    bool solved = false;
    const Eigen::VectorXd theta = without_block(sums, k, solver, solved);
    if (!solved) {
      candidate.why_not = "the rest of the log does not show its parameters";
      return;
    }
    double error = 0;
    for (std::size_t d = 0; d < judged.size(); ++d) {
      const double square = residual_square(sums[k].by_dof[d], theta);
      residual[d] += square;
      wrench[d] += sums[k].wrench_square[d];
      error += square / (sigma[judged[d]] * sigma[judged[d]]);
    }
    candidate.by_block.push_back(error / (4.0 * static_cast<double>(std::max<Index>(1, sums[k].samples))));
  }
  candidate.tried = true;
  candidate.error = std::accumulate(candidate.by_block.begin(), candidate.by_block.end(), 0.0) /
                    static_cast<double>(candidate.by_block.size());
  for (std::size_t d = 0; d < judged.size(); ++d)
    candidate.share[judged[d]] = std::sqrt(residual[d] / std::max(wrench[d], 1e-300));
}

/// Velocities of the structure that rest, and those that nothing drives; empty where it can be tried.
std::string why_not(const model::Structure& structure, const Vec6& excited, const Vec6& wrench) {
  std::vector<std::string_view> resting, undriven;
  for (const int i : model::free_indices(structure.dof))
    if (excited[i] < least_excitation)
      resting.push_back(model::dof_names[static_cast<std::size_t>(i)]);
    else if (!is_driven(wrench, i))
      undriven.push_back(model::dof_names[static_cast<std::size_t>(i)]);
  std::string text;
  if (!resting.empty()) text = fmt::format("no motion in {}", fmt::join(resting, ", "));
  if (!undriven.empty())
    text += fmt::format("{}no wrench in {}", text.empty() ? "" : "; ", fmt::join(undriven, ", "));
  return text;
}

void compare(StructureChoice& choice) {
  std::size_t best = choice.candidates.size();
  for (std::size_t k = 0; k < choice.candidates.size(); ++k)
    if (choice.candidates[k].tried &&
        (best == choice.candidates.size() || choice.candidates[k].error < choice.candidates[best].error))
      best = k;
  if (best == choice.candidates.size())
    throw InputError(Problem{Severity::error, "", 0, "structure", "no structure can be fitted to this log",
                             choice.candidates.empty() ? "" : choice.candidates.front().why_not});
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
  for (const Recording& recording : recordings)
    for (Index k = 0; k < recording.size(); ++k)
      if (recording.usable[static_cast<std::size_t>(k)]) {
        motion += recording.track.nu_b.col(k).cwiseAbs2();
        noise += recording.track.nu_sigma_b.col(k).cwiseAbs2();
      }
  return (motion.array() / noise.array().max(1e-300)).sqrt();
}

Vec6 wrench_rms(std::span<const Recording> recordings) {
  Vec6 square = Vec6::Zero();
  double samples = 0;
  for (const Recording& recording : recordings)
    for (Index k = 0; k < recording.size(); ++k)
      if (recording.usable[static_cast<std::size_t>(k)]) {
        square += recording.tau_b.col(k).cwiseAbs2();
        samples += 1;
      }
  return (square / std::max(samples, 1.0)).cwiseSqrt();
}

bool is_driven(const Vec6& wrench_rms, int velocity) {
  constexpr double rounding = 1e-9;  // newton and newton-metre alike: no vehicle has a lever of that length
  return wrench_rms[velocity] > rounding * wrench_rms.maxCoeff();
}

StructureChoice choose_structure(const std::vector<model::Structure>& candidates,
                                 std::span<const Recording> recordings, const model::Robot& robot,
                                 const model::Environment& environment,
                                 const consistency::ConditionOptions& conditions,
                                 const RegressionOptions& regression, const Fit& reference,
                                 const ChoiceOptions& options) {
  StructureChoice choice;
  const Vec6 excited = excitation(recordings), wrench = wrench_rms(recordings);
  Vec6 sigma = Vec6::Ones();
  for (std::size_t d = 0; d < judged.size(); ++d) sigma[judged[d]] = reference.row_sigma[static_cast<Index>(d)];
  sigma[3] = sigma[4] = sigma[5];
  for (const model::Structure& structure : candidates) {
    if (options.progress) options.progress(choice.candidates.size());
    Candidate candidate;
    candidate.structure = structure;
    candidate.why_not = why_not(structure, excited, wrench);
    if (candidate.why_not.empty())
      judge(candidate, Regression(structure, recordings, regression),
            consistency::conditions(structure, robot, environment, conditions), reference.nuisance.supposition,
            sigma, options.blocks);
    choice.candidates.push_back(std::move(candidate));
  }
  compare(choice);
  return choice;
}

}  // namespace fathom::identify
