#include "fathom/exchange/internal/lint_report.hpp"

namespace fathom::exchange::internal {
namespace {

template <class T>
void look_at_number(LintReport& report, const std::string& key, const T& value) {
  if (is_sound(value)) return;
  report.add("not-finite", Severity::error, key,
             "has a number that is not finite or is beyond 1e12: every step of a simulation would be NaN",
             "write the number; a model without it leaves the tag out");
}

void look_at_mass(LintReport& report, const std::string& key, double value, const char* why,
                  const char* remedy) {
  if (!is_sound(value) || is_body(value)) return;
  report.add("no-body", Severity::error, key, fmt::format("= {:g}, must be > 0: {}", value, why), remedy);
}

}  // namespace

void lint_numbers(LintReport& report) {
  const model::Hull& hull = report.spec.hull;
  look_at_number(report, "hull.mass", hull.mass.value);
  look_at_number(report, "hull.inertia", hull.inertia.value);
  look_at_number(report, "hull.centre_of_mass", hull.centre_of_mass.value);
  look_at_number(report, "hull.volume", hull.volume.value);
  look_at_number(report, "hull.centre_of_buoyancy", hull.centre_of_buoyancy.value);
  look_at_number(report, "hull.added_mass", hull.added_mass.value);
  if (hull.size) look_at_number(report, "hull.size", hull.size->value);
  for (std::size_t k = 0; k < report.spec.damping.size(); ++k) {
    const model::DragElement& element = report.spec.damping[k];
    const std::string key = fmt::format("damping[{}]", k);
    look_at_number(report, key + ".position", element.position_b.value);
    look_at_number(report, key + ".attitude", element.attitude_rpy.value);
    look_at_number(report, key + ".linear", element.linear.value);
    look_at_number(report, key + ".quadratic", element.quadratic.value);
  }
  for (std::size_t k = 0; k < report.spec.thrusters.size(); ++k) {
    const model::Thruster& thruster = report.spec.thrusters[k];
    look_at_number(report, fmt::format("thrusters[{}].position", k), thruster.position_b.value);
    look_at_number(report, fmt::format("thrusters[{}].direction", k), thruster.direction_b.value);
  }
  look_at_mass(report, "hull.mass", hull.mass.value, "a force would accelerate it without limit",
               "kg, of the dry vehicle");
  look_at_mass(report, "hull.volume", hull.volume.value, "it displaces no water and sinks as a stone",
               "m^3 of displaced water: mass / density for a neutral vehicle");
}

}  // namespace fathom::exchange::internal
