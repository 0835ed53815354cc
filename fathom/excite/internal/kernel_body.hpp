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
FATHOM_INLINE void store(double* p, Lanes v) { As<Lanes>::store(p, v); }
FATHOM_INLINE void add_to(double* p, Lanes v) { store(p, load(p) + v); }
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

// Loops over samples take two blocks at a time where there are two: what both need is loaded once.

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

template <int Count>
FATHOM_INLINE void sample_of(const Table& table, const double* const* c, double* const* out) {
  int block = 0;
  for (; block + 2 <= table.blocks; block += 2) sample_blocks<Count, 2>(table, block, c, out);
  if (block < table.blocks) sample_blocks<Count, 1>(table, block, c, out);
}

void sample(const Table& table, const double* const* c, int count, double* const* out) {
  switch (count) {
    case 1: return sample_of<1>(table, c, out);
    case 2: return sample_of<2>(table, c, out);
    case 3: return sample_of<3>(table, c, out);
    case 4: return sample_of<4>(table, c, out);
    case 5: return sample_of<5>(table, c, out);
    default: return sample_of<6>(table, c, out);
  }
}

template <int Count, int Blocks>
FATHOM_INLINE void sample_adjoint_blocks(const Table& table, int block, const double* const* out, double* sums,
                                         int stride_of_sums) {
  const int stride = table.points * lanes;
  const double* row = table.values + block * stride;
  Lanes adjoint[Blocks][Count];
  for (int k = 0; k < Count; ++k)
    for (int j = 0; j < Blocks; ++j) adjoint[j][k] = load(out[k] + (block + j) * lanes);
  for (int point = 0; point < table.points; ++point, row += lanes, sums += stride_of_sums) {
    Lanes b[Blocks];
    for (int j = 0; j < Blocks; ++j) b[j] = load(row + j * stride);
    for (int k = 0; k < Count; ++k) {
      Lanes sum = load(sums + k * lanes);
      for (int j = 0; j < Blocks; ++j) sum += b[j] * adjoint[j][k];
      store(sums + k * lanes, sum);
    }
  }
}

template <int Count>
FATHOM_INLINE void sample_adjoint_of(const Table& table, const double* const* out, double* sums, int stride) {
  int block = 0;
  for (; block + 2 <= table.blocks; block += 2)
    sample_adjoint_blocks<Count, 2>(table, block, out, sums, stride);
  if (block < table.blocks) sample_adjoint_blocks<Count, 1>(table, block, out, sums, stride);
}

void sample_adjoint(const Table& table, const double* const* out, int count, double* sums, int stride) {
  switch (count) {
    case 1: return sample_adjoint_of<1>(table, out, sums, stride);
    case 2: return sample_adjoint_of<2>(table, out, sums, stride);
    case 3: return sample_adjoint_of<3>(table, out, sums, stride);
    case 4: return sample_adjoint_of<4>(table, out, sums, stride);
    case 5: return sample_adjoint_of<5>(table, out, sums, stride);
    default: return sample_adjoint_of<6>(table, out, sums, stride);
  }
}

/// Seed 000 eq. 10 and its derivative, with yaw alone.
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

FATHOM_INLINE void yaw_to_body_adjoint(const Columns& world, const BodyColumns& body,
                                       const AdjointColumns& adjoint, int at) {
  Lanes s, c;
  sine_cosine(load(world.pose[5] + at), s, c);
  const Lanes u = load(body.nu[0] + at), v = load(body.nu[1] + at), r = load(body.nu[5] + at);
  const Lanes u2 = load(adjoint.nu_dot[0] + at), v2 = load(adjoint.nu_dot[1] + at);  // of u_dot, v_dot
  const Lanes u1 = load(adjoint.nu[0] + at) - v2 * r, v1 = load(adjoint.nu[1] + at) + u2 * r;
  add_to(adjoint.rate[0] + at, c * u1 - s * v1);
  add_to(adjoint.rate[1] + at, s * u1 + c * v1);
  add_to(adjoint.acceleration[0] + at, c * u2 - s * v2);
  add_to(adjoint.acceleration[1] + at, s * u2 + c * v2);
  add_to(adjoint.rate[5] + at, load(adjoint.nu[5] + at) + u2 * v - v2 * u);
  add_to(adjoint.acceleration[5] + at, load(adjoint.nu_dot[5] + at));
  const Lanes a = load(body.nu_dot[0] + at) - r * v, b = load(body.nu_dot[1] + at) + r * u;
  add_to(adjoint.pose[5] + at, u1 * v - v1 * u + u2 * b - v2 * a);
  add_to(adjoint.rate[2] + at, load(adjoint.nu[2] + at));
  add_to(adjoint.acceleration[2] + at, load(adjoint.nu_dot[2] + at));
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
FATHOM_INLINE void add3(double* const* columns, int first, int at, Triple v) {
  add_to(columns[first] + at, v.x);
  add_to(columns[first + 1] + at, v.y);
  add_to(columns[first + 2] + at, v.z);
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

FATHOM_INLINE void angles_to_body_adjoint(const Columns& world, const BodyColumns& body,
                                          const AdjointColumns& adjoint, int at) {
  const Angles e = Angles::of(world, at);
  const Triple v = load3(body.nu, 0, at), w = load3(body.nu, 3, at), w_dot = load3(body.nu_dot, 3, at);
  const Triple a = load3(body.nu_dot, 0, at) + cross(w, v), down = load3(body.down, 0, at);
  const Triple d = load3(world.rate, 3, at), dd = load3(world.acceleration, 3, at);
  const Triple A = load3(adjoint.nu_dot, 0, at), W2 = load3(adjoint.nu_dot, 3, at);
  const Triple V = load3(adjoint.nu, 0, at) + cross(w, A);
  const Triple W = load3(adjoint.nu, 3, at) - cross(v, A);
  add3(adjoint.rate, 0, at, e.to_world(V));
  add3(adjoint.acceleration, 0, at, e.to_world(A));
  // A small turn E da of the body moves a body vector b by b x (E da).
  const Triple turn = e.rates_transposed(cross(V, v) + cross(A, a) + cross(load3(adjoint.down, 0, at), down));
  const Lanes s1 = e.s1, c1 = e.c1, s2 = e.s2, c2 = e.c2;
  const Lanes roll = W.y * w.z - W.z * w.y + W2.y * w_dot.z - W2.z * w_dot.y;
  const Lanes pitch = -d.z * (W.x * c2 + W.y * s1 * s2 + W.z * c1 * s2) + W2.x * (s2 * d.y * d.z - c2 * dd.z) -
                      W2.y * (s1 * s2 * dd.z + d.z * (c1 * s2 * d.x + s1 * c2 * d.y)) -
                      W2.z * (c1 * s2 * dd.z + d.z * (c1 * c2 * d.y - s1 * s2 * d.x));
  add3(adjoint.pose, 3, at, turn + Triple{roll, pitch, all(0)});
  const Triple by_rate = {
      W2.y * w.z - W2.z * w.y, -W2.x * c2 * d.z - W2.y * s1 * (d.x + s2 * d.z) - W2.z * c1 * (d.x + s2 * d.z),
      -W2.x * c2 * d.y + W2.y * (c1 * c2 * d.x - s1 * s2 * d.y) - W2.z * (s1 * c2 * d.x + c1 * s2 * d.y)};
  add3(adjoint.rate, 3, at, e.rates_transposed(W) + by_rate);
  add3(adjoint.acceleration, 3, at, e.rates_transposed(W2));
}

void to_body(const Columns& world, const BodyColumns& body, int blocks, bool all_angles) {
  if (all_angles)
    for (int block = 0; block < blocks; ++block) angles_to_body(world, body, block * lanes);
  else
    for (int block = 0; block < blocks; ++block) yaw_to_body(world, body, block * lanes);
}

void to_body_adjoint(const Columns& world, const BodyColumns& body, const AdjointColumns& adjoint, int blocks,
                     bool all_angles) {
  if (all_angles)
    for (int block = 0; block < blocks; ++block) angles_to_body_adjoint(world, body, adjoint, block * lanes);
  else
    for (int block = 0; block < blocks; ++block) yaw_to_body_adjoint(world, body, adjoint, block * lanes);
}

FATHOM_INLINE void features_at(const Pairs& pairs, int at, Lanes* phi) {
  for (int f = 0; f < pairs.feature_count; ++f) {
    const Feature& feature = pairs.features[f];
    const Lanes a = load(pairs.base[feature.a] + at);
    switch (feature.kind) {
      case Feature::plain: phi[f] = a; break;
      case Feature::product: phi[f] = a * load(pairs.base[feature.b] + at); break;
      case Feature::absolute_product: phi[f] = absolute(a) * load(pairs.base[feature.b] + at); break;
    }
  }
}

template <int Blocks>
FATHOM_INLINE void accumulate_blocks(const Pairs& pairs, int block, double* sum) {
  Lanes phi[Blocks][most_features];
  for (int j = 0; j < Blocks; ++j) features_at(pairs, (block + j) * lanes, phi[j]);
  for (int f = 0; f < pairs.feature_count; ++f) {
    Lanes first[Blocks];
    for (int j = 0; j < Blocks; ++j) first[j] = phi[j][f];
    for (int k = pairs.begin[f]; k < pairs.begin[f + 1]; ++k, sum += lanes) {
      Lanes s = load(sum);
      for (int j = 0; j < Blocks; ++j) s += first[j] * phi[j][pairs.second[k]];
      store(sum, s);
    }
  }
}

void accumulate(const Pairs& pairs, int blocks, double* sums) {
  int block = 0;
  for (; block + 2 <= blocks; block += 2) accumulate_blocks<2>(pairs, block, sums);
  if (block < blocks) accumulate_blocks<1>(pairs, block, sums);
}

/// The derivative by one feature, handed on to what the feature is made of.
FATHOM_INLINE void hand_on(const Pairs& pairs, const Feature& feature, int at, Lanes slope,
                           Lanes* base_adjoint) {
  if (feature.kind == Feature::plain) {
    base_adjoint[feature.a] += slope;
    return;
  }
  const Lanes a = load(pairs.base[feature.a] + at), b = load(pairs.base[feature.b] + at);
  if (feature.kind == Feature::product) {
    base_adjoint[feature.a] += slope * b;
    base_adjoint[feature.b] += slope * a;
  } else {
    base_adjoint[feature.a] += with_sign_of(slope * b, a);
    base_adjoint[feature.b] += slope * absolute(a);
  }
}

template <int Blocks>
FATHOM_INLINE void accumulate_adjoint_blocks(const Pairs& pairs, const Partners& partners, int block,
                                             double* const* adjoint) {
  Lanes phi[Blocks][most_features], base_adjoint[Blocks][most_base];
  for (int j = 0; j < Blocks; ++j) {
    features_at(pairs, (block + j) * lanes, phi[j]);
    for (int b = 0; b < most_base; ++b) base_adjoint[j][b] = all(0);
  }
  for (int f = 0; f < pairs.feature_count; ++f) {
    Lanes slope[Blocks];
    for (int j = 0; j < Blocks; ++j) slope[j] = all(0);
    for (int k = partners.begin[f]; k < partners.begin[f + 1]; ++k)
      for (int j = 0; j < Blocks; ++j) slope[j] += all(partners.weight[k]) * phi[j][partners.other[k]];
    for (int j = 0; j < Blocks; ++j)
      hand_on(pairs, pairs.features[f], (block + j) * lanes, slope[j], base_adjoint[j]);
  }
  for (int b = 0; b < pairs.used_count; ++b)
    for (int j = 0; j < Blocks; ++j)
      add_to(adjoint[pairs.used[b]] + (block + j) * lanes, base_adjoint[j][pairs.used[b]]);
}

/// Each sum waits for itself: as many of them at a time as keep the processor busy.
void accumulate_adjoint(const Pairs& pairs, const Partners& partners, int blocks, double* const* adjoint) {
  constexpr int many = FATHOM_WIDTH == 64 ? 4 : 2;
  int block = 0;
  for (; block + many <= blocks; block += many)
    accumulate_adjoint_blocks<many>(pairs, partners, block, adjoint);
  for (; block < blocks; ++block) accumulate_adjoint_blocks<1>(pairs, partners, block, adjoint);
}

}  // namespace

#define FATHOM_TEXT_OF(name) #name
#define FATHOM_TEXT(name) FATHOM_TEXT_OF(name)
const Kernel FATHOM_KERNEL = {
    FATHOM_TEXT(FATHOM_KERNEL), sample, sample_adjoint, to_body, to_body_adjoint, accumulate,
    accumulate_adjoint};

}  // namespace fathom::excite::internal
