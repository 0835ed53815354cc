#include "fathom/model/body_check.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/geometry/spectrum.hpp"
#include "fathom/model/dissipation.hpp"

namespace fathom::model {
namespace {

constexpr double definite_rounding = 1e-12;

bool is_error(const Finding& finding) { return finding.severity == Severity::error; }

std::string velocity_text(const Vec6& nu) {
  return fmt::format("[{:.3g}, {:.3g}, {:.3g}, {:.3g}, {:.3g}, {:.3g}]", nu[0], nu[1], nu[2], nu[3], nu[4],
                     nu[5]);
}

/// M_a: symmetric, positive semi-definite, and M = M_rb + M_a definite.
void check_added_mass(Checker& check, const Mat6& Ma, const std::string& key) {
  if (!check.finite(key, Ma)) return;
  const double scale = Ma.cwiseAbs().maxCoeff();
  bool negative_diagonal = false;
  for (int i = 0; i < 6; ++i) {
    if (Ma(i, i) >= 0) continue;
    negative_diagonal = true;
    check.wrong_sign(fmt::format("{}[{}]", key, i), fmt::format("= {}, must be >= 0", Ma(i, i)),
                     "SNAME sign? use sname_added_mass");
  }
  if (negative_diagonal) return;
  Eigen::Index i = 0, j = 0;
  if ((Ma - Ma.transpose()).cwiseAbs().maxCoeff(&i, &j) > 1e-9 * scale)
    return check.error(
        key, fmt::format("is not symmetric: [{}][{}] = {}, [{}][{}] = {}", i, j, Ma(i, j), j, i, Ma(j, i)),
        "added mass of an ideal fluid is symmetric; average the two if they were measured apart");
  const double smallest = symmetric_eigenvalues(Ma)[0];
  if (smallest < -1e-9 * scale)
    check.error(key, fmt::format("is indefinite: smallest eigenvalue {:.6g}, must be >= 0", smallest),
                "a coupling term is too large for its diagonal, or has the sign of another frame (FLU?)");
}

void check_total_inertia(Checker& check, const Hull& hull, const std::string& key) {
  const Mat6 M = rigid_body_inertia(hull) + hull.added_mass.value;
  const double smallest = symmetric_eigenvalues(Mat6(0.5 * (M + M.transpose())))[0];
  if (!(smallest > 0))
    check.wrong_sign(key, fmt::format("M = M_rb + M_a is indefinite: smallest eigenvalue {:.6g}", smallest),
                     "SNAME sign of the added mass? use sname_added_mass");
}

void check_size(Checker& check, const Hull& hull, const std::string& key) {
  if (!hull.size) return;
  const Vec3& size = hull.size->value;
  if (!check.finite(key + ".size", size)) return;
  if (!(size.minCoeff() > 0)) return check.error(key + ".size", "must be > 0 in length, width and height", "m");
  if (hull.volume.value > size.prod() * (1 + 1e-9))
    check.error(key + ".volume",
                fmt::format("= {} m^3 does not fit in {}.size, a box of {:.6g} m^3", hull.volume.value, key,
                            size.prod()),
                "litres or millimetres? Fathom wants m^3 and m");
}

void check_volume(Checker& check, double volume, const BodyPlace& place) {
  const std::string key = place.key + ".volume";
  if (!place.may_displace_no_water)
    return check.positive(
        key, volume,
        fmt::format("m^3 of displaced water: mass / 1000 for a neutral {} in fresh water", place.what));
  if (check.finite(key, volume) && volume < 0)
    check.error(key, fmt::format("= {}, must be >= 0", volume), "m^3 of displaced water; 0 in air");
}

}  // namespace

void check_inertia(Checker& check, const Mat3& I, const std::string& key) {
  if (!check.finite(key, I)) return;
  const double scale = I.cwiseAbs().maxCoeff();
  for (int i = 0; i < 3; ++i)
    if (!(I(i, i) > 0))
      return check.error(fmt::format("{}[{}]", key, i), fmt::format("= {}, must be > 0", I(i, i)),
                         "moments of inertia of the dry body about its centre of mass, kg m^2");
  if ((I - I.transpose()).cwiseAbs().maxCoeff() > 1e-9 * scale)
    return check.error(key, "is not symmetric", "off-diagonal entries are -Ixy, -Ixz, -Iyz on both sides");
  const Vec3 principal = symmetric_eigenvalues(I);
  if (!(principal[0] > definite_rounding * scale && principal[0] > smallest_positive))
    return check.error(key, fmt::format("has principal moment {:.6g}, must be > 0", principal[0]),
                       "singular or indefinite: check the products of inertia and their signs");
  if (principal[0] + principal[1] < principal[2] * (1 - 1e-9))
    check.error(key,
                fmt::format("breaks the triangle inequality: principal moments {:.6g} + {:.6g} < {:.6g}",
                            principal[0], principal[1], principal[2]),
                "no body has such inertia; two values may be swapped, or not about the centre of mass");
}

void check_pose(Checker& check, const Value<Vec3>& position_b, const Value<Vec3>& attitude_rpy,
                const std::string& key) {
  check.finite(key + ".position", position_b.value);
  check.finite(key + ".attitude", attitude_rpy.value);
  check.sigma(key + ".position", position_b);
  check.sigma(key + ".attitude", attitude_rpy);
}

void check_damping_element(Checker& check, const DragElement& element, const std::string& key) {
  check_pose(check, element.position_b, element.attitude_rpy, key);
  check.sigma(key + ".linear", element.linear);
  check.sigma(key + ".quadratic", element.quadratic);
  const bool linear_finite = check.finite(key + ".linear", element.linear.value);
  const bool quadratic_finite = check.finite(key + ".quadratic", element.quadratic.value);
  if (!linear_finite || !quadratic_finite) return;

  bool negative_diagonal = false;
  for (int i = 0; i < 6; ++i) {
    const double linear = element.linear.value(i, i);
    const double quadratic = element.quadratic.value.by_speed[static_cast<std::size_t>(i)](i, i);
    if (linear < 0)
      check.wrong_sign(fmt::format("{}.linear[{}]", key, i), fmt::format("= {}, must be >= 0", linear),
                       "SNAME sign? use sname_linear");
    if (quadratic < 0)
      check.wrong_sign(fmt::format("{}.quadratic[{}]", key, i), fmt::format("= {}, must be >= 0", quadratic),
                       "SNAME sign? use sname_quadratic");
    negative_diagonal = negative_diagonal || linear < 0 || quadratic < 0;
  }
  if (negative_diagonal) return;
  const Dissipation dissipation = check_dissipation(element.linear.value, element.quadratic.value);
  if (dissipation.witness_nu)
    check.error(key + (dissipation.witness_is_linear ? ".linear" : ".quadratic"),
                fmt::format("generates energy: nu' D nu = {:.3g} W at nu = {}", dissipation.witness_power,
                            velocity_text(*dissipation.witness_nu)),
                "a cross term is too large for the diagonal, or has the wrong sign");
  else if (!dissipation.certified)
    check.findings.push_back({Severity::warning, "", 0, key + ".quadratic",
                              "is not proved to dissipate: some Q_j + Q_j' is indefinite, though no motion was "
                              "found that gains energy",
                              "keep cross terms small against the diagonal of their own Q_j"});
}

void check_body(Checker& check, const Hull& hull, const BodyPlace& place) {
  const std::string& key = place.key;
  const auto errors_before = std::count_if(check.findings.begin(), check.findings.end(), is_error);
  check.positive(key + ".mass", hull.mass.value, fmt::format("kg, of the dry {}", place.what));
  check_volume(check, hull.volume.value, place);
  check_inertia(check, hull.inertia.value, key + ".inertia");
  check.finite(key + ".centre_of_mass", hull.centre_of_mass.value);
  check.finite(key + ".centre_of_buoyancy", hull.centre_of_buoyancy.value);
  check_added_mass(check, hull.added_mass.value, key + ".added_mass");
  if (std::count_if(check.findings.begin(), check.findings.end(), is_error) == errors_before)
    check_total_inertia(check, hull, key);
  check_size(check, hull, key);
  check.sigma(key + ".mass", hull.mass);
  check.sigma(key + ".volume", hull.volume);
  check.sigma(key + ".inertia", hull.inertia);
  check.sigma(key + ".centre_of_mass", hull.centre_of_mass);
  check.sigma(key + ".centre_of_buoyancy", hull.centre_of_buoyancy);
  check.sigma(key + ".added_mass", hull.added_mass);
  if (hull.size) check.sigma(key + ".size", *hull.size);
}

}  // namespace fathom::model
