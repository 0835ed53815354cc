#include "fathom/identify/vehicle/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/filter/zero_phase.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/identify/vehicle/baselines.hpp"
#include "fathom/identify/vehicle/estimators.hpp"
#include "fathom/identify/vehicle/validation.hpp"
#include "fathom/identify/vehicle/wrench_residuals.hpp"
#include "fathom/model/robot_parameters.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;

constexpr double most_inflation = 2;       // of a variance, for fitted parameters
constexpr double most_extrapolation = 10;  // more is no error of a model, but a fit that failed
constexpr Index fewest_judged = 20;        // samples of an upper half
constexpr double tolerated = 0.05;         // of half the range: the extremes of two logs differ by chance
constexpr double remembered = 5;           // s, that a vehicle takes to forget where it was

/// Residuals of one row in runs without a gap.
struct Series {
  std::vector<Eigen::VectorXd> runs;

  double count() const {
    double sum = 0;
    for (const Eigen::VectorXd& run : runs) sum += static_cast<double>(run.size());
    return sum;
  }
  /// About zero: a constant residual is an error of the model too.
  double mean_square() const {
    double sum = 0;
    for (const Eigen::VectorXd& run : runs) sum += run.squaredNorm();
    return sum / count();
  }
};

/// Adds a run's residuals, a row each of `rows`, to the series of the velocities `axes`.
void append(std::array<Series, 6>& series, std::span<const int> axes,
            const Eigen::Ref<const Eigen::MatrixXd>& rows) {
  for (std::size_t row = 0; row < axes.size(); ++row)
    series[static_cast<std::size_t>(axes[row])].runs.emplace_back(
        rows.row(static_cast<Index>(row)).transpose());
}

void append_free(std::array<Series, 6>& series, const Regression& regression, const Nuisance& at,
                 const Eigen::VectorXd& theta) {
  const Index rows = regression.rows();
  Eigen::MatrixXd residuals(rows, regression.samples());
  std::vector<Index> borders;  // where runs begin, and the end
  regression.pass(at, [&](const RowBlock& block) {
    if (block.begins) borders.push_back(block.first_sample);
    const Eigen::VectorXd r = block.tau - block.Y * theta;
    residuals.middleCols(block.first_sample, r.size() / rows) = r.reshaped(rows, r.size() / rows);
  });
  borders.push_back(regression.samples());
  for (std::size_t k = 0; k + 1 < borders.size(); ++k)
    append(series, regression.free(), residuals.middleCols(borders[k], borders[k + 1] - borders[k]));
}

/// Rows of velocities that a structure holds, along the 6-DoF vehicle.
void append_held(std::array<Series, 6>& series, const dynamics::Vehicle& vehicle, const Recording& recording,
                 const Nuisance& at, double blur, std::span<const int> held) {
  const WrenchResiduals residuals =
      residuals_of(vehicle, recording, {.delay = at.delay, .current_n = at.current_n});
  const filter::Gaussian gaussian(blur, recording.track.dt);
  const auto step = std::max<Index>(1, std::lround(blur / recording.track.dt));
  for (const SampleRange& range : usable_ranges(residuals.usable)) {
    if (range.size() <= 2 * gaussian.reach()) continue;
    const Eigen::MatrixXd rows =
        residuals.wrench_b(std::vector<int>(held.begin(), held.end()), Eigen::seqN(range.first, range.size()));
    append(series, held, gaussian.smooth_every(step, rows));
  }
}

/// Parameters that a row has.
double terms_of_row(const model::Structure& structure, int dof) {
  return static_cast<double>(
      std::count_if(structure.terms.begin(), structure.terms.end(),
                    [&](const model::Term& term) { return term.row == dof || term.column == dof; }));
}

/// Extends [least, most] to hold the values.
void extend(Eigen::Ref<Eigen::VectorXd> least, Eigen::Ref<Eigen::VectorXd> most,
            const Eigen::Ref<const Eigen::VectorXd>& values) {
  least = least.cwiseMin(values);
  most = most.cwiseMax(values);
}

Vec6 relative_velocity(const Recording& recording, Index k, const Vec3& current_n) {
  Vec6 nu = recording.track.nu_b.col(k);
  nu.head<3>() -= recording.track.attitude(k).conjugate() * current_n;
  return nu;
}

/// The thrusters' commands of a recording over time, each row good until the
/// next.
class CommandsOverTime {
 public:
  explicit CommandsOverTime(const Recording& recording)
      : record_(recording.commands),
        has_any_(record_.of == CommandRecord::Of::thrusters && !record_.t.empty()) {}
  /// Of a time that never falls; empty where there are none.
  std::span<const double> at(double t) {
    if (!has_any_ || t < record_.t.front()) return {};
    while (next_ < record_.t.size() && record_.t[next_] <= t) ++next_;
    const auto row = record_.row(next_ - 1);
    values_.assign(row.begin(), row.end());
    return values_;
  }

 private:
  const CommandRecord& record_;
  bool has_any_;
  std::size_t next_ = 0;
  std::vector<double> values_;
};

/// Extends the range of the commands; false where the recording has none, or of
/// other thrusters.
bool extend_by_commands(const Recording& recording, DataRange& range) {
  CommandsOverTime commands(recording);
  for (const SampleRange& usable : usable_ranges(recording.usable))
    for (Index k = usable.first; k < usable.end; ++k) {
      const auto row = commands.at(recording.track.t(k));
      if (range.command_min.empty()) {
        range.command_min.assign(row.begin(), row.end());
        range.command_max = range.command_min;
      }
      if (row.empty() || row.size() != range.command_min.size()) return false;
      for (std::size_t c = 0; c < row.size(); ++c) {
        range.command_min[c] = std::min(range.command_min[c], row[c]);
        range.command_max[c] = std::max(range.command_max[c], row[c]);
      }
    }
  return true;
}

/// Samples of the lower and the upper half of one axis.
struct Halves {
  solve::Rows fitted, below, above;  // all rows of the lower half; the axis' own row of either
  Index judged = 0;
  double place = 0;  // sum over the upper half of where in the range of the lower one it is

  explicit Halves(Index unknowns) : fitted(unknowns), below(unknowns), above(unknowns) {}
};

double rms_of(const solve::Rows& rows, const Eigen::VectorXd& theta) {
  Eigen::VectorXd with(theta.size() + 1);
  with << theta, -1;
  return (rows.factor() * with).norm() / std::sqrt(static_cast<double>(std::max<Index>(1, rows.count())));
}

double factor_of(const Halves& halves, const solve::ConicSet& constraints, Index unknowns, Index rows) {
  constexpr double unknown = 2;
  if (halves.judged < fewest_judged || halves.fitted.count() < 2 * rows * unknowns) return unknown;
  solve::ConicSolver solver(constraints);
  const solve::ConicResult& low = solver.solve(sum_of_squares(halves.fitted));
  if (low.status != solve::ConicStatus::solved) return unknown;
  const double inside = rms_of(halves.below, low.x), beyond = rms_of(halves.above, low.x);
  const double reach = halves.place / static_cast<double>(halves.judged) - 1;  // beyond the lower half's range
  if (!(inside > 0 && reach > 0.05)) return unknown;
  return std::clamp(1 + (beyond / inside - 1) / reach, 1.0, most_extrapolation);
}

}  // namespace

UnexplainedWrench residual_statistics(std::span<const Recording> recordings, std::span<const Nuisance> at,
                                      const model::Structure& structure, const Eigen::VectorXd& theta,
                                      const model::Robot& robot, const model::Environment& environment,
                                      RegressionOptions options, bool are_fitted) {
  std::vector<int> held;
  for (int i = 0; i < 6; ++i)
    if (!model::is_free(structure.dof, i)) held.push_back(i);
  const dynamics::Vehicle whole(robot, environment, model::Dof::six);
  options.level = true;
  UnexplainedWrench out;
  std::array<Series, 6> series;
  double interval = options.blur;
  for (std::size_t r = 0; r < recordings.size(); ++r) {
    try {
      const Regression regression(structure, recordings.subspan(r, 1), options);
      interval = regression.sample_interval();
      append_free(series, regression, at[r], theta);
    } catch (const InputError&) {
      out.too_short.push_back(recordings[r].name);
      continue;
    }
    if (!held.empty()) append_held(series, whole, recordings[r], at[r], options.blur, held);
  }
  if (out.too_short.size() == recordings.size()) return out;
  out.statistics = ResidualStatistics();
  for (int i = 0; i < 6; ++i) {
    const Series& one = series[static_cast<std::size_t>(i)];
    const double count = one.count();
    if (count == 0) continue;
    const double memory = std::max(1.0, solve::integral_time_about_zero(one.runs));
    double variance = one.mean_square();
    if (are_fitted && model::is_free(structure.dof, i)) {
      const double independent = count / memory;
      variance *= std::clamp(independent / std::max(independent - terms_of_row(structure, i), 1e-9), 1.0,
                             most_inflation);
    }
    out.statistics->sigma[i] = std::sqrt(variance);
    // A first-order process is worth twice its time constant.
    out.statistics->correlation_time[i] = 0.5 * interval * memory;
  }
  return out;
}

model::Dof dof_of_estimate(const model::Robot& robot) {
  if (!robot.identified()) return model::Dof::six;
  for (const model::Parameter& parameter : robot.identified()->parameters.entries()) {
    const auto term = model::term_by_name(parameter.name);
    if (!term) continue;
    const bool is_of_matrix = term->kind != model::Term::Kind::net_weight &&
                              term->kind != model::Term::Kind::weight &&
                              term->kind != model::Term::Kind::buoyancy;
    if (term->kind == model::Term::Kind::first_moment ||
        (is_of_matrix && (term->row == 3 || term->row == 4 || term->column == 3 || term->column == 4)))
      return model::Dof::six;
  }
  return model::Dof::four;
}

DataStatistics statistics_of(const model::Robot& robot, const model::Environment& environment,
                             std::span<const Recording> recordings, std::span<const Nuisance> at,
                             const RegressionOptions& options, bool are_fitted,
                             const std::optional<Vec6>& extrapolation) {
  const model::Structure structure = identified_structure(robot, dof_of_estimate(robot));
  const Eigen::VectorXd theta = model::parameters_of(robot, environment, structure).parameters.values();
  DataStatistics out;
  UnexplainedWrench unexplained =
      residual_statistics(recordings, at, structure, theta, robot, environment, options, are_fitted);
  out.residual = unexplained.statistics;
  out.too_short = std::move(unexplained.too_short);
  out.range = range_of(recordings, at);
  if (extrapolation)
    out.range->extrapolation = *extrapolation;
  else if (const DataStatistics stored = stored_statistics(robot); stored.range)
    out.range->extrapolation = stored.range->extrapolation;
  try {
    out.baseline = fit_line_per_axis(recordings);
  } catch (const InputError&) {
    out.baseline.reset();  // no stretch is long enough for one
  }
  return out;
}

DataStatistics stored_statistics(const model::Robot& robot) {
  if (!robot.identified()) return {};
  return {robot.identified()->residual, robot.identified()->range, robot.identified()->baseline, {}};
}

model::Robot with_statistics(const model::Robot& robot, const DataStatistics& statistics) {
  if (!robot.identified()) return robot;
  model::RobotSpec spec = robot.spec();
  spec.identified->residual = statistics.residual;
  spec.identified->range = statistics.range;
  spec.identified->baseline = statistics.baseline;
  return model::Robot::make(std::move(spec));
}

DataRange range_of(std::span<const Recording> recordings, std::span<const Nuisance> at) {
  DataRange range;
  range.wrench_min.setConstant(infinity);
  range.velocity_min.setConstant(infinity);
  range.attitude_min.setConstant(infinity);
  range.wrench_max.setConstant(-infinity);
  range.velocity_max.setConstant(-infinity);
  range.attitude_max.setConstant(-infinity);
  for (std::size_t r = 0; r < recordings.size(); ++r)
    each_usable(recordings.subspan(r, 1), [&](const Recording& recording, Index k) {
      extend(range.wrench_min, range.wrench_max, recording.tau_b.col(k));
      extend(range.velocity_min, range.velocity_max, relative_velocity(recording, k, at[r].current_n));
      extend(range.attitude_min, range.attitude_max,
             euler_from_quaternion(recording.track.attitude(k)).head<2>());
    });
  const bool has_commands = std::all_of(recordings.begin(), recordings.end(), [&](const Recording& recording) {
    return extend_by_commands(recording, range);
  });
  if (!has_commands) {
    range.command_min.clear();
    range.command_max.clear();
  }
  return range;
}

Vec6 extrapolation_factors(const Regression& regression, const Nuisance& at, const Eigen::VectorXd& row_sigma,
                           const solve::ConicSet& constraints) {
  const Index rows = regression.rows(), unknowns = static_cast<Index>(regression.structure().size());
  const auto speed_of = [&](const RowBlock& block, std::size_t k, int i) {
    const Recording& recording = regression.recordings()[block.recording];
    const auto at_sample =
        static_cast<Index>(std::lround((block.t[k] - recording.track.t0) / recording.track.dt));
    return std::abs(recording.track.nu_b(i, std::clamp<Index>(at_sample, 0, recording.size() - 1)));
  };
  Eigen::VectorXd most_wrench = Eigen::VectorXd::Constant(rows, 1e-9), most_speed = most_wrench;
  const auto each = [&](const auto& take) {
    regression.pass(at, [&](const RowBlock& block) {
      for (std::size_t k = 0; k < block.t.size(); ++k)
        for (Index row = 0; row < rows; ++row)
          take(block, static_cast<Index>(k), row, std::abs(block.tau[static_cast<Index>(k) * rows + row]),
               speed_of(block, k, regression.free()[static_cast<std::size_t>(row)]));
    });
  };
  each([&](const RowBlock&, Index, Index row, double wrench, double speed) {
    most_wrench[row] = std::max(most_wrench[row], wrench);
    most_speed[row] = std::max(most_speed[row], speed);
  });
  std::vector<Halves> halves(static_cast<std::size_t>(rows), Halves(unknowns));
  each([&](const RowBlock& block, Index k, Index row, double wrench, double speed) {
    Halves& of = halves[static_cast<std::size_t>(row)];
    const double place = 2 * std::max(wrench / most_wrench[row], speed / most_speed[row]);
    const auto Y = block.Y.middleRows(k * rows, rows);
    const auto tau = block.tau.segment(k * rows, rows);
    if (place <= 1) {
      of.fitted.add(Y, tau, row_sigma);
      of.below.add(Y.row(row), tau.segment(row, 1));
    } else {
      of.above.add(Y.row(row), tau.segment(row, 1));
      of.place += place;
      ++of.judged;
    }
  });
  Vec6 out = Vec6::Constant(2);
  for (Index row = 0; row < rows; ++row)
    out[regression.free()[static_cast<std::size_t>(row)]] =
        factor_of(halves[static_cast<std::size_t>(row)], constraints, unknowns, rows);
  return out;
}

RangeMonitor::RangeMonitor(const DataRange& range, const model::Robot& robot, model::Dof dof) {
  constexpr double least_speed = 0.02;         // m/s, rad/s
  constexpr double least_angle = 10 * degree;  // rad
  constexpr double least_wrench = 0.02;        // of the largest; of commands likewise
  // A quantity that hardly changed tells little by its range: half of it counts
  // as at least so much.
  const auto quantity = [](std::string name, std::string unit, double least, double most, double least_half) {
    return Quantity{std::move(name), std::move(unit), least, most,
                    std::max({0.5 * (most - least), least_half, 1e-9})};
  };
  const auto largest = [&](int first) {
    return std::max(range.wrench_max.segment<3>(first).cwiseAbs().maxCoeff(),
                    range.wrench_min.segment<3>(first).cwiseAbs().maxCoeff());
  };
  for (int i = 0; i < 6; ++i) {
    if (!model::is_free(dof, i)) continue;
    const std::string name(model::dof_name(i));
    Quantity wrench = quantity(name + " wrench", i < 3 ? "N" : "N m", range.wrench_min[i], range.wrench_max[i],
                               least_wrench * largest(i < 3 ? 0 : 3));
    Quantity velocity = quantity(name + " velocity", i < 3 ? "m/s" : "rad/s", range.velocity_min[i],
                                 range.velocity_max[i], least_speed);
    wrench.concerns[i] = velocity.concerns[i] = 1;
    wrench.source = i;
    velocity.source = 6 + i;
    motion_.push_back(wrench);
    motion_.push_back(velocity);
  }
  for (const int i : {0, 1}) {
    Quantity angle =
        quantity(i == 0 ? "roll" : "pitch", "deg", range.attitude_min[i], range.attitude_max[i], least_angle);
    angle.concerns.setOnes();
    angle.scale = degrees;
    angle.source = 12 + i;
    motion_.push_back(angle);
  }
  const std::vector<model::Thruster>& thrusters = robot.thrusters();
  if (range.command_min.size() != thrusters.size()) return;
  double widest = 0;
  for (std::size_t k = 0; k < thrusters.size(); ++k)
    widest = std::max(widest, 0.5 * (range.command_max[k] - range.command_min[k]));
  const Mat6X B = model::allocation_matrix(robot);
  for (std::size_t k = 0; k < thrusters.size(); ++k) {
    Quantity command =
        quantity("command of " + thrusters[k].name, std::string(model::symbol_of(thrusters[k].command_unit())),
                 range.command_min[k], range.command_max[k], least_wrench * widest);
    // Each velocity by the thruster's part in what drives it.
    command.concerns =
        B.col(static_cast<Index>(k)).cwiseAbs().cwiseQuotient(B.cwiseAbs().rowwise().maxCoeff().cwiseMax(1e-9));
    commands_.push_back(command);
  }
}

Vec6 RangeMonitor::add(const Sample& sample) {
  Eigen::Matrix<double, 14, 1> values;
  values << sample.tau_b, sample.nu_r_b, euler_from_quaternion(sample.q_nb).head<2>();
  Vec6 excess = Vec6::Zero();
  for (Quantity& quantity : motion_) judge(quantity, values[quantity.source], excess);
  if (sample.commands.size() == commands_.size())
    for (std::size_t k = 0; k < commands_.size(); ++k) judge(commands_[k], sample.commands[k], excess);
  return excess;
}

void RangeMonitor::judge(Quantity& quantity, double value, Vec6& excess) {
  const double beyond = std::max({0.0, value - quantity.most, quantity.least - value}) / quantity.half;
  if (!(beyond > 0)) return;
  excess = excess.cwiseMax(beyond * quantity.concerns);
  if (beyond <= tolerated) return;
  ++quantity.samples;
  if (beyond <= quantity.farthest) return;
  quantity.farthest = beyond;
  quantity.value = value;
}

std::vector<BeyondRange> RangeMonitor::beyond() const {
  std::vector<BeyondRange> out;
  for (const std::vector<Quantity>* list : {&motion_, &commands_})
    for (const Quantity& q : *list)
      if (q.samples > 0)
        out.push_back({q.name, q.unit, q.scale * q.value, q.scale * q.least, q.scale * q.most, q.samples});
  return out;
}

RangeCheck check_range(const DataRange& range, const Recording& recording, const model::Robot& robot,
                       model::Dof dof, const Vec3& current_n) {
  RangeMonitor monitor(range, robot, dof);
  CommandsOverTime commands(recording);
  RangeCheck out;
  out.widening.setOnes(6, recording.size());
  const double keep = std::exp(-recording.track.dt / remembered);
  const Vec6 per_excess = (range.extrapolation.array() - 1).cwiseMax(0);
  for (const auto& [first, end] : usable_ranges(recording.usable)) {
    Vec6 kept = Vec6::Zero();  // of the excess of each velocity
    for (Index k = first; k < end; ++k) {
      kept = (keep * kept)
                 .cwiseMax(monitor.add({recording.tau_b.col(k), relative_velocity(recording, k, current_n),
                                        recording.track.attitude(k), commands.at(recording.track.t(k))}));
      out.widening.col(k) += per_excess.cwiseProduct(kept);
    }
  }
  out.beyond = monitor.beyond();
  return out;
}

}  // namespace fathom::identify
