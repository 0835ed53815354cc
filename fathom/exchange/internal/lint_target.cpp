#include <cmath>

#include <Eigen/Cholesky>

#include "fathom/exchange/internal/lint_report.hpp"
#include "fathom/geometry/spectrum.hpp"
#include "fathom/model/dof.hpp"

namespace fathom::exchange::internal {
namespace {

/// The largest eigenvalue of M_rb^-1 M_a, and the velocity that has most of its direction.
struct MassRatio {
  double value = 0;
  int dof = 0;
};

std::optional<MassRatio> largest_mass_ratio(const model::Hull& hull) {
  if (!is_body(hull.mass.value) || !is_sound(hull.inertia.value) || !is_sound(hull.centre_of_mass.value) ||
      !is_sound(hull.added_mass.value))
    return std::nullopt;
  const Eigen::LLT<Mat6> llt(model::rigid_body_inertia(hull));
  if (llt.info() != Eigen::Success) return std::nullopt;
  // L^-1 M_a L^-T is symmetric and has the same eigenvalues; its vectors are L' a.
  const Mat6 Ma = 0.5 * (hull.added_mass.value + hull.added_mass.value.transpose());
  const Mat6 half = llt.matrixL().solve(Ma);
  Mat6 vectors;
  const Vec6 values = symmetric_eigenvalues(Mat6(llt.matrixL().solve(Mat6(half.transpose()))), &vectors);
  MassRatio ratio{values[5], 0};
  Eigen::Index most = 0;
  vectors.col(5).cwiseAbs().maxCoeff(&most);  // each scaled by its own inertia
  ratio.dof = static_cast<int>(most);
  return std::isfinite(ratio.value) ? std::optional(ratio) : std::nullopt;
}

std::string ratio_text(const model::Hull& hull, const MassRatio& ratio) {
  const double rigid = model::rigid_body_inertia(hull)(ratio.dof, ratio.dof);
  return fmt::format(
      "= {:.4g} against {:.4g} of the rigid body makes the largest eigenvalue of M_rb^-1 M_a {:.4g} "
      "(mostly {})",
      hull.added_mass.value(ratio.dof, ratio.dof), rigid, ratio.value, model::dof_name(ratio.dof));
}

/// Where the added mass of a model for Gazebo Sim stands: in the plug-in (xDotU ...), in <fluid_added_mass> of
/// the link, or in no such file yet.
enum class GzAddedMass { in_plugin, in_link, not_yet };

GzAddedMass gz_added_mass(const LintReport& report) {
  const Place* place = report.place_of("hull.added_mass");
  if (!place || place->tag.empty()) return GzAddedMass::not_yet;
  return place->tag.find("Dot") != std::string::npos ? GzAddedMass::in_plugin : GzAddedMass::in_link;
}

/// Gazebo Sim's Hydrodynamics plug-in takes the acceleration of the step before (Hydrodynamics.cc, PreUpdate),
/// so that a_{k+1} = M_rb^-1 (F - M_a a_k). The error shrinks if and only if every eigenvalue of M_rb^-1 M_a is
/// below 1; the step's length does not matter.
void lint_gz_sim(LintReport& report) {
  const model::Hull& hull = report.spec.hull;
  const GzAddedMass where = gz_added_mass(report);
  if (where == GzAddedMass::in_link) return;
  const bool in_plugin = where == GzAddedMass::in_plugin;
  const auto ratio = largest_mass_ratio(hull);
  if (ratio && ratio->value >= 1)
    report.add(
        "explicit-added-mass", in_plugin ? Severity::error : Severity::warning,
        entry_key("hull.added_mass", ratio->dof, ratio->dof),
        fmt::format("{}, must be < 1 {}: gz-sim's Hydrodynamics plug-in takes added mass times the "
                    "acceleration of the step before, so each step multiplies the error by {:.4g} and the "
                    "simulation diverges, however short its steps",
                    ratio_text(hull, *ratio), in_plugin ? "here" : "where it is given as xDotU ... nDotR",
                    -ratio->value),
        "give it as <fluid_added_mass> in <inertial> (SDF 1.10), which the physics engine solves together "
        "with the rigid body and without that limit; fathom export --to gz-sim does");
  if (in_plugin && is_sound(hull.added_mass.value) && !hull.added_mass.value.isZero(0))
    report.add(
        "gz-coriolis", Severity::note, "hull.added_mass",
        "given as xDotU ... nDotR makes the plug-in's Coriolis force, too, which has the wrong sign in "
        "releases before 2026: in turns the vehicle is pushed to the other side",
        "give it as <fluid_added_mass>, and set <disable_coriolis> and <disable_added_mass> in the plug-in");
}

/// UUV Simulator filters that acceleration first, f_{k+1} = (1 - alpha) f_k + alpha a_k with alpha = 0.3
/// (HydrodynamicModel.cc, FilterAcc), so that its error is multiplied by 1 - alpha (1 + lambda) per step:
/// within -1 and 1 if and only if lambda < (2 - alpha) / alpha = 5.67.
void lint_uuv_simulator(LintReport& report) {
  constexpr double alpha = 0.3, limit = (2 - alpha) / alpha;
  const auto ratio = largest_mass_ratio(report.spec.hull);
  if (!ratio || ratio->value < limit) return;
  report.add(
      "explicit-added-mass", Severity::error, entry_key("hull.added_mass", ratio->dof, ratio->dof),
      fmt::format(
          "{}, must be < {:.4g}: UUV Simulator takes added mass times the acceleration of the step before, "
          "filtered with alpha = {:g}, so each step multiplies the error by {:.4g} and the simulation "
          "diverges, however short its steps",
          ratio_text(report.spec.hull, *ratio), limit, alpha, 1 - alpha * (1 + ratio->value)),
      "move part of the added mass into the rigid body's mass and inertia, or use a simulator that solves both "
      "together");
}

/// Stonefish computes added mass from the shape and gives a body the mean of its three directions, beside the
/// mass (SolidEntity::getAugmentedMass): stable, but the same in every direction.
void lint_stonefish(LintReport& report) {
  constexpr double noticed = 0.1;
  const model::Hull& hull = report.spec.hull;
  if (!is_body(hull.mass.value) || !is_sound(hull.added_mass.value)) return;
  const Vec3 added = hull.added_mass.value.diagonal().head<3>();
  Eigen::Index worst = 0;
  const Vec3 off = (hull.mass.value + added.mean()) / (hull.mass.value + added.array()) - 1;
  if (!(off.cwiseAbs().maxCoeff(&worst) > noticed)) return;
  report.add(
      "mean-added-mass", Severity::note, entry_key("hull.added_mass", worst, worst),
      fmt::format(
          "= {:.4g}, but Stonefish gives a body one added mass for all directions, their mean ({:.4g} kg "
          "here): in {} it would weigh {:+.0f} % for any push",
          added[worst], added.mean(), model::dof_name(static_cast<int>(worst)), 100 * off[worst]),
      "compare accelerations in that direction with care");
}

}  // namespace

void lint_target(LintReport& report) {
  switch (report.options.target) {
    case Target::fathom: return;  // solves M_rb + M_a together: there is no such limit
    case Target::gz_sim: return lint_gz_sim(report);
    case Target::uuv_simulator: return lint_uuv_simulator(report);
    case Target::stonefish: return lint_stonefish(report);
  }
}

}  // namespace fathom::exchange::internal
