#include "cli/arm/ariane_study.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/random.hpp"
#include "fathom/excite/arm/design.hpp"

#include "cli/arm/ariane_fit.hpp"

namespace fathom::cli {
namespace {

constexpr double edge_seconds = 5;  // s, recorded before and after the period, so that the filter has no ends
constexpr std::uint64_t excitations = 7;  // one to train on, one for the narrow range, five to judge by
constexpr double narrow_share = 0.6;      // share of the ranges that the narrow training keeps to
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
    const double middle = excite::middle_of(joint.limits);
    const double half = 0.5 * narrow_share * (joint.limits.max - joint.limits.min);
    joint.limits.min = middle - half, joint.limits.max = middle + half;
  }
  return model::Arm::make(spec);
}

excite::ArmProblem ariane_problem(const model::Arm& arm, std::uint64_t seed) {
  excite::ArmProblem problem(arm);
  problem.medium = dynamics::Medium::air;
  problem.columns = columns_with_actuators();
  problem.space = excite::ArmSpace::motor;
  problem.in_current = true;
  problem.seed = seed;
  return problem;
}

/// Samples are judged one by one, so runs may stand behind one another.
void append(const ArianeRun& run, ArianeRun& to) {
  const auto stack = [](const Eigen::MatrixXd& below, Eigen::MatrixXd& above) {
    Eigen::MatrixXd both(above.rows() + below.rows(), below.cols());
    both << above, below;
    above = both;
  };
  if (to.q.size() == 0) {
    to = run;
    return;
  }
  stack(run.q, to.q), stack(run.dq, to.dq), stack(run.ddq, to.ddq), stack(run.current, to.current);
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

/// 1 where joint `j` is outside of a narrower arm's range.
Eigen::VectorXd beyond_range(const model::Arm& inner, const ArianeRun& test, Eigen::Index j) {
  const model::JointLimits& limits = inner.joints()[static_cast<std::size_t>(j)].limits;
  return (test.q.col(j).array() < limits.min || test.q.col(j).array() > limits.max).cast<double>();
}

StudyRow ariane_row(const std::string& key, const std::string& item, double ours, const std::string& unit,
                    const std::string& note = "") {
  StudyRow row;
  row.key = "ariane." + key, row.item = item, row.unit = unit, row.note = note, row.ours = ours;
  return row;
}

}  // namespace

ArianeResult ariane_experiment(const std::string& arm_file, std::uint64_t seed, Crew& crew) {
  const model::Arm nominal = ariane_with_blocked_wrist(model::read_arm(arm_file));
  const model::Arm built = ariane_as_built(nominal, seed), inner = ariane_narrowed(nominal);
  ArianeResult result;
  result.least_margin = 1;
  const auto move = [&](const model::Arm& arm, std::uint64_t excitation, const std::string& name) {
    const excite::ArmDesign design = excite::ArmDesigner(ariane_problem(arm, excitation)).design(crew);
    if (name == "train") result.condition = design.condition, result.raw_condition = design.raw_condition;
    result.least_margin = std::min(result.least_margin, excite::least_share(design.margins));
    const excite::ArmPath path(arm, excite::ArmSpace::motor, design.series);
    const ArianeRecord record = run_ariane(built, path, edge_seconds, seed, name);
    result.worst_tracking = std::max(result.worst_tracking, record.worst_tracking);
    result.saturated += record.saturated;
    return prepare_ariane(nominal, record, edge_seconds);
  };
  const std::uint64_t first = excitations * seed;
  const ArianeRun train = move(nominal, first, "train"), inside = move(inner, first + 1, "inside");
  ArianeRun test;
  for (std::uint64_t k = 2; k < excitations; ++k)
    append(move(nominal, first + k, fmt::format("test {}", k - 1)), test);

  const CurrentModel with(nominal, columns_with_actuators()), without(nominal, columns_without_actuators());
  result.base_with = with.rank(), result.base_without = without.rank();
  const Eigen::MatrixXd at_floor = with.predict(with.parameters_of(built), test) - test.current;
  const auto errors_of = [&](const ArianeRun& fitted) {
    return Errors{with.predict(with.fit(fitted), test) - test.current,
                  without.predict(without.fit(fitted), test) - test.current, at_floor};
  };
  const Errors full = errors_of(train), beyond = errors_of(inside);
  const Eigen::MatrixXd moves = with.moving(test);
  for (Eigen::Index j = 0; j < 3; ++j) {
    ArianeJoint& joint = result.joints[static_cast<std::size_t>(j)];
    const Eigen::VectorXd moving = moves.col(j);
    joint.all = errors_at(full, j, Eigen::VectorXd::Ones(moving.size()));
    joint.moving = errors_at(full, j, moving);
    joint.least_ratio_of_all = least_ratio_of(full[1].col(j), full[2].col(j), seed);
    joint.least_ratio =
        least_ratio_of(full[1].col(j).cwiseProduct(moving), full[2].col(j).cwiseProduct(moving), seed);
    joint.beyond = errors_at(beyond, j, moving.cwiseProduct(beyond_range(inner, test, j)));
  }
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

}  // namespace fathom::cli
