#include "fathom/identify/tank/missing_dof.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"

namespace fathom::identify {

SupposedDrag drag_by_added_mass(const std::string& tested_name, const AxisDrag& tested,
                                double tested_added_mass, const std::string& missing_name,
                                double missing_added_mass) {
  const auto check = [](const std::string& name, double mass) {
    if (!(mass > 0 && std::isfinite(mass)))
      reject(name, fmt::format("has an added mass of {}, must be above 0", mass),
             "the ratio of added masses is all that tells");
  };
  check(tested_name, tested_added_mass);
  check(missing_name, missing_added_mass);
  const double ratio = missing_added_mass / tested_added_mass;
  const auto wide = [&](double value, double sigma) {
    return std::hypot(supposed_share * ratio * value, ratio * sigma);
  };
  return {{ratio * tested.linear, ratio * tested.quadratic, wide(tested.linear, tested.linear_sigma),
           wide(tested.quadratic, tested.quadratic_sigma)},
          ratio,
          fmt::format("{} not tested: drag of {} times the ratio of added masses, {:.4g}; sigma {:.0f} % of it",
                      missing_name, tested_name, ratio, 100 * supposed_share)};
}

}  // namespace fathom::identify
