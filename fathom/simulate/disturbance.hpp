#pragma once
#include <cstdint>
#include <string_view>

#include "fathom/base/random.hpp"
#include "fathom/geometry/types.hpp"

namespace fathom::simulate {

/// A random wrench on the hull that nobody has modelled: eddies, cables, a wake. Each axis is a first-order
/// Gauss-Markov process, so its autocorrelation is sigma^2 exp(-|lag| / time).
struct DisturbanceSpec {
  Vec6 sigma_b = Vec6::Zero();  ///< N, N m, at the body origin in b
  double time = 1;              ///< s, after which it has forgotten
};

/// Everything that is wrong with `spec` as InputError.
void check(const DisturbanceSpec& spec);

/// The wrench as it goes on in time, held between two calls. The same seed and purpose give the same wrenches.
class Disturbance {
 public:
  Disturbance(const DisturbanceSpec& spec, std::uint64_t seed, std::string_view purpose);

  const Vec6& wrench_b() const { return wrench_b_; }
  /// The exact step of the process: w' = a w + sqrt(1 - a^2) sigma n with a = exp(-dt / time).
  void advance(double dt);

 private:
  Vec6 drawn();

  DisturbanceSpec spec_;
  RandomStream random_;
  Vec6 wrench_b_;  // begins as it goes on: with the variance that it keeps
};

}  // namespace fathom::simulate
