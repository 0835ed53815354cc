#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace fathom {

/// Generates random numbers for one purpose. The same seed and purpose give the same numbers on every machine,
/// independent of all other streams, so results do not depend on threads or on the order of work.
/// Generator: xoshiro256++ (Blackman and Vigna 2019), seeded by splitmix64 over the seed and the purpose's
/// hash.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view purpose);

  std::uint64_t next();
  double uniform();                         ///< in [0, 1)
  double uniform(double low, double high);  ///< in [low, high)
  double normal();                          ///< mean 0, standard deviation 1

 private:
  std::array<std::uint64_t, 4> state_;
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

}  // namespace fathom
