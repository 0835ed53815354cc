#include "fathom/identify/vehicle/internal/recording_command_path.hpp"

#include <cmath>

#include <Eigen/QR>
#include <fmt/format.h>

#include "fathom/geometry/spectrum.hpp"

namespace fathom::identify::internal {
namespace {

constexpr double stick_rounding = 0.01;  // beyond 1: what a receiver's own rounding may overshoot

const std::array<Column, 6> wrench_columns = {
    {{"X", "N"}, {"Y", "N"}, {"Z", "N"}, {"K", "N m"}, {"M", "N m"}, {"N", "N m"}}};
const std::array<Column, 6> axis_columns = {
    {{"surge", ""}, {"sway", ""}, {"heave", ""}, {"roll", ""}, {"pitch", ""}, {"yaw", ""}}};

std::span<const double> span_of(const Vec6& v) { return {v.data(), 6}; }

class LoggedWrench : public Input {
 public:
  explicit LoggedWrench(const Rows& rows) : columns_(rows, wrench_columns) {}
  void take(const Rows& rows) override { columns_.take(rows); }
  void advance(double) override {}
  Vec6 wrench_b(const Vec6&) const override { return columns_.values(); }
  bool is_known() const override { return columns_.is_known(); }
  void finish(const Rows& rows, Findings&) const override { columns_.finish(rows); }

 private:
  SixColumns columns_;
};

class CommandedWrench : public Input {
 public:
  CommandedWrench(const Rows& rows, const model::Robot& robot, const model::Environment& environment,
                  double voltage)
      : columns_(rows, wrench_columns),
        states_(robot, environment, voltage),
        inverse_(pseudo_inverse(model::allocation_matrix(robot))) {
    if (robot.command_path()->dead_band && !states_.lag()) told_.assign(states_.size(), 0.0);
  }
  void take(const Rows& rows) override {
    columns_.take(rows);
    const Eigen::VectorXd forces = inverse_ * columns_.values();
    for (std::size_t k = 0; k < states_.size(); ++k) {
      states_.ask(k, forces[static_cast<Eigen::Index>(k)]);
      if (!told_.empty()) told_[k] = states_.told(k);
    }
  }
  void advance(double dt) override { states_.advance(dt); }
  Vec6 wrench_b(const Vec6& nu_r_b) const override { return states_.wrench_b(nu_r_b); }
  bool is_known() const override { return columns_.is_known(); }
  std::span<const double> asked() const override { return span_of(columns_.values()); }
  std::span<const double> told() const override { return told_; }
  void finish(const Rows& rows, Findings&) const override { columns_.finish(rows); }

 private:
  SixColumns columns_;
  ThrusterStates states_;
  Eigen::MatrixXd inverse_;   // of the allocation matrix
  std::vector<double> told_;  // N, where there is a dead band
};

class PilotAxes : public Input {
 public:
  PilotAxes(const Rows& rows, const model::Robot& robot, const model::Environment& environment, double voltage)
      : columns_(rows, axis_columns),
        mixer_(robot, voltage, environment.density()),
        gain_(robot.thrust_gain()) {}
  void take(const Rows& rows) override {
    columns_.take(rows);
    const Vec6& axes = columns_.values();
    Eigen::Index axis = 0;
    const double most = axes.cwiseAbs().maxCoeff(&axis);
    if (most > 1 + stick_rounding)
      rows.fail(
          fmt::format("{} = {:g}, must be from -1 to 1", axis_columns[static_cast<std::size_t>(axis)].name,
                      axes[axis]),
          most > 500 ? "microseconds? (us - 1500) / 400: scale and offset of the description" : "scale it",
          rows.line());
    tau_b_ = gain_ * mixer_.wrench_b(axes);
  }
  void advance(double) override {}
  Vec6 wrench_b(const Vec6&) const override { return tau_b_; }
  bool is_known() const override { return columns_.is_known(); }
  std::span<const double> asked() const override { return span_of(columns_.values()); }
  void finish(const Rows& rows, Findings&) const override { columns_.finish(rows); }

 private:
  SixColumns columns_;
  PilotMixer mixer_;
  double gain_;
  Vec6 tau_b_ = Vec6::Zero();
};

}  // namespace

SixColumns::SixColumns(const Rows& rows, const std::array<Column, 6>& columns) {
  for (std::size_t i = 0; i < 6; ++i) columns_[i] = rows.column(columns[i]);
}

void SixColumns::take(const Rows& rows) {
  for (std::size_t i = 0; i < 6; ++i) {
    const double value = rows.values()[columns_[i]];
    numbers_[i] += std::isfinite(value) ? 1 : 0;
    values_[static_cast<Eigen::Index>(i)] = value;
  }
  is_known_ = values_.allFinite();
  if (!is_known_) values_.setZero();
}

void SixColumns::finish(const Rows& rows) const {
  for (std::size_t i = 0; i < 6; ++i)
    if (numbers_[i] == 0)
      rows.fail(fmt::format("column '{}' has no number", rows.info().columns[columns_[i]].name),
                "an axis that is not driven has the wrench 0");
}

std::unique_ptr<Input> logged_wrench(const Rows& rows) { return std::make_unique<LoggedWrench>(rows); }

std::unique_ptr<Input> commanded_wrench(const Rows& rows, const model::Robot& robot,
                                        const model::Environment& environment, double voltage) {
  return std::make_unique<CommandedWrench>(rows, robot, environment, voltage);
}

std::unique_ptr<Input> pilot_axes(const Rows& rows, const model::Robot& robot,
                                  const model::Environment& environment, double voltage) {
  return std::make_unique<PilotAxes>(rows, robot, environment, voltage);
}

}  // namespace fathom::identify::internal
