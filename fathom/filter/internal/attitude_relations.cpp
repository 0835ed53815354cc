// Relates attitudes to each other, and to the angles that gyros add up to: docs/filters.md eqs. 28 and 29.
#include <algorithm>
#include <cmath>

#include "fathom/base/constants.hpp"
#include "fathom/filter/internal/relation_sums.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::filter::internal {

namespace {

constexpr double angle_window = 2;       // s over which a gyro is added up: far enough to turn
constexpr double shortest_stride = 0.1;  // s between the beginnings of windows
constexpr double rate_bias = 0.5;        // rad/s, prior sigma of a gyro's bias

/// The angles of a gyro, added up along stretches without a gap.
class AddedUp {
 public:
  explicit AddedUp(const Series& rate) : longest_(5 * usual_step(rate)) {
    Mat3 sum = Mat3::Zero();
    Quat q = Quat::Identity();
    int stretch = 0;
    Vec3 before = Vec3::Zero();
    for (std::size_t k = 0; k < rate.size(); ++k) {
      if (!rate.usable[k]) continue;
      const Vec3 omega = rate.value(k);
      if (!t_.empty()) {
        const double h = rate.t(k) - t_.back();
        if (h > longest_) ++stretch;
        sum += h * q.toRotationMatrix();
        q = (q * exp_rotation(0.5 * h * (before + omega))).normalized();
      }
      before = omega;
      t_.push_back(rate.t(k));
      at_.push_back({q, sum, omega, stretch});
    }
  }

  struct At {
    Quat q;
    Mat3 sum;  ///< of q over time
    Vec3 omega;
    int stretch;
  };
  /// Stretch -1: not covered.
  At at(double t) const {
    const auto after = std::upper_bound(t_.begin(), t_.end(), t) - t_.begin();
    if (after == 0 || after == static_cast<std::ptrdiff_t>(t_.size())) return {{}, {}, {}, -1};
    const auto k = static_cast<std::size_t>(after - 1);
    At here = at_[k];
    if (at_[k + 1].stretch != here.stretch) return {{}, {}, {}, -1};
    const double h = t - t_[k], share = h / std::max(same_time, t_[k + 1] - t_[k]);
    const Vec3 omega = here.omega + 0.5 * share * (at_[k + 1].omega - here.omega);
    here.sum += h * here.q.toRotationMatrix();
    here.q = here.q * exp_rotation(h * omega);
    return here;
  }

 private:
  double longest_;
  std::vector<double> t_;
  std::vector<At> at_;
};

/// docs/filters.md eq. 28: over a window, Log(Delta_gyro' Delta_attitude) = (I - Delta') (e + m) - (what the
/// bias adds).
FoundRelation gyro_relation(const Series& attitude, const Series& rate, const ConstantErrors& errors) {
  const AddedUp gyro(rate);
  std::vector<Eigen::Index> which;
  for (const Series* one : {&attitude, &rate})
    for (Eigen::Index axis = 0; axis < 3; ++axis)
      which.push_back(errors.place(one->kind, static_cast<std::size_t>(one->number)) + axis);
  RelationSums sums(std::move(which), {}, 3, errors, 3, rate_bias);
  RelationSums::Row y(sums.columns());
  const double step = usual_step(rate);
  double last = -infinity;
  std::size_t first = 0;
  for (std::size_t k = 0; k < attitude.size(); ++k) {
    const double t = attitude.t(k);
    if (!attitude.usable[k] || t < last + shortest_stride) continue;
    while (first < k && (attitude.t(first) < t - angle_window || !attitude.usable[first])) ++first;
    const double length = t - attitude.t(first);
    if (length < 0.5 * angle_window) continue;
    const AddedUp::At from = gyro.at(attitude.t(first)), until = gyro.at(t);
    if (from.stretch < 0 || from.stretch != until.stretch) continue;
    // Windows overlap: they share the gyro's noise.
    const double overlap = std::max(1.0, length / (t - last));
    last = t;
    const Quat turned = from.q.conjugate() * until.q;
    const Vec3 z =
        log_rotation(turned.conjugate() * attitude.quaternion(first).conjugate() * attitude.quaternion(k));
    const Mat3 across = Mat3::Identity() - turned.conjugate().toRotationMatrix();
    const Mat3 by_bias = until.q.conjugate().toRotationMatrix() * (until.sum - from.sum);
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
      y << z[axis], -across.row(axis), -across.row(axis), by_bias.row(axis);
      const double sigma_a = attitude.sigma(axis), sigma_g = rate.sigma(axis);
      sums.add(static_cast<int>(axis), t, y,
               2 * sigma_a * sigma_a + sigma_g * sigma_g * step * length * overlap);
    }
  }
  return sums.result({attitude.name, rate.name});
}

/// docs/filters.md eq. 29: Log(R_reference' R_i) = e_i - e_reference + R' z (heading_i - heading_reference).
FoundRelation pair_relation(const Series& reference, const Series& other, const ConstantErrors& errors) {
  std::vector<Eigen::Index> which;
  for (const Series* one : {&reference, &other})
    for (Eigen::Index k = 0; k < 4; ++k)
      which.push_back(errors.place(Kind::attitude, static_cast<std::size_t>(one->number)) + k);
  RelationSums sums(std::move(which), {}, 3, errors);
  const double longest = std::max(0.5, 3 * usual_step(reference));
  std::size_t k = 0;
  for (std::size_t m = 0; m < other.size(); ++m) {
    if (!other.usable[m]) continue;
    const double t = other.t(m);
    while (k + 1 < reference.size() && reference.t(k + 1) <= t) ++k;
    if (k + 1 >= reference.size() || reference.t(k) > t) continue;
    const double h = reference.t(k + 1) - reference.t(k);
    if (!(h > 0 && h <= longest && reference.usable[k] && reference.usable[k + 1])) continue;
    const Quat q0 = reference.quaternion(k);
    const Vec3 step = log_rotation(q0.conjugate() * reference.quaternion(k + 1));
    const Quat q = q0 * exp_rotation((t - reference.t(k)) / h * step);
    const Vec3 z = log_rotation(q.conjugate() * other.quaternion(m)), down = q.conjugate() * Vec3::UnitZ();
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
      RelationSums::Row y = RelationSums::Row::Zero(sums.columns());
      y[0] = z[axis];
      y[1 + axis] = 1;
      y[4] = down[axis];
      y[5 + axis] = -1;
      y[8] = -down[axis];
      sums.add(static_cast<int>(axis), t, y,
               std::pow(reference.sigma(axis), 2) + std::pow(other.sigma(axis), 2));
    }
  }
  return sums.result({reference.name, other.name});
}

}  // namespace

std::vector<FoundRelation> attitude_relations(const std::vector<Series>& turning,
                                              const ConstantErrors& errors) {
  std::vector<FoundRelation> found;
  const auto& reference = *std::find_if(turning.begin(), turning.end(), [&](const Series& one) {
    return one.kind == Kind::attitude && static_cast<std::size_t>(one.number) == errors.reference();
  });
  for (const Series& one : turning) {
    if (one.kind != Kind::attitude) continue;
    if (&one != &reference) found.push_back(pair_relation(reference, one, errors));
    for (const Series& other : turning)
      if (other.kind == Kind::rate) found.push_back(gyro_relation(one, other, errors));
  }
  return found;
}

}  // namespace fathom::filter::internal
