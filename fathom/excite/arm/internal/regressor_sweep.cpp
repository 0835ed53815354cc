#include "fathom/excite/arm/internal/regressor_sweep.hpp"

#include <cmath>

#include "fathom/base/error.hpp"
#include "fathom/base/sign.hpp"

namespace fathom::excite::internal {
namespace {

constexpr Eigen::Index rigid_numbers = 10, most_water_numbers = 37;
using WaterNumbers = Eigen::Matrix<double, most_water_numbers, 1>;

/// m, m r_g and the inertia of a row of weights.
struct Weights {
  double m;
  Vec3 h;
  Mat3 I;
};

template <class Row>
Weights weights_of(const Row& z) {
  Weights w{z[0], Vec3(z[1], z[2], z[3]), Mat3()};
  w.I << z[4], z[5], z[6], z[5], z[7], z[8], z[6], z[8], z[9];
  return w;
}

/// s' f of a link's ten numbers; docs/arms.md eq. 10.
template <class Row>
void rigid_numbers_row(const RegressorSweep::Link& at, const Vec6& s, Row&& out) {
  const Vec3 s_v = s.head<3>(), s_w = s.tail<3>();
  out[0] = s_v.dot(at.a);
  const Vec3 first = s_v.cross(at.alpha) + at.w * s_v.dot(at.w) - s_v * at.w.squaredNorm() + at.a.cross(s_w);
  for (Eigen::Index k = 0; k < 3; ++k) out[1 + k] = first[k];
  const Vec3 turned = s_w.cross(at.w);
  Eigen::Index c = 4;
  for (Eigen::Index k = 0; k < 3; ++k) {
    out[c++] = s_w[k] * at.alpha[k] + turned[k] * at.w[k];
    for (Eigen::Index l = k + 1; l < 3; ++l)
      out[c++] = s_w[k] * at.alpha[l] + s_w[l] * at.alpha[k] + turned[k] * at.w[l] + turned[l] * at.w[k];
  }
}

/// Water does not feel the gravity that `a` has in it, and turns with no frame.
LinkInWater in_water(const RegressorSweep::Link& at) {
  LinkInWater out;
  out.twist << at.v, at.w;
  out.rate << at.a + at.g - at.w.cross(at.v), at.alpha;
  out.g = at.g;
  return out;
}

/// What x' (w x (w x y)) changes by with w.
Vec3 by_turning(const Vec3& x, const Vec3& w, const Vec3& y) {
  return w.cross(y).cross(x) + y.cross(x.cross(w));
}

}  // namespace

struct RegressorSweep::Adjoint {
  Vec3 w = Vec3::Zero(), alpha = Vec3::Zero(), a = Vec3::Zero();
  Vec3 v = Vec3::Zero(), g = Vec3::Zero();
};

RegressorSweep::RegressorSweep(const dynamics::Arm& arm, const dynamics::ArmColumns& columns,
                               const Vec3& down_b, std::vector<double> sign_speed)
    : arm_(&arm),
      columns_(columns),
      count_(dynamics::column_count(arm, columns)),
      rigid_(columns.rigid ? rigid_numbers : 0),
      water_(water_count(columns)),
      gravity_b_(arm.environment().gravity() * down_b),
      sign_speed_(std::move(sign_speed)) {
  if (sign_speed_.size() != arm.size()) reject("sign_speed", "must have one number for each joint");
  for (std::size_t j = 0; j < arm.size(); ++j) joint_begin_.push_back(dynamics::joint_begin(arm, columns, j));
}

RegressorSweep::Sample RegressorSweep::sample() const {
  const std::size_t n = arm_->size();
  Sample s;
  s.q.resize(n), s.dq.resize(n), s.ddq.resize(n);
  s.links.resize(n), s.motors.resize(n);
  s.twists.resize(n * n, Vec6::Zero());
  return s;
}

double RegressorSweep::sign_of(std::size_t joint, double dq) const {
  if (sign_speed_[joint] > 0) return std::tanh(dq / sign_speed_[joint]);
  return fathom::sign_of(dq);
}

void RegressorSweep::place(Sample& sample) const {
  const std::size_t n = arm_->size();
  for (std::size_t i = 0; i < n; ++i) {
    const dynamics::ArmLink& link = arm_->links()[i];
    Link& at = sample.links[i];
    const double q = sample.q[i], dq = sample.dq[i], ddq = sample.ddq[i];
    sample.motors[i] = motor_curve(arm_->transmissions()[i], q);
    const bool on_base = link.parent < 0;
    const auto up = static_cast<std::size_t>(std::max(link.parent, 0));
    const Vec3 w_p = on_base ? Vec3(Vec3::Zero()) : sample.links[up].w;
    const Vec3 alpha_p = on_base ? Vec3(Vec3::Zero()) : sample.links[up].alpha;
    Vec3 a_p = on_base ? Vec3(-gravity_b_) : sample.links[up].a;
    at.p = link.p_zero;
    if (link.is_revolute) {
      at.R = link.R_fixed + std::sin(q) * link.R_sin + std::cos(q) * link.R_cos;
    } else {
      at.R = link.R_fixed;
      at.p += q * link.slide;
      a_p += ddq * link.slide + 2 * dq * w_p.cross(link.slide);
    }
    at.a = at.R.transpose() * (a_p + alpha_p.cross(at.p) + w_p.cross(w_p.cross(at.p)));
    at.w = at.R.transpose() * w_p;
    at.alpha = at.R.transpose() * alpha_p;
    if (link.is_revolute) {
      at.alpha += ddq * link.axis + dq * at.w.cross(link.axis);
      at.w += dq * link.axis;
    }
    for (int j = link.parent; j >= 0; j = arm_->links()[static_cast<std::size_t>(j)].parent) {
      const Vec6& s = sample.twists[up * n + static_cast<std::size_t>(j)];
      Vec6& mine = sample.twists[i * n + static_cast<std::size_t>(j)];
      mine.head<3>() = at.R.transpose() * (s.head<3>() + s.tail<3>().cross(at.p));
      mine.tail<3>() = at.R.transpose() * s.tail<3>();
    }
    Vec6& own = sample.twists[i * n + i];
    own.setZero();
    own.segment<3>(link.is_revolute ? 3 : 0) = link.axis;
    if (water_ > 0) place_in_water(sample, i);
  }
}

void RegressorSweep::place_in_water(Sample& sample, std::size_t i) const {
  const dynamics::ArmLink& link = arm_->links()[i];
  Link& at = sample.links[i];
  Vec3 v_p = Vec3::Zero(), g_p = gravity_b_;
  if (link.parent >= 0) {
    const Link& up = sample.links[static_cast<std::size_t>(link.parent)];
    v_p = up.v + up.w.cross(at.p);
    g_p = up.g;
  }
  if (!link.is_revolute) v_p += sample.dq[i] * link.slide;
  at.v = at.R.transpose() * v_p;
  at.g = at.R.transpose() * g_p;
}

void RegressorSweep::joint_row(const Sample& sample, std::size_t j, Eigen::Ref<Eigen::MatrixXd> Y) const {
  using Coulomb = dynamics::ArmColumns::Coulomb;
  const double dq = sample.dq[j], sign = sign_of(j, dq);
  const auto row = static_cast<Eigen::Index>(j);
  auto c = static_cast<Eigen::Index>(joint_begin_[j]);
  if (columns_.viscous) Y(row, c++) = dq;
  if (columns_.coulomb == Coulomb::symmetric) Y(row, c++) = sign;
  if (columns_.coulomb == Coulomb::by_direction) {
    Y(row, c++) = dq == 0 && sign_speed_[j] == 0 ? 0 : 0.5 * (1 + sign);
    Y(row, c++) = dq == 0 && sign_speed_[j] == 0 ? 0 : -0.5 * (1 - sign);
  }
  if (columns_.offset) Y(row, c++) = 1;
  if (!columns_.motor || !arm_->transmissions()[j]) return;
  const MotorCurve& m = sample.motors[j];
  Y(row, c++) = m.ratio * (m.ratio * sample.ddq[j] + m.slope * dq * dq);
  Y(row, c++) = m.ratio * m.ratio * dq;
  Y(row, c) = std::abs(m.ratio) * sign;
}

void RegressorSweep::rows(Sample& sample, Eigen::Ref<Eigen::MatrixXd> Y) const {
  place(sample);
  Y.setZero();
  const std::size_t n = arm_->size();
  WaterNumbers water;
  for (std::size_t i = 0; i < n; ++i) {
    const Eigen::Index begin = static_cast<Eigen::Index>(i) * (rigid_ + water_);
    for (int j = static_cast<int>(i); j >= 0; j = arm_->links()[static_cast<std::size_t>(j)].parent) {
      const Vec6& s = sample.twists[i * n + static_cast<std::size_t>(j)];
      if (rigid_ > 0) rigid_numbers_row(sample.links[i], s, Y.row(j).segment<rigid_numbers>(begin));
      if (water_ == 0) continue;
      water_row(columns_, in_water(sample.links[i]), s, water.data());
      Y.row(j).segment(begin + rigid_, water_) = water.head(water_).transpose();
    }
    joint_row(sample, i, Y);
  }
}

void RegressorSweep::joint_back(const Sample& sample, std::size_t j, const Eigen::Ref<const Eigen::MatrixXd>& Z,
                                std::span<double> by_q, std::span<double> by_dq,
                                std::span<double> by_ddq) const {
  using Coulomb = dynamics::ArmColumns::Coulomb;
  const double dq = sample.dq[j], ddq = sample.ddq[j], sign = sign_of(j, dq);
  const double bend = sign_speed_[j] > 0 ? (1 - sign * sign) / sign_speed_[j] : 0;  // d sign / d dq
  const auto row = static_cast<Eigen::Index>(j);
  auto c = static_cast<Eigen::Index>(joint_begin_[j]);
  if (columns_.viscous) by_dq[j] += Z(row, c++);
  if (columns_.coulomb == Coulomb::symmetric) by_dq[j] += bend * Z(row, c++);
  if (columns_.coulomb == Coulomb::by_direction) {
    by_dq[j] += 0.5 * bend * (Z(row, c) + Z(row, c + 1));
    c += 2;
  }
  if (columns_.offset) ++c;
  if (!columns_.motor || !arm_->transmissions()[j]) return;
  const MotorCurve& m = sample.motors[j];
  const double inertia = Z(row, c), viscous = Z(row, c + 1), dry = Z(row, c + 2);
  const double square = dq * dq;
  by_ddq[j] += inertia * m.ratio * m.ratio;
  by_dq[j] +=
      inertia * 2 * m.ratio * m.slope * dq + viscous * m.ratio * m.ratio + dry * std::abs(m.ratio) * bend;
  by_q[j] += inertia * (2 * m.ratio * m.slope * ddq + (m.slope * m.slope + m.ratio * m.bend) * square) +
             viscous * 2 * m.ratio * m.slope * dq + dry * std::copysign(m.slope, m.slope * m.ratio) * sign;
}

/// From a link to its parent: the transpose of what place() does.
void RegressorSweep::link_back(const Sample& sample, std::size_t i, std::vector<Adjoint>& links,
                               std::vector<Vec6>& twists, std::span<double> by_q, std::span<double> by_dq,
                               std::span<double> by_ddq) const {
  const dynamics::ArmLink& link = arm_->links()[i];
  const Link& at = sample.links[i];
  const Adjoint& bar = links[i];
  const std::size_t n = arm_->size();
  const auto up = static_cast<std::size_t>(std::max(link.parent, 0));
  const Vec3 w_p = link.parent < 0 ? Vec3(Vec3::Zero()) : sample.links[up].w;
  const Vec3 alpha_p = link.parent < 0 ? Vec3(Vec3::Zero()) : sample.links[up].alpha;
  Vec3 w_bar = bar.w, turned = bar.a.cross(at.a), p_bar = Vec3::Zero();
  const Vec3 c = at.R * bar.a;
  if (link.is_revolute) {
    const Vec3 turn = sample.dq[i] * link.axis, w = at.w - turn;
    w_bar += turn.cross(bar.alpha);
    turned += w_bar.cross(w) + bar.alpha.cross(at.alpha - sample.ddq[i] * link.axis - w.cross(turn));
    by_dq[i] += link.axis.dot(bar.w) + bar.alpha.dot(w.cross(link.axis));
    by_ddq[i] += link.axis.dot(bar.alpha);
  } else {
    p_bar = c.cross(alpha_p) + w_p.cross(w_p.cross(c));
    by_dq[i] += 2 * c.dot(w_p.cross(link.slide));
    by_ddq[i] += c.dot(link.slide);
  }
  for (int j = link.parent; j >= 0; j = arm_->links()[static_cast<std::size_t>(j)].parent) {
    const std::size_t k = i * n + static_cast<std::size_t>(j);
    const Vec6 &s = sample.twists[k], &s_bar = twists[k];
    const Vec3 f = at.R * s_bar.head<3>();
    if (link.is_revolute)
      turned += s_bar.head<3>().cross(s.head<3>()) + s_bar.tail<3>().cross(s.tail<3>());
    else
      p_bar += f.cross(at.R * s.tail<3>());
    Vec6& above = twists[up * n + static_cast<std::size_t>(j)];
    above.head<3>() += f;
    above.tail<3>() += at.R * s_bar.tail<3>() + at.p.cross(f);
  }
  by_q[i] += link.is_revolute ? link.axis.dot(turned) : link.slide.dot(p_bar);
  if (link.parent < 0) return;
  Adjoint& above = links[up];
  above.a += c;
  above.alpha += at.R * bar.alpha + at.p.cross(c);
  above.w += at.R * w_bar + by_turning(c, w_p, at.p);
  if (!link.is_revolute) above.w += 2 * sample.dq[i] * link.slide.cross(c);
}

/// Of the row of joint j in the water's columns of link i: to the link's motion and the joint's twist.
void RegressorSweep::water_row_back(const Sample& sample, std::size_t i, std::size_t j,
                                    const Eigen::Ref<const Eigen::MatrixXd>& Z, Adjoint& link,
                                    Vec6& twist) const {
  const Link& at = sample.links[i];
  WaterNumbers z;
  z.head(water_) = Z.row(static_cast<Eigen::Index>(j))
                       .segment(static_cast<Eigen::Index>(i) * (rigid_ + water_) + rigid_, water_)
                       .transpose();
  LinkInWaterBar bar;
  water_back(columns_, in_water(at), sample.twists[i * arm_->size() + j], z.data(), bar, twist);
  const Vec3 rate = bar.rate.head<3>();
  link.a += rate;
  link.alpha += bar.rate.tail<3>();
  link.g += bar.g + rate;
  link.v += bar.twist.head<3>() - rate.cross(at.w);
  link.w += bar.twist.tail<3>() - at.v.cross(rate);
}

/// The transpose of what place_in_water() does.
void RegressorSweep::link_back_in_water(const Sample& sample, std::size_t i, std::vector<Adjoint>& links,
                                        std::span<double> by_q, std::span<double> by_dq) const {
  const dynamics::ArmLink& link = arm_->links()[i];
  const Link& at = sample.links[i];
  const Adjoint& bar = links[i];
  const bool on_base = link.parent < 0;
  const auto up = static_cast<std::size_t>(std::max(link.parent, 0));
  const Vec3 f = at.R * bar.v, w_p = on_base ? Vec3(Vec3::Zero()) : sample.links[up].w;
  if (link.is_revolute) {
    by_q[i] += link.axis.dot(bar.v.cross(at.v) + bar.g.cross(at.g));
  } else {
    by_q[i] += link.slide.dot(f.cross(w_p));
    by_dq[i] += link.slide.dot(f);
  }
  if (on_base) return;
  links[up].v += f;
  links[up].w += at.p.cross(f);
  links[up].g += at.R * bar.g;
}

void RegressorSweep::pull_back(const Sample& sample, const Eigen::Ref<const Eigen::MatrixXd>& Z,
                               std::span<double> by_q, std::span<double> by_dq,
                               std::span<double> by_ddq) const {
  const std::size_t n = arm_->size();
  thread_local std::vector<Adjoint> links;
  thread_local std::vector<Vec6> twists;
  links.assign(n, Adjoint());
  twists.assign(n * n, Vec6::Zero());
  for (std::size_t i = n; i-- > 0;) {
    const Link& at = sample.links[i];
    for (int j = static_cast<int>(i); j >= 0; j = arm_->links()[static_cast<std::size_t>(j)].parent) {
      const std::size_t k = i * n + static_cast<std::size_t>(j);
      if (water_ > 0) water_row_back(sample, i, static_cast<std::size_t>(j), Z, links[i], twists[k]);
      if (rigid_ == 0) continue;
      const Weights z =
          weights_of(Z.row(j).segment<rigid_numbers>(static_cast<Eigen::Index>(i) * (rigid_ + water_)));
      const Vec3 s_v = sample.twists[k].head<3>(), s_w = sample.twists[k].tail<3>(), momentum = z.I * at.w;
      twists[k].head<3>() += z.m * at.a + at.alpha.cross(z.h) + at.w.cross(at.w.cross(z.h));
      twists[k].tail<3>() += z.h.cross(at.a) + z.I * at.alpha + at.w.cross(momentum);
      links[i].a += z.m * s_v + s_w.cross(z.h);
      links[i].alpha += z.h.cross(s_v) + z.I * s_w;
      links[i].w += by_turning(s_v, at.w, z.h) + momentum.cross(s_w) + z.I * s_w.cross(at.w);
    }
    if (water_ > 0) link_back_in_water(sample, i, links, by_q, by_dq);
    link_back(sample, i, links, twists, by_q, by_dq, by_ddq);
    joint_back(sample, i, Z, by_q, by_dq, by_ddq);
  }
}

}  // namespace fathom::excite::internal
