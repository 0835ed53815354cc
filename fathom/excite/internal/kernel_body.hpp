// Included by one source per instruction set, which defines FATHOM_KERNEL, the name of its Kernel.
#pragma once
#include "fathom/excite/internal/kernel.hpp"

namespace fathom::excite::internal {
namespace {

#define FATHOM_INLINE static inline __attribute__((always_inline))

// Eight lanes are a vector of the processor's own width, or pairs of halves: what is wider than its registers
// GCC keeps in memory.
#if defined(__AVX512F__)
#define FATHOM_WIDTH 64
#elif defined(__AVX__)
#define FATHOM_WIDTH 32
#else
#define FATHOM_WIDTH 16
#endif
typedef double Part __attribute__((vector_size(FATHOM_WIDTH)));
typedef long long PartBits __attribute__((vector_size(FATHOM_WIDTH)));

template <class Half>
struct Pair {
  Half low, high;
};
#define FATHOM_PAIRWISE(op)                                          \
  template <class Half>                                              \
  FATHOM_INLINE Pair<Half> operator op(Pair<Half> a, Pair<Half> b) { \
    return {a.low op b.low, a.high op b.high};                       \
  }
FATHOM_PAIRWISE(+)
FATHOM_PAIRWISE(-)
FATHOM_PAIRWISE(*)
FATHOM_PAIRWISE(&)
FATHOM_PAIRWISE(|)
FATHOM_PAIRWISE(^)
template <class Half>
FATHOM_INLINE Pair<Half> operator-(Pair<Half> a) {
  return {-a.low, -a.high};
}
template <class Half>
FATHOM_INLINE Pair<Half> operator~(Pair<Half> a) {
  return {~a.low, ~a.high};
}
template <class Half>
FATHOM_INLINE Pair<Half> operator<<(Pair<Half> a, int count) {
  return {a.low << count, a.high << count};
}
template <class Half>
FATHOM_INLINE void operator+=(Pair<Half>& a, Pair<Half> b) {
  a = a + b;
}

/// What differs between a vector and a pair of halves.
template <class Kind>
struct As {  // a vector
  typedef Kind Anywhere __attribute__((aligned(8), may_alias));
  FATHOM_INLINE Kind load(const double* p) { return *reinterpret_cast<const Anywhere*>(p); }
  FATHOM_INLINE void store(double* p, Kind v) { *reinterpret_cast<Anywhere*>(p) = v; }
  template <class Number>
  FATHOM_INLINE Kind all(Number v) {
    return v - Kind{};
  }
  template <class Other>
  FATHOM_INLINE Kind bits_of(Other v) {
    return (Kind)v;
  }
};
template <class Half>
struct As<Pair<Half>> {
  static constexpr int half = sizeof(Half) / sizeof(double);
  FATHOM_INLINE Pair<Half> load(const double* p) { return {As<Half>::load(p), As<Half>::load(p + half)}; }
  FATHOM_INLINE void store(double* p, Pair<Half> v) {
    As<Half>::store(p, v.low);
    As<Half>::store(p + half, v.high);
  }
  template <class Number>
  FATHOM_INLINE Pair<Half> all(Number v) {
    return {As<Half>::all(v), As<Half>::all(v)};
  }
  template <class Other>
  FATHOM_INLINE Pair<Half> bits_of(Other v) {
    return {As<Half>::bits_of(v.low), As<Half>::bits_of(v.high)};
  }
};

#if FATHOM_WIDTH == 64
typedef Part Lanes;
typedef PartBits Bits;
#elif FATHOM_WIDTH == 32
typedef Pair<Part> Lanes;
typedef Pair<PartBits> Bits;
#else
typedef Pair<Pair<Part>> Lanes;
typedef Pair<Pair<PartBits>> Bits;
#endif

FATHOM_INLINE Lanes load(const double* p) { return As<Lanes>::load(p); }
/// For what is used often: GCC would rather load it again each time, from two lines of the cache where the
/// column straddles them.
FATHOM_INLINE Lanes load_once(const double* p) {
  Lanes v = load(p);
#if FATHOM_WIDTH == 64
  asm("" : "+v"(v));
#endif
  return v;
}
FATHOM_INLINE void store(double* p, Lanes v) { As<Lanes>::store(p, v); }
template <bool Adds>
FATHOM_INLINE void put(double* p, Lanes v) {
  store(p, Adds ? load(p) + v : v);
}
FATHOM_INLINE Lanes all(double v) { return As<Lanes>::all(v); }
FATHOM_INLINE Bits all_bits(long long v) { return As<Bits>::all(v); }
FATHOM_INLINE Bits bits_of(Lanes v) { return As<Bits>::bits_of(v); }
FATHOM_INLINE Lanes lanes_of(Bits v) { return As<Lanes>::bits_of(v); }
constexpr long long sign_bit = static_cast<long long>(1ull << 63);
FATHOM_INLINE Lanes absolute(Lanes v) { return lanes_of(bits_of(v) & all_bits(~sign_bit)); }
FATHOM_INLINE Lanes with_sign_of(Lanes v, Lanes sign) {
  return lanes_of(bits_of(v) ^ (bits_of(sign) & all_bits(sign_bit)));
}
FATHOM_INLINE Lanes select(Bits mask, Lanes yes, Lanes no) {
  return lanes_of((mask & bits_of(yes)) | (~mask & bits_of(no)));
}

/// Both by Taylor series after reduction to |r| <= pi / 4 in three parts (Cody and Waite); good to 2e-16 for
/// |x| < 1e5, which angles of a path are.
FATHOM_INLINE void sine_cosine(Lanes x, Lanes& sine, Lanes& cosine) {
  const Lanes magic = all(6755399441055744.0);  // 1.5 * 2^52: adding it rounds to an integer in the low bits
  const Lanes shifted = x * all(0.63661977236758134308) + magic;
  const Bits quadrant = bits_of(shifted);
  const Lanes k = shifted - magic;
  // pi / 2 in parts of 33, 33 and 53 bits, so that k times the first two is exact.
  const Lanes r = ((x - k * all(0x1.921fb544p+0)) - k * all(0x1.0b4611a6p-34)) - k * all(0x1.3198a2e037073p-69);
  const Lanes r2 = r * r;
  Lanes s = all(1.0 / 355687428096000.0);
  s = s * r2 - all(1.0 / 1307674368000.0);
  s = s * r2 + all(1.0 / 6227020800.0);
  s = s * r2 - all(1.0 / 39916800.0);
  s = s * r2 + all(1.0 / 362880.0);
  s = s * r2 - all(1.0 / 5040.0);
  s = s * r2 + all(1.0 / 120.0);
  s = s * r2 - all(1.0 / 6.0);
  s = r + r * r2 * s;
  Lanes c = all(1.0 / 20922789888000.0);
  c = c * r2 - all(1.0 / 87178291200.0);
  c = c * r2 + all(1.0 / 479001600.0);
  c = c * r2 - all(1.0 / 3628800.0);
  c = c * r2 + all(1.0 / 40320.0);
  c = c * r2 - all(1.0 / 720.0);
  c = c * r2 + all(1.0 / 24.0);
  c = c * r2 - all(0.5);
  c = all(1.0) + r2 * c;
  const Bits odd = -(quadrant & all_bits(1));
  const Bits sine_sign = (quadrant & all_bits(2)) << 62;
  const Bits cosine_sign = ((quadrant + all_bits(1)) & all_bits(2)) << 62;
  sine = lanes_of(bits_of(select(odd, c, s)) ^ sine_sign);
  cosine = lanes_of(bits_of(select(odd, s, c)) ^ cosine_sign);
}

// Sums that wait for themselves keep a processor busy only several at a time: as many as its registers hold.

/// Columns [0, Count) at blocks [block, block + Blocks).
template <int Count, int Blocks>
FATHOM_INLINE void sample_blocks(const Table& table, int block, const double* const* c, double* const* out) {
  const int stride = table.points * lanes;
  const double* row = table.values + block * stride;
  Lanes sum[Blocks][Count];
  for (int k = 0; k < Count; ++k)
    for (int j = 0; j < Blocks; ++j) sum[j][k] = all(0);
  for (int point = 0; point < table.points; ++point, row += lanes) {
    Lanes b[Blocks];
    for (int j = 0; j < Blocks; ++j) b[j] = load(row + j * stride);
    for (int k = 0; k < Count; ++k)
      for (int j = 0; j < Blocks; ++j) sum[j][k] += b[j] * all(c[k][point]);
  }
  for (int k = 0; k < Count; ++k)
    for (int j = 0; j < Blocks; ++j) store(out[k] + (block + j) * lanes, sum[j][k]);
}

/// All columns at these blocks, whose part of the table is then read from memory once.
template <int Blocks>
FATHOM_INLINE void sample_columns(const Table& table, int block, const double* const* c, int count,
                                  double* const* out) {
  for (; count >= 4; count -= 4, c += 4, out += 4) sample_blocks<4, Blocks>(table, block, c, out);
  switch (count) {
    case 3: return sample_blocks<3, Blocks>(table, block, c, out);
    case 2: return sample_blocks<2, Blocks>(table, block, c, out);
    case 1: return sample_blocks<1, Blocks>(table, block, c, out);
  }
}

void sample(const Table& table, const double* const* c, int count, double* const* out) {
  int block = 0;
  for (; block + 2 <= table.blocks; block += 2) sample_columns<2>(table, block, c, count, out);
  if (block < table.blocks) sample_columns<1>(table, block, c, count, out);
}

/// Columns [0, Count) at points [point, point + Points).
template <int Count, int Points>
FATHOM_INLINE void sample_adjoint_points(const Table& table, int point, const double* const* out,
                                         double* const* sums) {
  const double* row = table.values + point * lanes;
  Lanes sum[Points][Count];
  for (int k = 0; k < Count; ++k)
    for (int i = 0; i < Points; ++i) sum[i][k] = load(sums[k] + (point + i) * lanes);
  for (int block = 0; block < table.blocks; ++block, row += table.points * lanes) {
    Lanes adjoint[Count];
    for (int k = 0; k < Count; ++k) adjoint[k] = load_once(out[k] + block * lanes);
    for (int i = 0; i < Points; ++i) {
      const Lanes b = load(row + i * lanes);
      for (int k = 0; k < Count; ++k) sum[i][k] += b * adjoint[k];
    }
  }
  for (int k = 0; k < Count; ++k)
    for (int i = 0; i < Points; ++i) store(sums[k] + (point + i) * lanes, sum[i][k]);
}

template <int Points>
FATHOM_INLINE void sample_adjoint_columns(const Table& table, int point, const double* const* out, int count,
                                          double* const* sums) {
  for (; count >= 4; count -= 4, out += 4, sums += 4) sample_adjoint_points<4, Points>(table, point, out, sums);
  switch (count) {
    case 3: return sample_adjoint_points<3, Points>(table, point, out, sums);
    case 2: return sample_adjoint_points<2, Points>(table, point, out, sums);
    case 1: return sample_adjoint_points<1, Points>(table, point, out, sums);
  }
}

void sample_adjoint(const Table& table, const double* const* out, int count, double* const* sums) {
  constexpr int many = FATHOM_WIDTH == 64 ? 3 : 1;
  int point = 0;
  for (; point + many <= table.points; point += many)
    sample_adjoint_columns<many>(table, point, out, count, sums);
  for (; point < table.points; ++point) sample_adjoint_columns<1>(table, point, out, count, sums);
}

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

constexpr int blocks_at_once = FATHOM_WIDTH / 8;

template <int Blocks>
struct Several {
  Lanes of[Blocks];
};

template <int Blocks>
FATHOM_INLINE void features_at(const Pairs& pairs, int block, Several<Blocks>* phi) {
  for (int f = 0; f < pairs.feature_count; ++f) {
    const Feature& feature = pairs.features[f];
    const double *a = pairs.base[feature.a] + block * lanes, *b = pairs.base[feature.b] + block * lanes;
    Lanes* to = phi[f].of;
    switch (feature.kind) {
      case Feature::plain:
        for (int j = 0; j < Blocks; ++j) to[j] = load(a + j * lanes);
        break;
      case Feature::product:
        for (int j = 0; j < Blocks; ++j) to[j] = load(a + j * lanes) * load(b + j * lanes);
        break;
      case Feature::absolute_product:
        for (int j = 0; j < Blocks; ++j) to[j] = absolute(load(a + j * lanes)) * load(b + j * lanes);
        break;
    }
  }
}

template <int Blocks>
FATHOM_INLINE void accumulate_blocks(const Pairs& pairs, int block, double* sum) {
  Several<Blocks> phi[most_features];
  features_at(pairs, block, phi);
  for (int f = 0; f < pairs.feature_count; ++f) {
    const Several<Blocks> first = phi[f];
    for (int k = pairs.begin[f]; k < pairs.begin[f + 1]; ++k, sum += lanes) {
      const Several<Blocks>& second = phi[pairs.second[k]];
      Lanes s = load(sum);
      for (int j = 0; j < Blocks; ++j) s += first.of[j] * second.of[j];
      store(sum, s);
    }
  }
}

void accumulate(const Pairs& pairs, int blocks, double* sums) {
  int block = 0;
  for (; block + blocks_at_once <= blocks; block += blocks_at_once)
    accumulate_blocks<blocks_at_once>(pairs, block, sums);
  for (; block < blocks; ++block) accumulate_blocks<1>(pairs, block, sums);
}

/// The derivative by one feature, handed on to what the feature is made of.
template <int Blocks>
FATHOM_INLINE void hand_on(const Pairs& pairs, const Feature& feature, int block, const Several<Blocks>& slope,
                           Several<Blocks>* base_adjoint) {
  Lanes *to_a = base_adjoint[feature.a].of, *to_b = base_adjoint[feature.b].of;
  const double *from_a = pairs.base[feature.a] + block * lanes, *from_b = pairs.base[feature.b] + block * lanes;
  for (int j = 0; j < Blocks; ++j) {
    if (feature.kind == Feature::plain) {
      to_a[j] += slope.of[j];
      continue;
    }
    const Lanes a = load(from_a + j * lanes), b = load(from_b + j * lanes);
    if (feature.kind == Feature::product) {
      to_a[j] += slope.of[j] * b;
      to_b[j] += slope.of[j] * a;
    } else {
      to_a[j] += with_sign_of(slope.of[j] * b, a);
      to_b[j] += slope.of[j] * absolute(a);
    }
  }
}

template <bool Adds, int Blocks>
FATHOM_INLINE void accumulate_adjoint_blocks(const Pairs& pairs, const Partners& partners, int block,
                                             double* const* adjoint) {
  Several<Blocks> phi[most_features], base_adjoint[most_base];
  features_at(pairs, block, phi);
  for (int b = 0; b < pairs.used_count; ++b)
    for (int j = 0; j < Blocks; ++j) base_adjoint[pairs.used[b]].of[j] = all(0);
  for (int f = 0; f < pairs.feature_count; ++f) {
    Several<Blocks> slope;
    for (int j = 0; j < Blocks; ++j) slope.of[j] = all(0);
    for (int k = partners.begin[f]; k < partners.begin[f + 1]; ++k) {
      const Several<Blocks>& other = phi[partners.other[k]];
      const Lanes weight = all(partners.weight[k]);
      for (int j = 0; j < Blocks; ++j) slope.of[j] += weight * other.of[j];
    }
    hand_on(pairs, pairs.features[f], block, slope, base_adjoint);
  }
  for (int b = 0; b < pairs.used_count; ++b)
    for (int j = 0; j < Blocks; ++j)
      put<Adds>(adjoint[pairs.used[b]] + (block + j) * lanes, base_adjoint[pairs.used[b]].of[j]);
}

template <bool Adds>
FATHOM_INLINE void accumulate_adjoint_of(const Pairs& pairs, const Partners& partners, int blocks,
                                         double* const* adjoint) {
  int block = 0;
  for (; block + blocks_at_once <= blocks; block += blocks_at_once)
    accumulate_adjoint_blocks<Adds, blocks_at_once>(pairs, partners, block, adjoint);
  for (; block < blocks; ++block) accumulate_adjoint_blocks<Adds, 1>(pairs, partners, block, adjoint);
}

void accumulate_adjoint(const Pairs& pairs, const Partners& partners, int blocks, double* const* adjoint,
                        Onto onto) {
  if (onto == Onto::what_is_there)
    accumulate_adjoint_of<true>(pairs, partners, blocks, adjoint);
  else
    accumulate_adjoint_of<false>(pairs, partners, blocks, adjoint);
}

/// Rows [row, row + Rows) of a b at columns [column, column + lanes).
template <int Rows>
FATHOM_INLINE void multiply_tile(const double* a, const double* b, int n, int stride, int row, int column,
                                 double* out) {
  Lanes sum[Rows];
  for (int i = 0; i < Rows; ++i) sum[i] = all(0);
  for (int k = 0; k < n; ++k) {
    const Lanes right = load(b + k * stride + column);
    for (int i = 0; i < Rows; ++i) sum[i] += all(a[k * stride + row + i]) * right;
  }
  for (int i = 0; i < Rows; ++i) store(out + (row + i) * stride + column, sum[i]);
}

void multiply(const double* a, const double* b, int n, int stride, double* out) {
  constexpr int rows = FATHOM_WIDTH / 8;
  for (int row = 0; row < stride; row += rows)
    for (int column = row / lanes * lanes; column < stride; column += lanes)
      multiply_tile<rows>(a, b, n, stride, row, column, out);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) out[i * stride + j] = out[j * stride + i];
}

}  // namespace

#define FATHOM_TEXT_OF(name) #name
#define FATHOM_TEXT(name) FATHOM_TEXT_OF(name)
const Kernel FATHOM_KERNEL = {
    FATHOM_TEXT(FATHOM_KERNEL), sample,  sample_adjoint, to_body, to_body_adjoint, accumulate,
    accumulate_adjoint,         multiply};

}  // namespace fathom::excite::internal
