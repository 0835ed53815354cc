#include "fathom/simulate/disturbance.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/simulate/internal/findings.hpp"

namespace fathom::simulate {

void check(const DisturbanceSpec& spec) {
  Findings findings;
  for (Eigen::Index i = 0; i < 6; ++i)
    if (!(spec.sigma_b[i] >= 0) || !std::isfinite(spec.sigma_b[i]))
      add_error(findings, fmt::format("{}[{}]", i < 3 ? "force" : "torque", i % 3),
                fmt::format("= {}, must be >= 0 and finite", spec.sigma_b[i]), "a standard deviation");
  if (!(spec.time > 0) || !std::isfinite(spec.time))
    add_error(findings, "time", fmt::format("= {} s, must be > 0 and finite", spec.time));
  if (!findings.empty()) throw InputError(std::move(findings));
}

Disturbance::Disturbance(const DisturbanceSpec& spec, std::uint64_t seed, std::string_view purpose)
    : spec_(spec), random_(seed, purpose) {
  check(spec);
  wrench_b_ = drawn();
}

Vec6 Disturbance::drawn() {
  Vec6 w;
  for (Eigen::Index i = 0; i < 6; ++i) w[i] = spec_.sigma_b[i] * random_.normal();
  return w;
}

void Disturbance::advance(double dt) {
  const double keep = std::exp(-dt / spec_.time);
  wrench_b_ = keep * wrench_b_ + std::sqrt(1 - keep * keep) * drawn();
}

}  // namespace fathom::simulate
