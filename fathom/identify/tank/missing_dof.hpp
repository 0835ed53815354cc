#pragma once
#include <string>

namespace fathom::identify {

/// Drag of one degree of freedom, c1 u + c2 |u| u.
struct AxisDrag {
  double linear = 0, quadratic = 0;
  double linear_sigma = 0, quadratic_sigma = 0;
};

/// Drag of a degree of freedom that nobody tested.
struct SupposedDrag {
  AxisDrag drag;
  double ratio = 0;   ///< of the added masses
  std::string about;  ///< what was supposed, for a robot file
};

/// One sigma of supposed drag, as a share of it: Nielsen's ratios and his flow computation (Tables 5.2 and 5.3)
/// differ by a half to a factor of two in quadratic terms, and far more in linear ones.
inline constexpr double supposed_share = 1.0;

/// The drag of a tested degree of freedom times the ratio of added masses (docs/tank-tests.md eq. 12; Nielsen
/// 2019, section 5.4.4): a guess with the sigma of one. Both must be translations or both rotations. Throws
/// InputError for an added mass that is not above 0.
SupposedDrag drag_by_added_mass(const std::string& tested_name, const AxisDrag& tested,
                                double tested_added_mass, const std::string& missing_name,
                                double missing_added_mass);

}  // namespace fathom::identify
