#include "studies/arm/ariane_study.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/random.hpp"
#include "fathom/excite/arm/design.hpp"
#include "fathom/identify/arm/arm_fit.hpp"
#include "fathom/model/shaft_motion.hpp"
#include "fathom/model_file/arm_file.hpp"

#include "studies/arm/ariane_plant.hpp"

namespace fathom::studies {
namespace {

constexpr double edge_seconds = 5;    // s, recorded before and after the period, so that the filter has no ends
constexpr double shaft_at_rest = 10;  // rad/s, below which it may stick: 40 increments a second
constexpr std::uint64_t trained = 2;  // excitations: one of the whole range and one of the narrow one
constexpr double narrow_share = 0.6;  // share of the ranges that the narrow training keeps to
constexpr int block_samples = 40,
              block_draws = 2000;  // of the bootstrap: 4 s hold what the filter and the loops correlate
constexpr std::array<double, 3> table_4_without = {0.129, 0.154, 0.152}, table_4_with = {0.117, 0.128, 0.122};

dynamics::ArmColumns columns_with_actuators() {
  dynamics::ArmColumns columns;
  columns.motor = true;
  return columns;
}

dynamics::ArmColumns columns_without_actuators() {
  dynamics::ArmColumns columns;
  columns.viscous = true;
  columns.coulomb = dynamics::ArmColumns::Coulomb::symmetric;
  return columns;
}

model::Arm ariane_narrowed(const model::Arm& arm) {
  model::ArmSpec spec = arm.spec();
  for (model::Joint& joint : spec.joints) {
    const double middle = model::middle_of_range(joint.limits);
    const double half = 0.5 * narrow_share * (joint.limits.max - joint.limits.min);
    joint.limits.min = middle - half, joint.limits.max = middle + half;
  }
  return model::Arm::make(spec);
}

excite::ArmProblem ariane_problem(const model::Arm& arm) {
  excite::ArmProblem problem(arm);
  problem.medium = dynamics::Medium::air;
  problem.columns = columns_with_actuators();
  problem.space = excite::ArmSpace::motor;
  problem.in_current = true;
  return problem;
}

/// Third-order Butterworth at 0.1 of the Nyquist frequency (Leborne et al. 2018, section IV), forward and
/// backward on the shafts' angles; the recorded edges are dropped.
identify::ArmRun prepared(const identify::ArmRun& record) {
  identify::ArmRunOptions how;
  how.order = 3;
  const double step = record.times[1] - record.times[0];
  how.cutoff_hz = 0.1 * 0.5 / step;
  const identify::ArmRun run = identify::prepare(record, how);
  const auto edge = static_cast<Eigen::Index>(std::lround(edge_seconds / step)),
             left = edge - (record.samples() - run.samples()) / 2;
  return identify::part_of(run, left, run.samples() - left);
}

/// The paper's plain way, its eqs. 18 to 21: least squares of the currents of all joints together.
identify::ArmFitOptions plain_fit(const dynamics::ArmColumns& columns) {
  identify::ArmFitOptions options;
  options.columns = columns;
  options.by_current = true;
  options.medium = dynamics::Medium::air;
  options.rest_shaft_speed = shaft_at_rest;
  options.estimator = identify::ArmFitOptions::Estimator::ordinary;
  return options;
}

Eigen::VectorXd parameters_of(const identify::ArmFit& fit, const model::Arm& arm) {
  return dynamics::arm_parameters(arm, fit.options.environment, fit.options.columns).values();
}

/// What a prediction of each run leaves; samples are judged one by one, so runs stand behind one another.
template <class Predict>
Eigen::MatrixXd errors_of(const std::vector<identify::ArmRun>& runs, const Predict& predicted) {
  Eigen::MatrixXd all(0, 3);
  for (const identify::ArmRun& run : runs) {
    const Eigen::MatrixXd errors = predicted(run) - run.effort;
    all.conservativeResize(all.rows() + errors.rows(), 3);
    all.bottomRows(errors.rows()) = errors;
  }
  return all;
}

/// With actuators, without, and of the true parameters: samples x joints.
using Errors = std::array<Eigen::MatrixXd, 3>;

/// Of joint `j` at the samples that `counts` (0 or 1) names.
ArianeErrors errors_at(const Errors& errors, Eigen::Index j, const Eigen::VectorXd& counts) {
  const double samples = counts.sum();
  const auto rms = [&](const Eigen::MatrixXd& error) {
    return std::sqrt(error.col(j).cwiseAbs2().dot(counts) / samples);
  };
  return {rms(errors[0]), rms(errors[1]), rms(errors[2]), static_cast<int>(samples)};
}

/// The 1 % quantile of ariane_rms(a) / ariane_rms(b) over resampled blocks, both at the same samples.
double least_ratio_of(const Eigen::VectorXd& a, const Eigen::VectorXd& b, std::uint64_t seed) {
  RandomStream random(seed, "ariane blocks");
  const auto blocks = a.size() / block_samples;
  std::vector<double> ratios;
  for (int k = 0; k < block_draws; ++k) {
    double above = 0, below = 0;
    for (Eigen::Index i = 0; i < blocks; ++i) {
      const auto begin =
          block_samples *
          std::min(blocks - 1, static_cast<Eigen::Index>(random.uniform() * static_cast<double>(blocks)));
      above += a.segment(begin, block_samples).squaredNorm();
      below += b.segment(begin, block_samples).squaredNorm();
    }
    ratios.push_back(std::sqrt(above / below));
  }
  std::nth_element(ratios.begin(), ratios.begin() + block_draws / 100, ratios.end());
  return ratios[block_draws / 100];
}

/// 1 where `counts(run, sample)`, of the samples of all runs behind one another.
template <class Counts>
Eigen::VectorXd samples_where(const std::vector<identify::ArmRun>& runs, const Counts& counts) {
  std::vector<double> where;
  for (const identify::ArmRun& run : runs)
    for (Eigen::Index k = 0; k < run.samples(); ++k) where.push_back(counts(run, k) ? 1 : 0);
  return Eigen::Map<const Eigen::VectorXd>(where.data(), static_cast<Eigen::Index>(where.size()));
}

/// Fits to a run over the whole ranges and to one in their middle, judged on others.
void judge(const model::Arm& nominal, const model::Arm& built, const model::Arm& inner,
           const identify::ArmRun& train, const identify::ArmRun& inside,
           const std::vector<identify::ArmRun>& tests, std::uint64_t seed, ArianeResult& result) {
  const auto with = plain_fit(columns_with_actuators()), without = plain_fit(columns_without_actuators());
  const auto errors_after = [&](const identify::ArmRun& run) {
    const auto fitted = [&](const identify::ArmFitOptions& options) {
      return identify::fit_arm(nominal, std::span(&run, 1), options);
    };
    const identify::ArmFit full = fitted(with), classical = fitted(without);
    result.base_with = full.structural_rank, result.base_without = classical.structural_rank;
    const Eigen::VectorXd truth = parameters_of(full, built);
    return Errors{errors_of(tests, [&](const identify::ArmRun& test) { return predict(full, test); }),
                  errors_of(tests, [&](const identify::ArmRun& test) { return predict(classical, test); }),
                  errors_of(tests, [&](const identify::ArmRun& test) { return predict(full, truth, test); })};
  };
  const Errors full = errors_after(train), beyond = errors_after(inside);
  for (Eigen::Index j = 0; j < 3; ++j) {
    const auto number = static_cast<std::size_t>(j);
    const Eigen::VectorXd moving = samples_where(tests, [&](const identify::ArmRun& run, Eigen::Index k) {
      return !is_at_rest(nominal, with, number, run.q(k, j), run.dq(k, j));
    });
    const model::JointLimits& limits = inner.joints()[number].limits;
    const Eigen::VectorXd outside = samples_where(tests, [&](const identify::ArmRun& run, Eigen::Index k) {
      return run.q(k, j) < limits.min || run.q(k, j) > limits.max;
    });
    ArianeJoint& joint = result.joints[number];
    joint.all = errors_at(full, j, Eigen::VectorXd::Ones(moving.size()));
    joint.moving = errors_at(full, j, moving);
    joint.least_ratio_of_all = least_ratio_of(full[1].col(j), full[2].col(j), seed);
    joint.least_ratio =
        least_ratio_of(full[1].col(j).cwiseProduct(moving), full[2].col(j).cwiseProduct(moving), seed);
    joint.beyond = errors_at(beyond, j, moving.cwiseProduct(outside));
  }
}

StudyRow ariane_row(const std::string& key, const std::string& item, double ours, const std::string& unit,
                    const std::string& note = "") {
  StudyRow row;
  row.key = "ariane." + key, row.item = item, row.unit = unit, row.note = note, row.ours = ours;
  return row;
}

}  // namespace

ArianeResult ariane_experiment(const std::string& arm_file, std::uint64_t seed, ThreadPool& pool,
                               std::uint64_t judged) {
  const model::Arm nominal = ariane_with_blocked_wrist(model::read_arm(arm_file));
  const model::Arm built = ariane_as_built(nominal, seed), inner = ariane_narrowed(nominal);
  ArianeResult result;
  result.least_margin = 1;
  const auto move = [&](const model::Arm& arm, std::uint64_t excitation, const std::string& name) {
    const excite::ArmDesign design =
        excite::ArmDesigner(ariane_problem(arm)).design(pool, {.seed = excitation});
    throw_if(pool.stop());  // a design that was ended may be empty
    if (name == "train") result.condition = design.condition, result.raw_condition = design.raw_condition;
    result.least_margin = std::min(result.least_margin, excite::least_share(design.margins));
    const excite::ArmPath path(arm, excite::ArmSpace::motor, design.series);
    const ArianeRecord record = run_ariane(built, path, edge_seconds, seed, name);
    result.worst_tracking = std::max(result.worst_tracking, record.worst_tracking);
    result.saturated += record.saturated;
    return prepared(record.run);
  };
  const std::uint64_t first = (trained + ariane_judged) * seed;
  const identify::ArmRun train = move(nominal, first, "train"), inside = move(inner, first + 1, "inside");
  std::vector<identify::ArmRun> tests;
  for (std::uint64_t k = 0; k < judged; ++k)
    tests.push_back(move(nominal, first + trained + k, fmt::format("test {}", k + 1)));
  judge(nominal, built, inner, train, inside, tests, seed, result);
  return result;
}

std::vector<StudyRow> ariane_rows(const ArianeResult& result) {
  std::vector<StudyRow> rows;
  rows.push_back(
      ariane_row("condition", "Ariane: condition number of the training excitation", result.condition, "",
                 fmt::format("columns at unit length; {:.2g} as it is, in its units", result.raw_condition)));
  rows.push_back(ariane_row("margin", "  least margin of any excitation to a limit of Table III",
                            100 * result.least_margin, "%"));
  rows.back().at_least = 0;
  rows.push_back(ariane_row("base", "  base parameters with actuators", static_cast<double>(result.base_with),
                            "", fmt::format("{} without", result.base_without)));
  for (std::size_t j = 0; j < 3; ++j) {
    const ArianeJoint& joint = result.joints[j];
    const std::string key = fmt::format("joint{}.", j + 1);
    const auto add = [&](const std::string& name, const std::string& item, double ours, const std::string& unit,
                         const std::string& note = "") -> StudyRow& {
      rows.push_back(ariane_row(key + name, item, ours, unit, note));
      return rows.back();
    };
    add("without", fmt::format("Joint {}: RMSE of current without actuators", j + 1), joint.all.without, "A",
        "theirs measured, ours simulated")
        .published = table_4_without[j];
    add("with", "  with actuators", joint.all.with, "A").published = table_4_with[j];
    add("floor", "  the true parameters in the same model", joint.all.floor, "A");
    add("over_floor", "  with actuators over that floor", joint.all.with / joint.all.floor, "").at_most = 1.15;
    add("all_above_floor", "  without over that floor, at least (99 %)", joint.least_ratio_of_all, "",
        "1 % quantile over resampled blocks of 4 s")
        .at_least = 1;
    add("moving_with", "  while moving, with actuators", joint.moving.with, "A",
        fmt::format("{} of {} samples are at rest", joint.all.samples - joint.moving.samples,
                    joint.all.samples));
    add("moving_over_floor", "  while moving, over the floor", joint.moving.with / joint.moving.floor, "")
        .at_most = 1.15;
    add("above_floor", "  while moving, without over the floor, at least (99 %)", joint.least_ratio, "",
        fmt::format("{:.3f} in all", joint.moving.without / joint.moving.floor))
        .at_least = 1;
    add("beyond_with", "  at lever angles beyond the training's, with", joint.beyond.with, "A",
        fmt::format("{} samples; trained on the middle {:.0f} % of the range", joint.beyond.samples,
                    100 * narrow_share));
    add("beyond_without", "  likewise, without", joint.beyond.without, "A");
    add("beyond_floor", "  likewise, the true parameters", joint.beyond.floor, "A");
  }
  return rows;
}

}  // namespace fathom::studies
