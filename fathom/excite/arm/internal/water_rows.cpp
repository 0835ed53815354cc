#include "fathom/excite/arm/internal/water_rows.hpp"

#include <cmath>

namespace fathom::excite::internal {
namespace {

constexpr Eigen::Index buoyancy_numbers = 4, added_numbers = 21, drag_numbers = 12;

/// How s changes in axes that move by the twist: [w x s_v + v x s_w; w x s_w].
Vec6 carried_by(const Vec6& twist, const Vec6& s) {
  const Vec3 v = twist.head<3>(), w = twist.tail<3>(), s_v = s.head<3>(), s_w = s.tail<3>();
  Vec6 out;
  out << w.cross(s_v) + v.cross(s_w), w.cross(s_w);
  return out;
}

/// The symmetric matrix of 21 numbers, row by row from the diagonal on.
Mat6 symmetric_of(const double* z) {
  Mat6 A;
  for (Eigen::Index k = 0; k < 6; ++k)
    for (Eigen::Index l = k; l < 6; ++l) A(k, l) = A(l, k) = *z++;
  return A;
}

void buoyancy_back(const LinkInWater& at, const Vec6& s, const double* z, LinkInWaterBar& bar, Vec6& s_bar) {
  const Vec3 moments(z[1], z[2], z[3]);
  s_bar.head<3>() += z[0] * at.g;
  s_bar.tail<3>() += moments.cross(at.g);
  bar.g += z[0] * s.head<3>() + s.tail<3>().cross(moments);
}

/// s' A rate - c' A twist with c = twist x s.
void added_back(const LinkInWater& at, const Vec6& s, const Mat6& A, LinkInWaterBar& bar, Vec6& s_bar) {
  const Vec6 momentum = A * at.twist, c = carried_by(at.twist, s);
  const Vec3 m_v = momentum.head<3>(), m_w = momentum.tail<3>(), v = at.twist.head<3>(), w = at.twist.tail<3>();
  const Vec3 s_v = s.head<3>(), s_w = s.tail<3>();
  s_bar += A * at.rate;
  s_bar.head<3>() -= m_v.cross(w);
  s_bar.tail<3>() -= m_v.cross(v) + m_w.cross(w);
  bar.rate += A * s;
  bar.twist -= A * c;
  bar.twist.head<3>() -= s_w.cross(m_v);
  bar.twist.tail<3>() -= s_v.cross(m_v) + s_w.cross(m_w);
}

void drag_back(const LinkInWater& at, const Vec6& s, const double* z, LinkInWaterBar& bar, Vec6& s_bar) {
  for (Eigen::Index k = 0; k < 6; ++k) {
    const double speed = std::abs(at.twist[k]), linear = z[k], quadratic = z[6 + k];
    s_bar[k] += (linear + quadratic * speed) * at.twist[k];
    bar.twist[k] += (linear + 2 * quadratic * speed) * s[k];
  }
}

}  // namespace

Eigen::Index water_count(const dynamics::ArmColumns& columns) {
  return (columns.buoyancy ? buoyancy_numbers : 0) + (columns.added_mass ? added_numbers : 0) +
         (columns.drag ? drag_numbers : 0);
}

void water_row(const dynamics::ArmColumns& columns, const LinkInWater& at, const Vec6& s, double* out) {
  if (columns.buoyancy) {
    const Vec3 moments = at.g.cross(s.tail<3>());
    *out++ = s.head<3>().dot(at.g);
    for (Eigen::Index k = 0; k < 3; ++k) *out++ = moments[k];
  }
  if (columns.added_mass) {
    const Vec6 c = carried_by(at.twist, s);
    for (Eigen::Index k = 0; k < 6; ++k) {
      *out++ = s[k] * at.rate[k] - c[k] * at.twist[k];
      for (Eigen::Index l = k + 1; l < 6; ++l)
        *out++ = s[k] * at.rate[l] + s[l] * at.rate[k] - c[k] * at.twist[l] - c[l] * at.twist[k];
    }
  }
  if (!columns.drag) return;
  for (Eigen::Index k = 0; k < 6; ++k) *out++ = s[k] * at.twist[k];
  for (Eigen::Index k = 0; k < 6; ++k) *out++ = s[k] * std::abs(at.twist[k]) * at.twist[k];
}

void water_back(const dynamics::ArmColumns& columns, const LinkInWater& at, const Vec6& s, const double* z,
                LinkInWaterBar& bar, Vec6& s_bar) {
  if (columns.buoyancy) {
    buoyancy_back(at, s, z, bar, s_bar);
    z += buoyancy_numbers;
  }
  if (columns.added_mass) {
    added_back(at, s, symmetric_of(z), bar, s_bar);
    z += added_numbers;
  }
  if (columns.drag) drag_back(at, s, z, bar, s_bar);
}

}  // namespace fathom::excite::internal
