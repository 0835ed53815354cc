// Eight numbers at a time, for each instruction set: part of kernel_body.hpp.
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

}  // namespace
}  // namespace fathom::excite::internal
