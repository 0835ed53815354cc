#include <cmath>

#include "fathom/exchange/internal/lint_report.hpp"
#include "fathom/geometry/pose.hpp"
#include "fathom/model/dissipation.hpp"
#include "fathom/model/dof.hpp"

namespace fathom::exchange::internal {
namespace {

using model::DragElement;

double power_of(const DragElement& element, const Vec6& nu_e) {
  double power = nu_e.dot(element.linear.value * nu_e);
  for (std::size_t j = 0; j < 6; ++j)
    power +=
        std::abs(nu_e[static_cast<Eigen::Index>(j)]) * nu_e.dot(element.quadratic.value.by_speed[j] * nu_e);
  return power;
}

/// A motion along `nu_e` at which linear and quadratic damping together give energy away: at 1 m/s or 1 rad/s
/// if they do there, else slower (the linear part rules) or faster (the quadratic one does).
Vec6 shown_at(const DragElement& element, Vec6 nu_e, bool is_linear) {
  nu_e /= nu_e.cwiseAbs().maxCoeff();
  for (int k = 0; k < 40 && !(power_of(element, nu_e) < 0); ++k) nu_e *= is_linear ? 0.5 : 2;
  return nu_e;
}

std::string energy_text(const DragElement& element, const Vec6& nu_e) {
  const Vec6 nu_b =
      element.at_origin() ? nu_e : Vec6(twist_transform(element.pose()).partialPivLu().solve(nu_e));
  return fmt::format(
      "at nu = {} it gives {:.3g} W to the vehicle instead of taking them, so a simulation speeds up "
      "by itself",
      twist_text(nu_b), -power_of(element, nu_e));
}

const char* damping_convention(const LintReport& report, bool is_linear) {
  switch (report.options.target) {
    case Target::gz_sim: return "xU, xUabsU and the like are <= 0 (SNAME)";
    case Target::uuv_simulator: return "damping is negative in UUV Simulator's files";
    case Target::fathom:
    case Target::stonefish: break;
  }
  return is_linear ? "SNAME sign? use sname_linear" : "SNAME sign? use sname_quadratic";
}

double diagonal_of(const DragElement& element, bool is_linear, int i) {
  return is_linear ? element.linear.value(i, i)
                   : element.quadratic.value.by_speed[static_cast<std::size_t>(i)](i, i);
}

/// Numbers on the diagonal that drive. True where there are some.
bool look_at_drag_signs(LintReport& report, const DragElement& element, const std::string& key,
                        bool is_linear) {
  std::vector<int> negative, any;
  for (int i = 0; i < 6; ++i) {
    if (diagonal_of(element, is_linear, i) != 0) any.push_back(i);
    if (diagonal_of(element, is_linear, i) < 0) negative.push_back(i);
  }
  const auto show = [&](int i) { return energy_text(element, shown_at(element, Vec6::Unit(i), is_linear)); };
  if (negative.size() > 1 && negative.size() == any.size())
    report.add(
        "damping-sign", Severity::error, key,
        fmt::format("has the wrong sign as a whole: {}", show(negative.front())),
        fmt::format("looks like a sign slip of the whole block; {}", damping_convention(report, is_linear)));
  else
    for (const int i : negative)
      report.add("damping-sign", Severity::error, entry_key(key, i, i),
                 fmt::format("= {:g}, must be >= 0: {}", diagonal_of(element, is_linear, i), show(i)),
                 fmt::format("looks like a sign slip{}; {}",
                             any.size() > 1 ? ": the other entries have the right sign" : "",
                             damping_convention(report, is_linear)));
  return !negative.empty();
}

void look_at_energy(LintReport& report, const DragElement& element, const std::string& key) {
  const model::Dissipation dissipation =
      model::check_dissipation(element.linear.value, element.quadratic.value);
  const bool is_linear = dissipation.witness_is_linear;
  if (dissipation.witness_nu) {
    const Vec6 nu_e = shown_at(element, *dissipation.witness_nu, is_linear);
    Eigen::Index most = 0;
    nu_e.cwiseAbs().maxCoeff(&most);
    report.add("damping-energy", Severity::error, key + (is_linear ? ".linear" : ".quadratic"),
               "generates energy: " + energy_text(element, nu_e),
               fmt::format("a cross term with {} is too large for the diagonal, or has the wrong sign",
                           model::dof_name(static_cast<int>(most))));
  } else if (!dissipation.certified) {
    report.add(
        "damping-unproved", Severity::warning, key + ".quadratic",
        "is not proved to dissipate: some Q_j + Q_j' is indefinite, though no motion was found that gains "
        "energy; another simulator's steps may find one",
        "keep cross terms small against the diagonal of their own Q_j");
  }
}

/// Velocities that nothing slows down.
void look_for_missing(LintReport& report) {
  Vec6 linear = Vec6::Zero(), quadratic = Vec6::Zero();
  for (const DragElement& element : report.spec.damping) {
    linear += element.linear.value.diagonal().cwiseAbs();
    for (std::size_t j = 0; j < 6; ++j)
      quadratic[static_cast<Eigen::Index>(j)] += element.quadratic.value.by_speed[j].cwiseAbs().maxCoeff();
  }
  for (int j = 0; j < 6; ++j)
    if (linear[j] == 0 && quadratic[j] == 0)
      report.add(
          "damping-missing", Severity::warning, "damping",
          fmt::format("has nothing in {}: the simulated vehicle will never stop there", model::dof_name(j)),
          "a few per cent of the other directions is better than nothing; fathom prior guesses it");
}

}  // namespace

void lint_damping(LintReport& report) {
  bool all_sound = true;
  for (std::size_t k = 0; k < report.spec.damping.size(); ++k) {
    const DragElement& element = report.spec.damping[k];
    const bool sound = is_sound(element.linear.value) && is_sound(element.quadratic.value) &&
                       is_sound(element.position_b.value) && is_sound(element.attitude_rpy.value);
    all_sound = all_sound && sound;
    if (!sound) continue;
    const std::string key = fmt::format("damping[{}]", k);
    const bool linear = look_at_drag_signs(report, element, key + ".linear", true);
    const bool quadratic = look_at_drag_signs(report, element, key + ".quadratic", false);
    if (!linear && !quadratic) look_at_energy(report, element, key);
  }
  if (all_sound) look_for_missing(report);
}

}  // namespace fathom::exchange::internal
