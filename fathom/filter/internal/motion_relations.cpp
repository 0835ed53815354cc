// Relates velocities that are added up to depths and positions, specific forces to velocities, and depths to
// positions: docs/filters.md eqs. 30 and 31.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "fathom/filter/internal/relation_sums.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::filter::internal {

namespace {

constexpr double substep = 0.05;    // s of the integral, by the midpoint
constexpr double shortest_gap = 1;  // s without a sample of the rate; then the offset is unknown again
constexpr double gap_in_steps = 3;  // the same in usual steps
constexpr double gravity = 9.81;    // m/s^2; another place's is a constant error of the vertical force
using Columns = Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, 20>;

/// Second derivatives by the error of the attitude.
const RelationSums::Pairs tilt_pairs = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

/// Exp(-d) x at d = 0: its slopes and its second derivatives in the order of tilt_pairs.
Mat3 turned(const Vec3& x) { return skew(x); }  // column i is -e_i x x
Eigen::Matrix<double, 3, 6> turned_twice(const Vec3& x) {
  Eigen::Matrix<double, 3, 6> second;
  for (std::size_t p = 0; p < tilt_pairs.size(); ++p) {
    const Vec3 a = Vec3::Unit(tilt_pairs[p].first), b = Vec3::Unit(tilt_pairs[p].second);
    second.col(static_cast<Eigen::Index>(p)) = 0.5 * (a.cross(b.cross(x)) + b.cross(a.cross(x)));
  }
  return second;
}

Eigen::Index place(const Series& series, const ConstantErrors& errors) {
  return errors.place(series.kind, static_cast<std::size_t>(series.number));
}

void append(std::vector<Eigen::Index>& which, Eigen::Index at, Eigen::Index count) {
  for (Eigen::Index k = 0; k < count; ++k) which.push_back(at + k);
}

/// Adds up a vector in b, given at the samples of `rate` with its slopes by the attitude's error in columns 1
/// to 3, in n, and calls `observe(s, i, sum)` at sample i of series s of `observed`, `wander(variance)` with
/// what noise adds to the sum in between, by axis of n, and `lose()` where a gap loses it.
template <class Make, class Observe, class Wander, class Lose>
void add_up(const Series& rate, const std::vector<const Series*>& observed, const AttitudeTrack& attitude,
            const Make& make, const Observe& observe, const Wander& wander, const Lose& lose) {
  const double longest = std::max(shortest_gap, gap_in_steps * usual_step(rate));
  const Vec3 variance_b = rate.readings->sigma.cwiseAbs2();
  std::vector<std::size_t> next(observed.size(), 0);
  const auto skip_to = [&](double t) {
    for (std::size_t s = 0; s < observed.size(); ++s)
      while (next[s] < observed[s]->size() && (!observed[s]->usable[next[s]] || observed[s]->t(next[s]) <= t))
        ++next[s];
  };
  bool begins = true;
  double t_before = 0;
  Columns before, after, here, sum;
  for (std::size_t k = 0; k < rate.size(); ++k) {
    if (!rate.usable[k]) continue;
    const double t_after = rate.t(k), step = t_after - t_before;
    after = make(k);
    if (begins || step > longest || !(step > 0)) {
      skip_to(t_after);
      lose();
      sum.setZero(3, after.cols());
    } else {
      for (double t = t_before; t < t_after;) {
        double until = std::min(t + substep, t_after);
        for (std::size_t s = 0; s < observed.size(); ++s)
          if (next[s] < observed[s]->size()) until = std::min(until, std::max(t, observed[s]->t(next[s])));
        const double h = until - t, share = (t + 0.5 * h - t_before) / step;
        if (h > 0) {
          const Mat3 R_nb = attitude.at(t + 0.5 * h).q_nb.toRotationMatrix();
          here.noalias() = R_nb * ((1 - share) * before + share * after);
          sum += h * here;
          // Noise of the sensor itself, and of the attitude that turns it.
          wander(Vec3(h * (step * (R_nb.cwiseAbs2() * variance_b) +
                           here.middleCols<3>(1).cwiseAbs2() * attitude.noise_b)));
        }
        t = until;
        for (std::size_t s = 0; s < observed.size(); ++s)
          for (; next[s] < observed[s]->size() && observed[s]->t(next[s]) <= t; ++next[s])
            if (observed[s]->usable[next[s]]) observe(s, next[s], sum);
      }
    }
    begins = false;
    t_before = t_after;
    before = after;
  }
}

/// The velocity in b of the point `away` from where it was measured: value, slopes by the attitude's error, and
/// its second derivatives.
struct PointVelocity {
  Vec3 value;
  Mat3 slopes;
  Eigen::Matrix<double, 3, 6> second;
};
PointVelocity velocity_at(const Vec3& measured, const Vec3& omega_b, const Vec3& away_b) {
  // Exp(-d) measured + omega x Exp(-d) away
  return {measured + omega_b.cross(away_b), turned(measured) + skew(omega_b) * turned(away_b),
          turned_twice(measured)};
}

/// Relates errors of the attitude (3), its heading and the velocity (3): docs/filters.md eq. 30.
FoundRelation place_relation(const Series& velocity, const std::vector<const Series*>& observed,
                             const AttitudeTrack& attitude, const ConstantErrors& errors) {
  std::vector<Eigen::Index> which;
  append(which, errors.place(Kind::attitude, errors.reference()), 4);
  append(which, place(velocity, errors), 3);
  RelationSums::Pairs pairs = tilt_pairs;
  pairs.emplace_back(3, 3);
  RelationSums sums(std::move(which), std::move(pairs), 3 * static_cast<int>(observed.size()), errors);
  std::vector<Offset> offsets(3 * observed.size());
  std::vector<std::optional<Vec3>> origins(observed.size());
  const auto make = [&](std::size_t k) {
    const PointVelocity v =
        velocity_at(velocity.value(k), attitude.at(velocity.t(k)).omega_b, -velocity.readings->lever_b);
    Columns columns(3, sums.columns());
    columns << v.value, v.slopes, Vec3::Zero(), -Mat3::Identity(), v.second, Vec3::Zero();
    return columns;
  };
  RelationSums::Row z;
  const auto observe = [&](std::size_t s, std::size_t i, const Columns& sum) {
    const Series& one = *observed[s];
    const Mat3 R_nb = attitude.at(one.t(i)).q_nb.toRotationMatrix();
    const Vec3& lever_b = one.readings->lever_b;
    const bool is_depth = one.kind == Kind::depth;
    Vec3 at = Vec3::Zero();
    if (is_depth)
      at[2] = one.value(i)[0];
    else
      at = one.value(i);
    if (!origins[s]) origins[s] = at;
    at -= *origins[s];
    const Vec3 arm = R_nb * lever_b;
    const Mat3 by_tilt = -R_nb * turned(lever_b);  // of -R Exp(-d) lever
    for (Eigen::Index axis = is_depth ? 2 : 0; axis < 3; ++axis) {
      z = -sum.row(axis);
      z[0] += at[axis] - arm[axis];
      z.segment<3>(1) += by_tilt.row(axis);
      if (axis == 0) z[4] -= at.y();
      if (axis == 1) z[4] += at.x();
      if (axis < 2) z[z.size() - 1] -= at[axis];
      const double sigma = one.sigma(is_depth ? 0 : axis);
      const auto channel = static_cast<Eigen::Index>(3 * s) + axis;
      offsets[static_cast<std::size_t>(channel)].take(sums, static_cast<int>(channel), one.t(i), z,
                                                      sigma * sigma);
    }
  };
  add_up(
      velocity, observed, attitude, make, observe,
      [&](const Vec3& variance) {
        for (std::size_t c = 0; c < offsets.size(); ++c)
          offsets[c].wander(variance[static_cast<Eigen::Index>(c % 3)]);
      },
      [&] {
        for (Offset& offset : offsets) offset.restart();
      });
  std::vector<std::string> series{velocity.name};
  for (const Series* one : observed) series.push_back(one->name);
  return sums.result(std::move(series));
}

/// Relates errors of the attitude (3), the velocity (3) and the force (3): docs/filters.md eq. 31.
FoundRelation force_relation(const Series& force, const Series& velocity, const AttitudeTrack& attitude,
                             const ConstantErrors& errors) {
  std::vector<Eigen::Index> which;
  append(which, errors.place(Kind::attitude, errors.reference()), 3);
  append(which, place(velocity, errors), 3);
  append(which, place(force, errors), 3);
  RelationSums sums(std::move(which), tilt_pairs, 3, errors);
  std::array<Offset, 3> offsets;
  const auto make = [&](std::size_t k) {
    const Vec3 f = force.value(k);
    Columns columns(3, sums.columns());
    columns << f, turned(f), Mat3::Zero(), -Mat3::Identity(), turned_twice(f);
    return columns;
  };
  RelationSums::Row z;
  const Vec3 away_b = force.readings->lever_b - velocity.readings->lever_b;
  const double begin = force.size() > 0 ? force.t(0) : 0;
  const auto observe = [&](std::size_t, std::size_t i, const Columns& sum) {
    const AttitudeTrack::At at = attitude.at(velocity.t(i));
    const Mat3 R_nb = at.q_nb.toRotationMatrix();
    const PointVelocity v = velocity_at(velocity.value(i), at.omega_b, away_b);
    const Vec3 variance = R_nb.cwiseAbs2() * velocity.readings->sigma.cwiseAbs2();
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
      const auto row = R_nb.row(axis);
      z = -sum.row(axis);
      z[0] += row.dot(v.value);
      z.segment<3>(1) += row * v.slopes;
      z.segment<3>(4) -= row;
      z.tail<6>() += row * v.second;
      if (axis == 2) z[0] -= gravity * (velocity.t(i) - begin);
      offsets[static_cast<std::size_t>(axis)].take(sums, static_cast<int>(axis), velocity.t(i), z,
                                                   variance[axis]);
    }
  };
  add_up(
      force, {&velocity}, attitude, make, observe,
      [&](const Vec3& variance) {
        for (std::size_t axis = 0; axis < 3; ++axis)
          offsets[axis].wander(variance[static_cast<Eigen::Index>(axis)]);
      },
      [&] {
        for (Offset& offset : offsets) offset.restart();
      });
  return sums.result({force.name, velocity.name});
}

/// Relates errors of the depth and of the position's vertical, at the position's times: docs/filters.md eq. 30.
FoundRelation depth_relation(const Series& depth, const Series& position, const AttitudeTrack& attitude,
                             const ConstantErrors& errors) {
  std::vector<Eigen::Index> which;
  append(which, place(depth, errors), 1);
  append(which, place(position, errors) + 2, 1);
  RelationSums sums(std::move(which), {}, 1, errors);
  const double longest = std::max(shortest_gap, gap_in_steps * usual_step(depth));
  const auto down = [&](const Series& one, std::size_t i) {
    const double arm = (attitude.at(one.t(i)).q_nb * one.readings->lever_b).z();
    return (one.kind == Kind::depth ? one.value(i)[0] : one.value(i)[2]) - arm;
  };
  RelationSums::Row y(3);
  std::size_t k = 0;
  for (std::size_t i = 0; i < position.size(); ++i) {
    const double t = position.t(i);
    while (k + 1 < depth.size() && depth.t(k + 1) <= t) ++k;
    if (!position.usable[i] || k + 1 >= depth.size() || depth.t(k) > t) continue;
    const double h = depth.t(k + 1) - depth.t(k);
    if (!(depth.usable[k] && depth.usable[k + 1] && h > 0 && h <= longest)) continue;
    const double share = (t - depth.t(k)) / h;
    y << (1 - share) * down(depth, k) + share * down(depth, k + 1) - down(position, i), -1, 1;
    sums.add(0, t, y, depth.sigma(0) * depth.sigma(0) + position.sigma(2) * position.sigma(2));
  }
  return sums.result({depth.name, position.name});
}

}  // namespace

std::vector<FoundRelation> motion_relations(const std::vector<Series>& moving,
                                            const std::vector<Series>& forces, const AttitudeTrack& attitude,
                                            const ConstantErrors& errors) {
  std::vector<FoundRelation> found;
  std::vector<const Series*> places;
  for (const Series& one : moving)
    if (one.kind != Kind::velocity) places.push_back(&one);
  for (const Series& one : moving) {
    if (one.kind == Kind::velocity) {
      if (!places.empty()) found.push_back(place_relation(one, places, attitude, errors));
      for (const Series& force : forces) found.push_back(force_relation(force, one, attitude, errors));
    }
    if (one.kind != Kind::depth) continue;
    for (const Series& other : moving)
      if (other.kind == Kind::position) found.push_back(depth_relation(one, other, attitude, errors));
  }
  return found;
}

}  // namespace fathom::filter::internal
