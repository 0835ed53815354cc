#include <cmath>
#include <limits>

#include "fathom/exchange/internal/lint_report.hpp"
#include "fathom/exchange/internal/lint_slip.hpp"
#include "fathom/geometry/spectrum.hpp"
#include "fathom/model/dof.hpp"

namespace fathom::exchange::internal {
namespace {

constexpr double few_digits = 1e-9;  // of the largest entry: what files with a few digits lose

/// Numbers of one matrix that should be each other's mirror image and are not.
template <class Matrix>
void look_at_symmetry(LintReport& report, const Matrix& m, const std::string& key, std::string_view rule) {
  Eigen::Index i = 0, j = 0;
  const double gap = (m - m.transpose()).cwiseAbs().maxCoeff(&i, &j);
  if (gap <= few_digits * m.cwiseAbs().maxCoeff()) return;
  if (i > j) std::swap(i, j);
  const double size = std::sqrt(std::abs(m(i, i) * m(j, j)));
  const bool is_rounding = gap <= 1e-3 * size;
  const double a = m(i, j), b = m(j, i);
  std::string hint = "added mass of an ideal fluid is symmetric, and so is inertia; average the two";
  if (std::abs(a + b) <= few_digits * gap) hint = "the two differ by sign alone: a sign slip?";
  if (digits_swapped(a, b)) hint = "the two differ by swapped digits: look up which is right";
  report.add(rule, is_rounding ? Severity::note : Severity::error, entry_key(key, i, j),
             fmt::format("= {:g}, but its mirror image [{}][{}] = {:g}: M must be symmetric, or motion round "
                         "a closed path gains energy{}",
                         a, j, i, b, is_rounding ? "; here by rounding" : ""),
             hint);
}

/// A body has positive moments with I1 + I2 >= I3.
bool look_at_rigid_body(LintReport& report) {
  const Mat3& I = report.spec.hull.inertia.value;
  if (!is_sound(I)) return false;
  look_at_symmetry(report, I, "hull.inertia", "rigid-inertia");
  for (int i = 0; i < 3; ++i)
    if (!(I(i, i) > 0)) {
      report.add("rigid-inertia", Severity::error, entry_key("hull.inertia", i, i),
                 fmt::format("= {:g}, must be > 0: without inertia any moment turns it without limit", I(i, i)),
                 I(i, i) < 0 ? "looks like a sign slip" : "kg m^2 of the dry body about its centre of mass");
      return false;
    }
  const Vec3 moments = symmetric_eigenvalues(Mat3(0.5 * (I + I.transpose())));
  if (!(moments[0] > 1e-12 * moments[2])) {
    report.add("rigid-inertia", Severity::error, "hull.inertia",
               fmt::format("has the principal moment {:.4g}, must be > 0: turning about that axis would give "
                           "energy instead of taking it",
                           moments[0]),
               "a product of inertia is too large for its moments, or they are swapped");
    return false;
  }
  if (moments[0] + moments[1] < moments[2] * (1 - 1e-9))
    report.add("rigid-inertia", Severity::error, "hull.inertia",
               fmt::format("has principal moments {:.4g} + {:.4g} < {:.4g}: no body has that, and physics "
                           "engines refuse it or spin it up",
                           moments[0], moments[1], moments[2]),
               "two moments swapped, a slipped decimal point, or not about the centre of mass");
  return true;
}

/// Whole blocks with the sign of another convention are told once.
bool look_at_signs(LintReport& report) {
  const Mat6& Ma = report.spec.hull.added_mass.value;
  const Vec6 diagonal = Ma.diagonal();
  const auto negative = (diagonal.array() < 0).count();
  if (negative == 0) return true;
  const char* convention = report.is_for(Target::gz_sim)          ? "xDotU ... nDotR are <= 0 (SNAME)"
                           : report.is_for(Target::uuv_simulator) ? "<added_mass> is positive in UUV Simulator"
                                                                  : "SNAME sign? use sname_added_mass";
  if (negative == (diagonal.array() != 0).count()) {
    report.add("added-mass-sign", Severity::error, "hull.added_mass",
               "has the wrong sign as a whole: the water would push the vehicle on as it speeds up, and M may "
               "be indefinite",
               fmt::format("looks like a sign slip of the whole block; {}", convention));
    return false;
  }
  for (int i = 0; i < 6; ++i)
    if (diagonal[i] < 0)
      report.add("added-mass-sign", Severity::error, entry_key("hull.added_mass", i, i),
                 fmt::format("= {:g}, must be >= 0: the water would push the vehicle on as it speeds up in {}",
                             diagonal[i], model::dof_name(i)),
                 fmt::format("looks like a sign slip: the other entries have the right sign; {}", convention));
  return false;
}

void look_at_definiteness(LintReport& report, const Mat6& m, const std::string& what, double limit) {
  Mat6 vectors;
  const double smallest = symmetric_eigenvalues(Mat6(0.5 * (m + m.transpose())), &vectors)[0];
  if (smallest >= limit) return;
  Vec6 nu = vectors.col(0);
  nu /= nu.cwiseAbs().maxCoeff();
  Eigen::Index most = 0;
  nu.cwiseAbs().maxCoeff(&most);
  report.add("indefinite-inertia", Severity::error, "hull.added_mass",
             fmt::format("{} is indefinite: the motion {} has the kinetic energy {:.3g} J, must be > 0, so a "
                         "push makes it accelerate backwards",
                         what, twist_text(nu), 0.5 * nu.dot(m * nu)),
             fmt::format("a coupling with {} is too large for its diagonal, or has the sign of other axes "
                         "(FLU for FRD)",
                         model::dof_name(static_cast<int>(most))));
}

}  // namespace

void lint_inertia(LintReport& report) {
  const model::Hull& hull = report.spec.hull;
  const bool is_rigid_body = look_at_rigid_body(report);
  const Mat6& Ma = hull.added_mass.value;
  if (!is_sound(Ma)) return;
  look_at_symmetry(report, Ma, "hull.added_mass", "asymmetric-inertia");
  if (!look_at_signs(report)) return;
  const double scale = Ma.cwiseAbs().maxCoeff();
  const std::size_t before = report.findings.size();
  look_at_definiteness(report, Ma, "M_a", -few_digits * scale);
  if (report.findings.size() == before && is_rigid_body && is_body(hull.mass.value) &&
      is_sound(hull.centre_of_mass.value))
    look_at_definiteness(report, model::rigid_body_inertia(hull) + Ma, "M = M_rb + M_a",
                         std::numeric_limits<double>::denorm_min());
}

}  // namespace fathom::exchange::internal
