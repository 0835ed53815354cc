#include "fathom/base/random.hpp"

#include <bit>
#include <cmath>

namespace fathom {
namespace {

std::uint64_t splitmix64(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

// Free functions, so that they are inlined: a public member of a library that is compiled with -fPIC is not.
inline std::uint64_t next_of(std::array<std::uint64_t, 4>& s) {
  const std::uint64_t result = std::rotl(s[0] + s[3], 23) + s[0];
  const std::uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = std::rotl(s[3], 45);
  return result;
}

inline double uniform_of(std::array<std::uint64_t, 4>& s) {
  return static_cast<double>(next_of(s) >> 11) * 0x1p-53;
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view purpose) : state_{} {
  std::uint64_t mixer = seed;
  mixer = splitmix64(mixer) ^ fnv1a(purpose);
  for (std::uint64_t& word : state_) word = splitmix64(mixer);
}

std::uint64_t RandomStream::next() { return next_of(state_); }

double RandomStream::uniform() { return uniform_of(state_); }

double RandomStream::uniform(double low, double high) { return low + (high - low) * uniform_of(state_); }

double RandomStream::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  // Marsaglia's polar method; std::normal_distribution differs between standard libraries.
  double x = 0, y = 0, s = 0;
  do {
    x = -1 + 2 * uniform_of(state_);
    y = -1 + 2 * uniform_of(state_);
    s = x * x + y * y;
  } while (s >= 1 || s == 0);
  const double scale = std::sqrt(-2 * std::log(s) / s);
  spare_normal_ = y * scale;
  has_spare_ = true;
  return x * scale;
}

}  // namespace fathom
