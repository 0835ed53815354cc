#include "fathom/identify/commanded/acceleration_fit.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/geometry/pose.hpp"

namespace fathom::identify {

namespace {

/// Of the mean square of a scaled column: keeps columns that are nearly parallel from growing against each
/// other.
constexpr double acceleration_ridge = 1e-4;

Eigen::Index samples_per_row(double row_step, double dt) {
  const double samples = std::round(row_step / dt);
  if (!(samples >= 1 && samples < 1e6))
    reject("row_step", fmt::format("= {} s, must be at least a step of {} s", row_step, dt));
  return static_cast<Eigen::Index>(samples);
}

using TermKind = AccelerationTerm::Kind;

constexpr std::array<std::string_view, 6> velocity_names = {"u", "v", "w", "p", "q", "r"};
constexpr std::array<std::string_view, 6> wrench_names = {"X", "Y", "Z", "K", "M", "N"};

std::string_view name_of_velocity(int i) { return velocity_names[static_cast<std::size_t>(i)]; }

}  // namespace

Mat6 twist_at(const Vec3& p_bc_b) { return twist_transform({Quat::Identity(), p_bc_b}); }

BlurredRun::BlurredRun(const CommandedRun& run, const AccelerationTerms& terms,
                       const AccelerationOptions& options)
    : run_(&run),
      terms_(terms),
      gaussian_(options.blur, run.dt),
      step_(samples_per_row(options.row_step, run.dt)) {
  list_distinct();
  velocities_c_ = gaussian_.smooth_every(step_, run.nu_c);
  rates_c_ = gaussian_.slope_every(step_, run.nu_c);
  fixed_rows_ = gaussian_.smooth_every(step_, series(fixed_, run.nu_c, Mat6X::Zero(6, run.size())));
}

void BlurredRun::list_distinct() {
  for (std::size_t axis = 0; axis < 6; ++axis)
    for (const AccelerationTerm& term : terms_[axis]) {
      const auto found = std::find(distinct_.begin(), distinct_.end(), term);
      of_axis_[axis].push_back(found - distinct_.begin());
      if (found == distinct_.end()) distinct_.push_back(term);
    }
  for (std::size_t k = 0; k < distinct_.size(); ++k)
    if (!distinct_[k].is_linear_in_velocity())
      (distinct_[k].depends_on_wrench_or_place() ? varying_ : fixed_).push_back(k);
}

Eigen::MatrixXd BlurredRun::series(const std::vector<std::size_t>& which, const Mat6X& nu_b,
                                   const Mat6X& tau_b) const {
  Eigen::MatrixXd out(static_cast<Eigen::Index>(which.size()), run_->size());
  for (Eigen::Index k = 0; k < run_->size(); ++k) {
    const Instant at{nu_b.col(k), tau_b.col(k), run_->down_b.col(k)};
    for (std::size_t row = 0; row < which.size(); ++row)
      out(static_cast<Eigen::Index>(row), k) = distinct_[which[row]].value(at);
  }
  return out;
}

BlurredRows BlurredRun::rows_at(const Mat6X& tau_b, const Vec3& p_bc_b) const {
  if (tau_b.cols() != run_->size())
    reject(run_->name, fmt::format("has {} samples, got a wrench of {}", run_->size(), tau_b.cols()));
  const Mat6 to_b = twist_at(-p_bc_b);
  const Mat6X velocities_b = to_b * velocities_c_;
  const Eigen::MatrixXd varying = gaussian_.smooth_every(step_, series(varying_, to_b * run_->nu_c, tau_b));
  BlurredRows out{Eigen::MatrixXd(static_cast<Eigen::Index>(distinct_.size()), rows()), to_b * rates_c_};
  for (std::size_t k = 0; k < distinct_.size(); ++k)
    if (distinct_[k].is_linear_in_velocity())
      out.terms.row(static_cast<Eigen::Index>(k)) = velocities_b.row(distinct_[k].i);
  for (std::size_t row = 0; row < varying_.size(); ++row)
    out.terms.row(static_cast<Eigen::Index>(varying_[row])) = varying.row(static_cast<Eigen::Index>(row));
  for (std::size_t row = 0; row < fixed_.size(); ++row)
    out.terms.row(static_cast<Eigen::Index>(fixed_[row])) = fixed_rows_.row(static_cast<Eigen::Index>(row));
  return out;
}

void AccelerationSums::add(const BlurredRun& run, const BlurredRows& rows) {
  if (!first_) {
    first_ = &run;
    gram_.setZero(rows.terms.rows(), rows.terms.rows());
    moments_.setZero(rows.terms.rows(), 6);
  }
  if (run.terms() != first_->terms()) reject(run.run().name, "has other terms than the run before");
  rows_ += rows.terms.cols();
  gram_.noalias() += rows.terms * rows.terms.transpose();
  moments_.noalias() += rows.terms * rows.rates_b.transpose();
  rates_.noalias() += rows.rates_b * rows.rates_b.transpose();
  mean_ += rows.rates_b.rowwise().sum();
}

void AccelerationSums::add(const AccelerationSums& other) {
  if (!first_) {
    *this = other;
    return;
  }
  rows_ += other.rows_;
  gram_ += other.gram_;
  moments_ += other.moments_;
  rates_ += other.rates_;
  mean_ += other.mean_;
}

AccelerationModel AccelerationSums::fit() const {
  if (!first_) reject("runs", "there is none to fit to");
  const auto count = static_cast<double>(rows_);
  AccelerationModel model{first_->terms(), {}};
  for (int axis = 0; axis < 6; ++axis) {
    const auto& of = first_->of_axis(axis);
    const Eigen::VectorXd scales = (gram_.diagonal()(of) / count).cwiseSqrt();
    for (Eigen::Index k = 0; k < scales.size(); ++k)
      if (!(scales[k] > 0))
        reject("runs",
               fmt::format("do not show {}: it is zero throughout",
                           first_->terms()[static_cast<std::size_t>(axis)][static_cast<std::size_t>(k)].name()),
               "add a run that moves it");
    Eigen::MatrixXd G = scales.cwiseInverse().asDiagonal() * gram_(of, of) * scales.cwiseInverse().asDiagonal();
    G.diagonal().array() += acceleration_ridge * count;
    model.theta[static_cast<std::size_t>(axis)] =
        G.llt().solve(moments_.col(axis)(of).cwiseQuotient(scales)).cwiseQuotient(scales);
  }
  return model;
}

Vec6 AccelerationSums::unexplained(const AccelerationModel& model, const Vec3& p_bc_b) const {
  Eigen::MatrixXd theta = Eigen::MatrixXd::Zero(6, gram_.rows());  // rates = theta terms
  for (int axis = 0; axis < 6; ++axis)
    for (std::size_t k = 0; k < first_->of_axis(axis).size(); ++k)
      theta(axis, first_->of_axis(axis)[k]) +=
          model.theta[static_cast<std::size_t>(axis)][static_cast<Eigen::Index>(k)];
  const Mat6 cross = theta * moments_;
  const Mat6 H = twist_at(p_bc_b),
             left = rates_ - cross - cross.transpose() + theta * gram_ * theta.transpose();
  const Mat6 spread = rates_ - mean_ * mean_.transpose() / static_cast<double>(rows_);
  return (H * left * H.transpose()).diagonal().cwiseQuotient((H * spread * H.transpose()).diagonal());
}

double AccelerationTerm::value(const Instant& at) const {
  const Vec6& nu = at.nu_b;
  switch (kind) {
    case Kind::wrench: return at.tau_b[i];
    case Kind::velocity: return nu[i];
    case Kind::drag: return nu.head<3>().norm() * nu[i];
    case Kind::own_drag: return std::abs(nu[i]) * nu[i];
    case Kind::turning: {
      const int next = (i + 1) % 3, last = (i + 2) % 3;
      return nu[next] * nu[3 + last] - nu[last] * nu[3 + next];
    }
    case Kind::product: return nu[i] * nu[j];
    case Kind::restoring: return at.down_b[i];
    case Kind::constant: break;
  }
  return 1;
}

bool AccelerationTerm::depends_on_wrench_or_place() const {
  if (kind == Kind::restoring || kind == Kind::constant) return false;
  const bool of_turning_alone = i >= 3 && (kind == Kind::own_drag || (kind == Kind::product && j >= 3));
  return !of_turning_alone;  // rates are the same at every point of a body
}

std::string AccelerationTerm::name() const {
  switch (kind) {
    case Kind::wrench: return std::string(wrench_names[static_cast<std::size_t>(i)]);
    case Kind::velocity: return std::string(name_of_velocity(i));
    case Kind::drag: return fmt::format("|v| {}", name_of_velocity(i));
    case Kind::own_drag: return fmt::format("|{0}| {0}", name_of_velocity(i));
    case Kind::turning: return fmt::format("-(omega x v)_{}", "xyz"[i]);
    case Kind::product: return fmt::format("{} {}", name_of_velocity(i), name_of_velocity(j));
    case Kind::restoring: return fmt::format("down_{}", "xyz"[i]);
    case Kind::constant: break;
  }
  return "1";
}

AccelerationTerms linear_terms() {
  AccelerationTerms terms;
  for (int i = 0; i < 6; ++i)
    terms[static_cast<std::size_t>(i)] = {{TermKind::wrench, i}, {TermKind::velocity, i}, {TermKind::constant}};
  return terms;
}

AccelerationTerms level_terms() {
  AccelerationTerms terms;
  terms[0] = {{TermKind::wrench, 0}, {TermKind::velocity, 0}, {TermKind::drag, 0}, {TermKind::product, 1, 5}};
  terms[1] = {{TermKind::wrench, 1}, {TermKind::velocity, 1}, {TermKind::drag, 1}, {TermKind::product, 0, 5}};
  terms[2] = {{TermKind::wrench, 2}, {TermKind::velocity, 2}, {TermKind::drag, 2}};
  terms[5] = {{TermKind::wrench, 5},
              {TermKind::velocity, 5},
              {TermKind::own_drag, 5},
              {TermKind::velocity, 1},
              {TermKind::product, 0, 1}};
  return terms;
}

AccelerationTerms full_terms() {
  AccelerationTerms terms;
  for (int i = 0; i < 3; ++i)
    terms[static_cast<std::size_t>(i)] = {
        {TermKind::wrench, i}, {TermKind::velocity, i}, {TermKind::drag, i}, {TermKind::turning, i}};
  terms[2].push_back({TermKind::constant});
  terms[3] = {{TermKind::wrench, 3}, {TermKind::wrench, 1},   {TermKind::velocity, 3}, {TermKind::restoring, 1},
              {TermKind::constant},  {TermKind::velocity, 1}, {TermKind::velocity, 5}};
  terms[4] = {{TermKind::wrench, 4}, {TermKind::wrench, 0},   {TermKind::velocity, 4}, {TermKind::restoring, 0},
              {TermKind::constant},  {TermKind::velocity, 0}, {TermKind::velocity, 2}};
  terms[5] = {{TermKind::wrench, 5}, {TermKind::velocity, 5}, {TermKind::own_drag, 5},
              {TermKind::wrench, 1}, {TermKind::velocity, 1}, {TermKind::product, 0, 1}};
  return terms;
}

Vec6 AccelerationModel::acceleration_b(const Instant& at) const {
  Vec6 acceleration = Vec6::Zero();
  for (std::size_t axis = 0; axis < 6; ++axis)
    for (std::size_t k = 0; k < terms[axis].size(); ++k)
      acceleration[static_cast<Eigen::Index>(axis)] +=
          theta[axis][static_cast<Eigen::Index>(k)] * terms[axis][k].value(at);
  return acceleration;
}

double AccelerationModel::coefficient(int axis, const AccelerationTerm& term) const {
  const auto of = static_cast<std::size_t>(axis);
  const auto found = std::find(terms[of].begin(), terms[of].end(), term);
  if (found == terms[of].end())
    reject(fmt::format("{}_dot", name_of_velocity(axis)), fmt::format("has no term {}", term.name()));
  return theta[of][found - terms[of].begin()];
}

double AccelerationModel::in_newton(int axis, const AccelerationTerm& term) const {
  return coefficient(axis, term) / coefficient(axis, {TermKind::wrench, axis});
}

}  // namespace fathom::identify
