#include "fathom/identify/vehicle/identified_robot.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "fathom/geometry/spectrum.hpp"
#include "fathom/model/candidates.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::identify {
namespace {

using Kind = model::Term::Kind;

/// The vehicle's matrices as the full structure names them.
struct Matrices {
  Mat6 added_mass = Mat6::Zero(), linear = Mat6::Zero();
  model::QuadraticDrag quadratic;
};

Matrices matrices_of(const model::Robot& robot, const model::Environment& environment) {
  const model::Structure full = model::full_structure();
  const model::ParameterVector totals = model::parameters_of(robot, environment, full).parameters;
  Matrices out;
  out.added_mass = robot.hull().added_mass.value;
  for (std::size_t k = 0; k < full.size(); ++k) {
    const model::Term& term = full.terms[k];
    if (term.kind == Kind::linear) out.linear(term.row, term.column) = totals[k].value;
    if (term.kind == Kind::quadratic)
      out.quadratic.by_speed[static_cast<std::size_t>(term.speed)](term.row, term.column) = totals[k].value;
  }
  return out;
}

bool dissipates(const Mat6& A) {
  const Mat6 symmetric = 0.5 * (A + A.transpose());
  const double scale = symmetric.diagonal().cwiseAbs().maxCoeff();
  return symmetric_eigenvalues(symmetric)[0] >= -1e-12 * scale;
}

/// `old` with the free velocities' block put in: coupling to held ones shrinks until the whole is positive
/// semi-definite; without any it is, if both blocks are.
Mat6 joined(const Mat6& old, const Mat6& block, model::Dof dof) {
  const auto with = [&](double share) {
    Mat6 out = old;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) {
        const bool row = model::is_free(dof, i), column = model::is_free(dof, j);
        if (row && column) out(i, j) = block(i, j);
        if (row != column) out(i, j) = share * old(i, j);
      }
    return out;
  };
  if (dissipates(with(1))) return with(1);
  double good = 0, bad = 1;
  for (int k = 0; k < 30; ++k) (dissipates(with((good + bad) / 2)) ? good : bad) = (good + bad) / 2;
  return with(0.99 * good);  // a little inside: later sums round
}

/// The identified block of each matrix: what the structure has, zero elsewhere (inertia: as it was).
Matrices blocks_of(const model::Robot& robot, const Matrices& old, const model::Structure& structure,
                   const model::ParameterVector& parameters) {
  const Mat6 M_rb = model::rigid_body_inertia(robot.hull());
  Matrices out;
  out.added_mass = old.added_mass;
  for (std::size_t k = 0; k < structure.size(); ++k) {
    const model::Term& term = structure.terms[k];
    const int i = term.row, j = term.column;
    const double value = parameters[k].value;
    if (term.kind == Kind::inertia || term.kind == Kind::inertia_entry)
      out.added_mass(i, j) = out.added_mass(j, i) = value - M_rb(i, j);
    if (term.kind == Kind::linear) out.linear(i, j) = value;
    if (term.kind == Kind::quadratic)
      out.quadratic.by_speed[static_cast<std::size_t>(term.speed)](i, j) = value;
  }
  return out;
}

}  // namespace

double dry_body_share(const model::Robot& robot, const model::Environment& environment,
                      const model::Structure& structure, const model::ParameterVector& parameters) {
  const auto free = model::free_indices(structure.dof);
  const Mat6 M_rb = model::rigid_body_inertia(robot.hull());
  const Mat6 M = M_rb + blocks_of(robot, matrices_of(robot, environment), structure, parameters).added_mass;
  const Eigen::MatrixXd estimated = M(free, free), dry = M_rb(free, free);
  if (Eigen::LLT<Eigen::MatrixXd>(estimated).info() != Eigen::Success) return 0;
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> eigen(estimated, dry, Eigen::EigenvaluesOnly);
  constexpr double rounding = 1e-6;  // of what an active constraint leaves, and of the added mass that is left
  const double share = eigen.eigenvalues()[0];
  return share >= 1 - rounding ? 1 : (1 - rounding) * share;
}

model::Robot with_dry_body_share(const model::Robot& robot, const model::Environment& environment, double share,
                                 const std::string& source) {
  model::RobotSpec spec = robot.spec();
  model::Hull& hull = spec.hull;
  const double per_newton = 1 / (environment.density() * environment.gravity());
  const double weight = hull.mass.value * environment.gravity(), buoyancy = hull.volume.value / per_newton;
  const Vec3 first_moment = weight * hull.centre_of_mass.value - buoyancy * hull.centre_of_buoyancy.value;
  const double lighter = buoyancy - (1 - share) * weight;
  hull.centre_of_buoyancy.value = (share * weight * hull.centre_of_mass.value - first_moment) / lighter;
  hull.volume.value = lighter * per_newton;
  hull.mass.value *= share;
  hull.inertia.value *= share;
  for (std::string* of :
       {&hull.mass.source, &hull.inertia.source, &hull.volume.source, &hull.centre_of_buoyancy.source})
    *of = source;
  return model::Robot::make(std::move(spec));
}

model::Robot identified_robot(const model::Robot& robot, const model::Environment& environment,
                              const model::Structure& structure, const model::ParameterVector& parameters,
                              const std::string& source,
                              const std::optional<model::IdentifiedParameters::Delay>& delay) {
  const Matrices old = matrices_of(robot, environment), block = blocks_of(robot, old, structure, parameters);
  model::RobotSpec spec = robot.spec();
  spec.hull.added_mass.value = joined(old.added_mass, block.added_mass, structure.dof);
  model::DragElement drag;
  drag.name = spec.damping.empty() ? "hull" : spec.damping.front().name;
  drag.linear.source = drag.quadratic.source = source;
  drag.linear.value = joined(old.linear, block.linear, structure.dof);
  for (std::size_t speed = 0; speed < 6; ++speed)
    drag.quadratic.value.by_speed[speed] =
        joined(old.quadratic.by_speed[speed], block.quadratic.by_speed[speed], structure.dof);
  spec.damping = {drag};
  spec.hull.symmetry = model::symmetry_of(structure, spec.hull.symmetry);
  model::Robot whole =
      model::with_parameters(model::Robot::make(std::move(spec)), environment, structure, parameters, source);
  if (!delay || !whole.identified()) return whole;
  model::RobotSpec late = whole.spec();
  late.identified->delay = delay;
  return model::Robot::make(std::move(late));
}

}  // namespace fathom::identify
