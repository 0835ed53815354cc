#include "fathom/model/robot_parameters.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/model/internal/covariance.hpp"
#include "fathom/model/internal/totals.hpp"

namespace fathom::model {
namespace {

using Kind = Term::Kind;

using internal::Totals;
using internal::totals_of;

constexpr double unknown = infinity;

std::vector<std::string> left_out_by(const Structure& structure, const RobotSpec& spec,
                                     const Environment& environment) {
  Totals rest = totals_of(spec, environment);
  const double linear_rounding = 1e-14 * rest.linear.cwiseAbs().maxCoeff();  // of elements moved to the origin
  bool has_net_weight = false;
  std::array<bool, 3> has_moment{};
  for (const Term& term : structure.terms) {
    switch (term.kind) {
      case Kind::inertia: rest.M(term.column, term.row) = 0; [[fallthrough]];
      case Kind::inertia_entry: rest.M(term.row, term.column) = 0; break;
      case Kind::linear: rest.linear(term.row, term.column) = 0; break;
      case Kind::quadratic:
        rest.quadratic.by_speed[static_cast<std::size_t>(term.speed)](term.row, term.column) = 0;
        break;
      case Kind::net_weight:
      case Kind::weight:
      case Kind::buoyancy: has_net_weight = true; break;
      case Kind::first_moment: has_moment[static_cast<std::size_t>(term.row)] = true; break;
    }
  }
  std::vector<std::string> names;
  const auto report = [&](const Term& term, double value) {
    if (value != 0) names.push_back(name_of(term));
  };
  const auto free = free_indices(structure.dof);
  for (const int i : free) {
    for (const int j : free) {
      if (i <= j) report({Kind::inertia, i, j}, rest.M(i, j));
      report({Kind::linear, i, j}, std::abs(rest.linear(i, j)) > linear_rounding ? rest.linear(i, j) : 0);
      for (const int k : free)
        report({Kind::quadratic, i, j, k}, rest.quadratic.by_speed[static_cast<std::size_t>(k)](i, j));
    }
  }
  if (!has_net_weight && structure.dof != Dof::three) report({Kind::net_weight}, rest.weight - rest.buoyancy);
  for (int axis = 0; axis < 3; ++axis)
    if (!has_moment[static_cast<std::size_t>(axis)] && structure.dof == Dof::six)
      report({Kind::first_moment, axis}, rest.first_moment[axis]);
  for (const DragElement& element : spec.damping)
    if (!element.at_origin())
      for (const Mat6& Q : element.quadratic.value.by_speed)
        if (!Q.isZero(0)) {
          names.push_back(fmt::format("quadratic drag of the displaced element {}", element.name));
          break;
        }
  return names;
}

/// Marks a value as coming from an estimate, and gives its sigmas to fill.
template <class T>
T& estimated(Value<T>& value, const std::string& source, const T& all_unknown) {
  value.source = source;
  value.assumed = false;
  if (!value.sigma) value.sigma = all_unknown;
  return *value.sigma;
}

Mat6& estimated(Value<Mat6>& value, const std::string& source) {
  return estimated(value, source, Mat6(Mat6::Constant(unknown)));
}

QuadraticDrag& estimated(Value<QuadraticDrag>& value, const std::string& source) {
  QuadraticDrag all_unknown;
  all_unknown.by_speed.fill(Mat6::Constant(unknown));
  return estimated(value, source, all_unknown);
}

bool all_unknown(double sigma) { return std::isinf(sigma); }
template <class Derived>
bool all_unknown(const Eigen::MatrixBase<Derived>& sigma) {
  return sigma.minCoeff() == unknown;
}
bool all_unknown(const QuadraticDrag& sigma) {
  return std::all_of(sigma.by_speed.begin(), sigma.by_speed.end(),
                     [](const Mat6& entries) { return all_unknown(entries); });
}

/// A sigma that says nothing is left out of the file.
template <class T>
void drop_unknown(Value<T>& value) {
  if (value.sigma && all_unknown(*value.sigma)) value.sigma.reset();
}

void drop_unknown(RobotSpec& spec) {
  drop_unknown(spec.hull.volume);
  drop_unknown(spec.hull.centre_of_buoyancy);
  drop_unknown(spec.hull.added_mass);
  for (DragElement& element : spec.damping) {
    drop_unknown(element.linear);
    drop_unknown(element.quadratic);
  }
}

DragElement& element_at_origin(RobotSpec& spec) {
  for (DragElement& element : spec.damping)
    if (element.at_origin()) return element;
  DragElement element;
  element.name = "identified";
  spec.damping.push_back(element);
  return spec.damping.back();
}

void require_tied(const Structure& structure, const ParameterVector& parameters) {
  for (std::size_t k = 0; k < structure.size(); ++k) {
    const Term& term = structure.terms[k];
    if (term.kind != Kind::inertia_entry || term.row > term.column) continue;
    const auto mirror = parameters.find(name_of({Kind::inertia_entry, term.column, term.row}));
    if (!mirror) continue;
    const double a = parameters[k].value, b = parameters[*mirror].value;
    if (std::abs(a - b) > 1e-9 * (std::abs(a) + std::abs(b)))
      reject(parameters[k].name,
             fmt::format("= {} but {} = {}: M must be symmetric", a, parameters[*mirror].name, b),
             "estimate with a structure that ties them, such as vehicle-24");
  }
}

double variance_of_difference(const ParameterVector& parameters, std::size_t a, std::size_t b) {
  const Eigen::MatrixXd& C = parameters.covariance();
  const auto i = static_cast<Eigen::Index>(a), j = static_cast<Eigen::Index>(b);
  return std::max(0.0, C(i, i) + C(j, j) - 2 * C(i, j));
}

void set_hydrostatics(RobotSpec& spec, const Environment& environment, const Structure& structure,
                      const ParameterVector& parameters, const std::string& source) {
  const Totals before = totals_of(spec, environment);
  double net_weight = before.weight - before.buoyancy, net_sigma = unknown;
  Vec3 moment = before.first_moment;
  std::array<std::optional<double>, 3> moment_sigma;  // where estimated
  bool sets_net = false, sets_moment = false;
  for (std::size_t k = 0; k < structure.size(); ++k) {
    const Term& term = structure.terms[k];
    if (term.kind == Kind::net_weight) {
      net_weight = parameters[k].value;
      net_sigma = parameters.sigma(k);
      sets_net = true;
    } else if (term.kind == Kind::first_moment) {
      moment[term.row] = parameters[k].value;
      moment_sigma[static_cast<std::size_t>(term.row)] = parameters.sigma(k);
      sets_moment = true;
    }
  }
  const auto W = parameters.find("W"), B = parameters.find("B");
  if (W && B) {  // only the difference is visible
    net_weight = parameters[*W].value - parameters[*B].value;
    net_sigma = std::sqrt(variance_of_difference(parameters, *W, *B));
    sets_net = true;
  }
  if (!sets_net && !sets_moment) return;
  const double buoyancy = before.weight - net_weight;
  if (sets_net) {
    const double per_newton = 1 / (environment.density() * environment.gravity());
    spec.hull.volume.value = buoyancy * per_newton;
    estimated(spec.hull.volume, source, unknown) = net_sigma * per_newton;
  }
  // The first moment stays what it was or becomes what was estimated; the centre of buoyancy follows.
  const Vec3 centre = (before.weight * spec.hull.centre_of_mass.value - moment) / buoyancy;
  if (!sets_moment && centre == spec.hull.centre_of_buoyancy.value) return;
  spec.hull.centre_of_buoyancy.value = centre;
  Vec3& sigma = estimated(spec.hull.centre_of_buoyancy, source, Vec3(Vec3::Constant(unknown)));
  for (int i = 0; i < 3; ++i)
    if (const auto& given = moment_sigma[static_cast<std::size_t>(i)]) sigma[i] = *given / std::abs(buoyancy);
}

/// The parameters with W - B in the place of W and of B. The dry mass is taken as known, so an estimate with
/// another weight has told of their difference only.
ParameterVector with_net_weight(const ParameterVector& parameters, std::size_t W, std::size_t B) {
  std::vector<Parameter> entries;
  std::vector<Eigen::Index> kept;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (k == B) continue;
    kept.push_back(static_cast<Eigen::Index>(k));
    entries.push_back(parameters[k]);
    if (k == W) {
      entries.back().name = name_of({Kind::net_weight});
      entries.back().value = parameters[W].value - parameters[B].value;
    }
  }
  Eigen::MatrixXd C = parameters.covariance();
  const auto w = static_cast<Eigen::Index>(W), b = static_cast<Eigen::Index>(B);
  const double variance = variance_of_difference(parameters, W, B);
  const Eigen::VectorXd row = std::isfinite(variance) ? Eigen::VectorXd(C.row(w) - C.row(b))
                                                      : Eigen::VectorXd(Eigen::VectorXd::Zero(C.rows()));
  C.col(w) = row;
  C.row(w) = row.transpose();
  C(w, w) = variance;
  return ParameterVector(std::move(entries), C(kept, kept));
}

std::optional<IdentifiedParameters> identified_by(const Structure& structure, const Environment& environment,
                                                  const ParameterVector& parameters, const std::string& source,
                                                  double weight) {
  if (structure.size() == 0) return std::nullopt;
  Eigen::MatrixXd C = 0.5 * (parameters.covariance() + parameters.covariance().transpose());
  for (Eigen::Index i = 0; i < C.rows(); ++i)
    for (Eigen::Index j = 0; j < C.cols(); ++j)
      if (i != j && (std::isinf(C(i, i)) || std::isinf(C(j, j)))) C(i, j) = 0;
  IdentifiedParameters identified{structure.name, environment.density(), environment.gravity(),
                                  ParameterVector(structure.parameters(parameters.values()), std::move(C)),
                                  source};
  const auto W = parameters.find("W"), B = parameters.find("B");
  if (W && B && !(std::abs(parameters[*W].value - weight) <= 1e-9 * weight)) {
    identified.structure += " with W-B";
    identified.parameters = with_net_weight(identified.parameters, *W, *B);
  }
  return identified;
}

void require_names(const Structure& structure, const ParameterVector& parameters) {
  if (parameters.size() != structure.size())
    reject("parameters", fmt::format("has {} entries, the structure {} has {}", parameters.size(),
                                     structure.name, structure.size()));
  for (std::size_t k = 0; k < structure.size(); ++k)
    if (parameters[k].name != name_of(structure.terms[k]))
      reject("parameters", fmt::format("[{}] is {}, the structure {} has {} there", k, parameters[k].name,
                                       structure.name, name_of(structure.terms[k])));
}

RobotSpec spec_with(const Robot& robot, const Environment& environment, const Structure& structure,
                    const ParameterVector& parameters, const std::string& source) {
  require_names(structure, parameters);
  require_tied(structure, parameters);
  RobotSpec spec = robot.spec();
  set_hydrostatics(spec, environment, structure, parameters, source);

  const Mat6 M_rb = rigid_body_inertia(spec.hull);
  const Totals totals = totals_of(spec, environment);
  for (std::size_t k = 0; k < structure.size(); ++k) {
    const Term& term = structure.terms[k];
    const int i = term.row, j = term.column;
    const double value = parameters[k].value, sigma = parameters.sigma(k);
    if (term.kind == Kind::inertia || term.kind == Kind::inertia_entry) {
      spec.hull.added_mass.value(i, j) = spec.hull.added_mass.value(j, i) = value - M_rb(i, j);
      Mat6& sigmas = estimated(spec.hull.added_mass, source);
      sigmas(i, j) = sigmas(j, i) = sigma;
    } else if (term.kind == Kind::linear) {
      DragElement& element = element_at_origin(spec);  // displaced elements stay; this one takes the difference
      element.linear.value(i, j) += value - totals.linear(i, j);
      estimated(element.linear, source)(i, j) = sigma;
    } else if (term.kind == Kind::quadratic) {
      DragElement& element = element_at_origin(spec);
      const auto speed = static_cast<std::size_t>(term.speed);
      element.quadratic.value.by_speed[speed](i, j) += value - totals.quadratic.by_speed[speed](i, j);
      estimated(element.quadratic, source).by_speed[speed](i, j) = sigma;
    }
  }
  drop_unknown(spec);
  spec.identified = identified_by(structure, environment, parameters, source, totals.weight);
  return spec;
}

}  // namespace

RobotParameters parameters_of(const Robot& robot, const Environment& environment, const Structure& structure) {
  const RobotSpec& spec = robot.spec();
  const Eigen::VectorXd values = internal::values_of(structure, totals_of(spec, environment));
  Eigen::MatrixXd covariance = internal::covariance_by_sigmas(structure, spec, environment);
  if (spec.identified && spec.identified->density == environment.density() &&
      spec.identified->gravity == environment.gravity())
    internal::apply_identified(*spec.identified, spec, structure, covariance);
  return {ParameterVector(structure.parameters(values), std::move(covariance)),
          left_out_by(structure, spec, environment)};
}

Robot with_parameters(const Robot& robot, const Environment& environment, const Structure& structure,
                      const ParameterVector& parameters, const std::string& source) {
  return Robot::make(spec_with(robot, environment, structure, parameters, source));
}

Robot with_parameters_unchecked(const Robot& robot, const Environment& environment, const Structure& structure,
                                const ParameterVector& parameters, const std::string& source) {
  return Robot::make_unchecked(spec_with(robot, environment, structure, parameters, source));
}

std::vector<StaleParameter> stale_parameters(const Robot& robot) {
  std::vector<StaleParameter> stale;
  if (!robot.identified()) return stale;
  const IdentifiedParameters& identified = *robot.identified();
  const std::vector<bool> holds = internal::still_holds(identified, robot.spec());
  const Totals totals = totals_of(robot.spec(), Environment(identified.density, identified.gravity));
  for (std::size_t k = 0; k < holds.size(); ++k) {
    const auto term = term_by_name(identified.parameters[k].name);
    if (term && !holds[k]) stale.push_back({k, internal::value_of(*term, totals)});
  }
  return stale;
}

}  // namespace fathom::model
