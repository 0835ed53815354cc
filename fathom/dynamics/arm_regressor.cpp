#include "fathom/dynamics/arm_regressor.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/sign.hpp"
#include "fathom/dynamics/internal/arm_sweep.hpp"

namespace fathom::dynamics {
namespace {

using AtLink = ArmWorkspace::AtLink;
constexpr std::size_t rigid_count = 10, buoyancy_count = 4, added_count = 21, drag_count = 12;
constexpr std::size_t largest_block = rigid_count + buoyancy_count + added_count + drag_count;
using Row = std::array<double, largest_block>;

// What a link's numbers do to s' f, the share of its wrench along a twist s = (s_v, s_w) seen from it:
// docs/arms.md eqs. 10 to 12. Each returns the next free place.

double* rigid_row(const AtLink& at, const Vec3& classical, const Vec3& s_v, const Vec3& s_w, double* out) {
  *out++ = s_v.dot(classical);
  const Vec3 first =
      s_v.cross(at.alpha) + at.w * s_v.dot(at.w) - s_v * at.w.squaredNorm() + classical.cross(s_w);
  for (Eigen::Index k = 0; k < 3; ++k) *out++ = first[k];
  const Vec3 turned = s_w.cross(at.w);
  for (Eigen::Index k = 0; k < 3; ++k) {
    *out++ = s_w[k] * at.alpha[k] + turned[k] * at.w[k];
    for (Eigen::Index l = k + 1; l < 3; ++l)
      *out++ = s_w[k] * at.alpha[l] + s_w[l] * at.alpha[k] + turned[k] * at.w[l] + turned[l] * at.w[k];
  }
  return out;
}

double* buoyancy_row(const AtLink& at, const Vec3& s_v, const Vec3& s_w, double* out) {
  *out++ = s_v.dot(at.g);
  const Vec3 moments = at.g.cross(s_w);
  for (Eigen::Index k = 0; k < 3; ++k) *out++ = moments[k];
  return out;
}

/// s' (A nu_dot + nu x A nu) = sum of A_kl (s_k nu_dot_l - (nu x s)_k nu_l): powers of the cross product swap
/// sides.
double* added_row(const Vec6& twist, const Vec6& rate, const Vec6& s, double* out) {
  const Vec6 carried = internal::cross_twist(twist, s);
  for (Eigen::Index k = 0; k < 6; ++k) {
    *out++ = s[k] * rate[k] - carried[k] * twist[k];
    for (Eigen::Index l = k + 1; l < 6; ++l)
      *out++ = s[k] * rate[l] + s[l] * rate[k] - carried[k] * twist[l] - carried[l] * twist[k];
  }
  return out;
}

double* drag_row(const Vec6& twist, const Vec6& s, double* out) {
  for (Eigen::Index k = 0; k < 6; ++k) *out++ = s[k] * twist[k];
  for (Eigen::Index k = 0; k < 6; ++k) *out++ = s[k] * std::abs(twist[k]) * twist[k];
  return out;
}

/// The link's block of the row that belongs to the twist s.
void link_row(const AtLink& at, const Vec3& classical, const ArmColumns& columns, const Vec6& s, Row& row) {
  const Vec3 s_v = s.head<3>(), s_w = s.tail<3>();
  double* out = row.data();
  if (columns.rigid) out = rigid_row(at, classical, s_v, s_w, out);
  if (columns.buoyancy) out = buoyancy_row(at, s_v, s_w, out);
  if (!columns.added_mass && !columns.drag) return;
  Vec6 twist, rate;
  twist << at.v, at.w;
  rate << at.a + at.g, at.alpha;
  if (columns.added_mass) out = added_row(twist, rate, s, out);
  if (columns.drag) drag_row(twist, s, out);
}

void write_block(const Row& row, Eigen::Index k, std::size_t link, std::size_t width,
                 Eigen::Ref<Eigen::MatrixXd>& Y) {
  for (std::size_t c = 0; c < width; ++c) Y(k, static_cast<Eigen::Index>(link * width + c)) = row[c];
}

void joint_columns(const ArmColumns& columns, const std::optional<model::Transmission>& transmission, double q,
                   double dq, double ddq, Eigen::Index row, Eigen::Index column,
                   Eigen::Ref<Eigen::MatrixXd> Y) {
  if (columns.viscous) Y(row, column++) = dq;
  if (columns.coulomb == ArmColumns::Coulomb::symmetric) Y(row, column++) = sign_of(dq);
  if (columns.coulomb == ArmColumns::Coulomb::by_direction) {
    Y(row, column++) = dq > 0 ? 1 : 0;
    Y(row, column++) = dq < 0 ? -1 : 0;
  }
  if (columns.offset) Y(row, column++) = 1;
  if (!columns.motor || !transmission) return;
  const model::MotorAngle motor = model::motor_angle(*transmission, q);
  const double speed = motor.ratio * dq;
  Y(row, column++) = motor.ratio * (motor.ratio * ddq + motor.slope * dq * dq);
  Y(row, column++) = motor.ratio * speed;
  Y(row, column) = motor.ratio * sign_of(speed);
}

/// Checks what is given, moves the links, and begins with an empty regressor of so many rows.
void prepare(const Arm& arm, const ArmColumns& columns, Eigen::Index rows, const Motion& base,
             std::span<const double> q, std::span<const double> dq, std::span<const double> ddq,
             ArmWorkspace& workspace, Eigen::Ref<Eigen::MatrixXd>& Y) {
  internal::check_sizes(arm, {q.size(), dq.size(), ddq.size()});
  const auto wanted = static_cast<Eigen::Index>(column_count(arm, columns));
  if (Y.rows() != rows || Y.cols() != wanted)
    reject("regressor", fmt::format("is {} x {}, must be {} x {}", Y.rows(), Y.cols(), rows, wanted));
  internal::place_links(arm, q, workspace);
  internal::move_links(arm, base, dq, ddq, workspace);
  Y.setZero();
}

/// Calls visit(link, place in `at` of the link, classical acceleration) from the base to the tips.
template <class Visit>
void visit_links(const Arm& arm, ArmWorkspace& workspace, const Visit& visit) {
  for (std::size_t i = 0; i < arm.size(); ++i) {
    const AtLink& at = workspace.links[i];
    visit(i, at, Vec3(at.a + at.w.cross(at.v)));
  }
}

}  // namespace

std::size_t ArmColumns::per_link() const {
  return (rigid ? rigid_count : 0) + (buoyancy ? buoyancy_count : 0) + (added_mass ? added_count : 0) +
         (drag ? drag_count : 0);
}

std::size_t ArmColumns::per_joint(bool has_motor) const {
  const std::size_t dry = coulomb == Coulomb::none ? 0 : coulomb == Coulomb::symmetric ? 1 : 2;
  return (viscous ? 1 : 0) + dry + (offset ? 1 : 0) + (motor && has_motor ? 3 : 0);
}

std::size_t link_begin(const ArmColumns& columns, std::size_t k) { return k * columns.per_link(); }

std::size_t joint_begin(const Arm& arm, const ArmColumns& columns, std::size_t k) {
  std::size_t at = link_begin(columns, arm.size());
  for (std::size_t i = 0; i < k; ++i) at += columns.per_joint(arm.transmissions()[i].has_value());
  return at;
}

std::size_t column_count(const Arm& arm, const ArmColumns& columns) {
  return joint_begin(arm, columns, arm.size());
}

void arm_regressor(const Arm& arm, const ArmColumns& columns, const Motion& base, std::span<const double> q,
                   std::span<const double> dq, std::span<const double> ddq, ArmWorkspace& workspace,
                   Eigen::Ref<Eigen::MatrixXd> Y) {
  prepare(arm, columns, static_cast<Eigen::Index>(arm.size()), base, q, dq, ddq, workspace, Y);
  Row row;
  visit_links(arm, workspace, [&](std::size_t i, const AtLink& at, const Vec3& classical) {
    const ArmLink& link = arm.links()[i];
    Mat6X& axes = workspace.twist_by[i];
    for (int k = static_cast<int>(i); k >= 0; k = arm.links()[static_cast<std::size_t>(k)].parent) {
      if (k == static_cast<int>(i))
        axes.col(k) = internal::joint_axis(link);
      else
        axes.col(k) = internal::to_link(at, workspace.twist_by[static_cast<std::size_t>(link.parent)].col(k));
      link_row(at, classical, columns, axes.col(k), row);
      write_block(row, k, i, columns.per_link(), Y);
    }
  });
  auto column = static_cast<Eigen::Index>(link_begin(columns, arm.size()));
  for (std::size_t i = 0; i < arm.size(); ++i) {
    joint_columns(columns, arm.transmissions()[i], q[i], dq[i], ddq[i], static_cast<Eigen::Index>(i), column,
                  Y);
    column += static_cast<Eigen::Index>(columns.per_joint(arm.transmissions()[i].has_value()));
  }
}

void base_regressor(const Arm& arm, const ArmColumns& columns, const Motion& base, std::span<const double> q,
                    std::span<const double> dq, std::span<const double> ddq, ArmWorkspace& workspace,
                    Eigen::Ref<Eigen::MatrixXd> Y) {
  prepare(arm, columns, 6, base, q, dq, ddq, workspace, Y);
  Row row;
  visit_links(arm, workspace, [&](std::size_t i, const AtLink& at, const Vec3& classical) {
    const int parent = arm.links()[i].parent;
    Mat6& seen = workspace.composite[i];  // twists of the base, seen from the link
    for (Eigen::Index k = 0; k < 6; ++k) {
      const Vec6 before =
          parent < 0 ? Vec6(Vec6::Unit(k)) : Vec6(workspace.composite[static_cast<std::size_t>(parent)].col(k));
      seen.col(k) = internal::to_link(at, before);
      link_row(at, classical, columns, seen.col(k), row);
      write_block(row, k, i, columns.per_link(), Y);
    }
  });
}

ArmRegressor::ArmRegressor(const model::Arm& arm, const model::Environment& environment,
                           const ArmColumns& columns, const Options& options)
    : nominal_(columns.drag ? with_drag_at_origins(arm, &left_out_) : arm),
      which_(columns),
      arm_(nominal_, environment, options.medium),
      base_wrench_(options.base_wrench) {
  parameters_ = arm_parameters(nominal_, environment, columns, options.first);
  joints_ = nominal_.size();
  for (const model::Joint& joint : nominal_.joints())
    rows_.push_back({joint.name, joint.kind == model::Joint::Kind::revolute ? "N m" : "N"});
  for (int row = 0; base_wrench_ && row < 6; ++row) rows_.push_back(wrench_row(row));
}

void ArmRegressor::fill_rows(const MotionBatch& motion, Eigen::Ref<Eigen::MatrixXd> Y) const {
  ArmWorkspace workspace(arm_);
  const auto n = static_cast<Eigen::Index>(joints());
  for (Eigen::Index k = 0; k < motion.samples(); ++k) {
    const auto of = [&](const Eigen::MatrixXd& all) {
      return std::span<const double>(all.col(k).data(), joints());
    };
    const Eigen::Index first = k * row_count();
    arm_regressor(arm_, which_, motion.base_at(k), of(motion.q), of(motion.dq), of(motion.ddq), workspace,
                  Y.middleRows(first, n));
    if (base_wrench_)
      base_regressor(arm_, which_, motion.base_at(k), of(motion.q), of(motion.dq), of(motion.ddq), workspace,
                     Y.middleRows(first + n, 6));
  }
}

}  // namespace fathom::dynamics
