#pragma once
#include <string>
#include <string_view>

#include "fathom/exchange/lint.hpp"

namespace fathom::exchange::internal {

/// What every rule is given: the model, who is to swim it, and where findings go.
class LintReport {
 public:
  LintReport(const model::RobotSpec& model, const LintOptions& lint_options)
      : spec(model), options(lint_options) {}

  void add(std::string_view rule, Severity severity, std::string key, std::string message, std::string hint);
  /// As the file names it, or the key where it says nothing.
  const Place* place_of(const std::string& key) const;
  bool is_for(Target target) const { return options.target == target; }

  const model::RobotSpec& spec;
  const LintOptions& options;
  LintFindings findings;
};

inline double density_of(const LintReport& report) { return report.options.environment.density(); }
inline double gravity_of(const LintReport& report) { return report.options.environment.gravity(); }

/// Is every number of the hull, of a drag element or of a thruster's pose one to compute with? Rules look at
/// nothing else; `lint_numbers` has told the rest.
bool is_sound(double x);
template <class Derived>
bool is_sound(const Eigen::MatrixBase<Derived>& m) {
  for (Eigen::Index i = 0; i < m.size(); ++i)
    if (!is_sound(m.derived().coeff(i % m.rows(), i / m.rows()))) return false;
  return true;
}
bool is_sound(const model::QuadraticDrag& drag);
/// Positive, and of a size that a body can have.
bool is_body(double x);

/// `name` and its entry: hull.added_mass[2] on the diagonal, hull.added_mass[1][4] beside it.
std::string entry_key(const std::string& name, Eigen::Index i, Eigen::Index j);
std::string twist_text(const Vec6& nu);

// The rules (exchange/lint.cpp lists them), by what they look at.
void lint_numbers(LintReport& report);
void lint_inertia(LintReport& report);
void lint_damping(LintReport& report);
void lint_buoyancy(LintReport& report);
void lint_scale(LintReport& report);
void lint_places(LintReport& report);
void lint_thrusters(LintReport& report);
void lint_target(LintReport& report);
void lint_timing(LintReport& report);

}  // namespace fathom::exchange::internal
