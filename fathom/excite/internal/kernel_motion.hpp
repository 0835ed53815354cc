// From the world to the body and back: part of kernel_body.hpp.
#pragma once
#include "fathom/excite/internal/kernel_lanes.hpp"

namespace fathom::excite::internal {
namespace {

FATHOM_INLINE void yaw_to_body(const Columns& world, const BodyColumns& body, int at) {
  Lanes s, c;
  sine_cosine(load(world.pose[5] + at), s, c);
  const Lanes x1 = load(world.rate[0] + at), y1 = load(world.rate[1] + at), r = load(world.rate[5] + at);
  const Lanes x2 = load(world.acceleration[0] + at), y2 = load(world.acceleration[1] + at);
  const Lanes u = c * x1 + s * y1, v = c * y1 - s * x1;
  store(body.nu[0] + at, u);
  store(body.nu[1] + at, v);
  store(body.nu[5] + at, r);
  store(body.nu_dot[0] + at, c * x2 + s * y2 + r * v);
  store(body.nu_dot[1] + at, c * y2 - s * x2 - r * u);
  store(body.nu_dot[5] + at, load(world.acceleration[5] + at));
  store(body.down[2] + at, load(world.mask + at));
  store(body.nu[2] + at, load(world.rate[2] + at));
  store(body.nu_dot[2] + at, load(world.acceleration[2] + at));
}

template <bool Adds>
FATHOM_INLINE void yaw_to_body_adjoint(const Columns& world, const BodyColumns& body,
                                       const AdjointColumns& adjoint, int at) {
  Lanes s, c;
  sine_cosine(load(world.pose[5] + at), s, c);
  const Lanes u = load(body.nu[0] + at), v = load(body.nu[1] + at), r = load(body.nu[5] + at);
  const Lanes u2 = load(adjoint.nu_dot[0] + at), v2 = load(adjoint.nu_dot[1] + at);  // of u_dot, v_dot
  const Lanes u1 = load(adjoint.nu[0] + at) - v2 * r, v1 = load(adjoint.nu[1] + at) + u2 * r;
  put<Adds>(adjoint.rate[0] + at, c * u1 - s * v1);
  put<Adds>(adjoint.rate[1] + at, s * u1 + c * v1);
  put<Adds>(adjoint.acceleration[0] + at, c * u2 - s * v2);
  put<Adds>(adjoint.acceleration[1] + at, s * u2 + c * v2);
  put<Adds>(adjoint.rate[5] + at, load(adjoint.nu[5] + at) + u2 * v - v2 * u);
  put<Adds>(adjoint.acceleration[5] + at, load(adjoint.nu_dot[5] + at));
  const Lanes a = load(body.nu_dot[0] + at) - r * v, b = load(body.nu_dot[1] + at) + r * u;
  put<Adds>(adjoint.pose[5] + at, u1 * v - v1 * u + u2 * b - v2 * a);
  put<Adds>(adjoint.rate[2] + at, load(adjoint.nu[2] + at));
  put<Adds>(adjoint.acceleration[2] + at, load(adjoint.nu_dot[2] + at));
}

struct Triple {
  Lanes x, y, z;
};
FATHOM_INLINE Triple load3(const double* const* columns, int first, int at) {
  return {load(columns[first] + at), load(columns[first + 1] + at), load(columns[first + 2] + at)};
}
FATHOM_INLINE Triple load3(double* const* columns, int first, int at) {
  return {load(columns[first] + at), load(columns[first + 1] + at), load(columns[first + 2] + at)};
}
FATHOM_INLINE void store3(double* const* columns, int first, int at, Triple v) {
  store(columns[first] + at, v.x);
  store(columns[first + 1] + at, v.y);
  store(columns[first + 2] + at, v.z);
}
template <bool Adds>
FATHOM_INLINE void put3(double* const* columns, int first, int at, Triple v) {
  put<Adds>(columns[first] + at, v.x);
  put<Adds>(columns[first + 1] + at, v.y);
  put<Adds>(columns[first + 2] + at, v.z);
}
FATHOM_INLINE Triple operator+(Triple a, Triple b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
FATHOM_INLINE Triple operator-(Triple a, Triple b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
FATHOM_INLINE Triple cross(Triple a, Triple b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Sines and cosines of roll, pitch, yaw; R_nb from them and back.
struct Angles {
  Lanes s1, c1, s2, c2, s3, c3;

  FATHOM_INLINE Angles of(const Columns& world, int at) {
    Angles a;
    sine_cosine(load(world.pose[3] + at), a.s1, a.c1);
    sine_cosine(load(world.pose[4] + at), a.s2, a.c2);
    sine_cosine(load(world.pose[5] + at), a.s3, a.c3);
    return a;
  }
  __attribute__((always_inline)) Triple to_body(Triple v) const {
    const Lanes x = c3 * v.x + s3 * v.y, y = c3 * v.y - s3 * v.x;  // by yaw
    const Lanes x2 = c2 * x - s2 * v.z, z2 = s2 * x + c2 * v.z;    // by pitch
    return {x2, c1 * y + s1 * z2, c1 * z2 - s1 * y};               // by roll
  }
  __attribute__((always_inline)) Triple to_world(Triple v) const {
    const Lanes y = c1 * v.y - s1 * v.z, z = s1 * v.y + c1 * v.z;
    const Lanes x2 = c2 * v.x + s2 * z, z2 = c2 * z - s2 * v.x;
    return {c3 * x2 - s3 * y, s3 * x2 + c3 * y, z2};
  }
  /// E with omega_b = E (roll, pitch, yaw)_dot, Fossen 2011 eq. 2.26 inverted, and its transpose.
  __attribute__((always_inline)) Triple rates(Triple v) const {
    return {v.x - s2 * v.z, c1 * v.y + s1 * c2 * v.z, c1 * c2 * v.z - s1 * v.y};
  }
  __attribute__((always_inline)) Triple rates_transposed(Triple w) const {
    return {w.x, c1 * w.y - s1 * w.z, c2 * (s1 * w.y + c1 * w.z) - s2 * w.x};
  }
};

FATHOM_INLINE void angles_to_body(const Columns& world, const BodyColumns& body, int at) {
  const Angles e = Angles::of(world, at);
  const Triple v = e.to_body(load3(world.rate, 0, at)), a = e.to_body(load3(world.acceleration, 0, at));
  const Triple d = load3(world.rate, 3, at), dd = load3(world.acceleration, 3, at);
  const Triple w = e.rates(d);
  // E_dot d, term by term.
  const Triple drift = {-e.c2 * d.y * d.z, -e.s1 * d.x * d.y + d.z * (e.c1 * e.c2 * d.x - e.s1 * e.s2 * d.y),
                        -e.c1 * d.x * d.y - d.z * (e.s1 * e.c2 * d.x + e.c1 * e.s2 * d.y)};
  store3(body.nu, 0, at, v);
  store3(body.nu, 3, at, w);
  store3(body.nu_dot, 0, at, a - cross(w, v));
  store3(body.nu_dot, 3, at, e.rates(dd) + drift);
  const Lanes mask = load(world.mask + at);
  store3(body.down, 0, at, {-e.s2 * mask, e.s1 * e.c2 * mask, e.c1 * e.c2 * mask});
}

template <bool Adds>
FATHOM_INLINE void angles_to_body_adjoint(const Columns& world, const BodyColumns& body,
                                          const AdjointColumns& adjoint, int at) {
  const Angles e = Angles::of(world, at);
  const Triple v = load3(body.nu, 0, at), w = load3(body.nu, 3, at), w_dot = load3(body.nu_dot, 3, at);
  const Triple a = load3(body.nu_dot, 0, at) + cross(w, v), down = load3(body.down, 0, at);
  const Triple d = load3(world.rate, 3, at), dd = load3(world.acceleration, 3, at);
  const Triple A = load3(adjoint.nu_dot, 0, at), W2 = load3(adjoint.nu_dot, 3, at);
  const Triple V = load3(adjoint.nu, 0, at) + cross(w, A);
  const Triple W = load3(adjoint.nu, 3, at) - cross(v, A);
  put3<Adds>(adjoint.rate, 0, at, e.to_world(V));
  put3<Adds>(adjoint.acceleration, 0, at, e.to_world(A));
  // A small turn E da of the body moves a body vector b by b x (E da).
  const Triple turn = e.rates_transposed(cross(V, v) + cross(A, a) + cross(load3(adjoint.down, 0, at), down));
  const Lanes s1 = e.s1, c1 = e.c1, s2 = e.s2, c2 = e.c2;
  const Lanes roll = W.y * w.z - W.z * w.y + W2.y * w_dot.z - W2.z * w_dot.y;
  const Lanes pitch = -d.z * (W.x * c2 + W.y * s1 * s2 + W.z * c1 * s2) + W2.x * (s2 * d.y * d.z - c2 * dd.z) -
                      W2.y * (s1 * s2 * dd.z + d.z * (c1 * s2 * d.x + s1 * c2 * d.y)) -
                      W2.z * (c1 * s2 * dd.z + d.z * (c1 * c2 * d.y - s1 * s2 * d.x));
  put3<Adds>(adjoint.pose, 3, at, turn + Triple{roll, pitch, all(0)});
  const Triple by_rate = {
      W2.y * w.z - W2.z * w.y, -W2.x * c2 * d.z - W2.y * s1 * (d.x + s2 * d.z) - W2.z * c1 * (d.x + s2 * d.z),
      -W2.x * c2 * d.y + W2.y * (c1 * c2 * d.x - s1 * s2 * d.y) - W2.z * (s1 * c2 * d.x + c1 * s2 * d.y)};
  put3<Adds>(adjoint.rate, 3, at, e.rates_transposed(W) + by_rate);
  put3<Adds>(adjoint.acceleration, 3, at, e.rates_transposed(W2));
}

void to_body(const Columns& world, const BodyColumns& body, int blocks, bool all_angles) {
  if (all_angles)
    for (int block = 0; block < blocks; ++block) angles_to_body(world, body, block * lanes);
  else
    for (int block = 0; block < blocks; ++block) yaw_to_body(world, body, block * lanes);
}

template <bool Adds>
FATHOM_INLINE void to_body_adjoint_of(const Columns& world, const BodyColumns& body,
                                      const AdjointColumns& adjoint, int blocks, bool all_angles) {
  if (all_angles)
    for (int block = 0; block < blocks; ++block)
      angles_to_body_adjoint<Adds>(world, body, adjoint, block * lanes);
  else
    for (int block = 0; block < blocks; ++block) yaw_to_body_adjoint<Adds>(world, body, adjoint, block * lanes);
}

void to_body_adjoint(const Columns& world, const BodyColumns& body, const AdjointColumns& adjoint, int blocks,
                     bool all_angles, Onto onto) {
  if (onto == Onto::what_is_there)
    to_body_adjoint_of<true>(world, body, adjoint, blocks, all_angles);
  else
    to_body_adjoint_of<false>(world, body, adjoint, blocks, all_angles);
}

}  // namespace
}  // namespace fathom::excite::internal
