#include "fathom/model/robot_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "fathom/base/error.hpp"

namespace fathom::model {
namespace {

using Kind = Term::Kind;

/// The robot's total matrices at the body origin, as far as they have the form of docs/model.md eq. 10.
struct Totals {
  Mat6 M, linear = Mat6::Zero();
  QuadraticDrag quadratic;
  double weight = 0, buoyancy = 0;  // N
  Vec3 first_moment;                // N m
};

Totals totals_of(const RobotSpec& spec, const Environment& environment) {
  Totals totals;
  const Hull& hull = spec.hull;
  totals.M = rigid_body_inertia(hull) + hull.added_mass.value;
  for (const DragElement& element : spec.damping) {
    const Mat6 H = twist_transform(element.pose());
    totals.linear += H.transpose() * element.linear.value * H;
    if (!element.at_origin()) continue;
    for (std::size_t j = 0; j < 6; ++j) totals.quadratic.by_speed[j] += element.quadratic.value.by_speed[j];
  }
  totals.weight = hull.mass.value * environment.gravity();
  totals.buoyancy = environment.density() * hull.volume.value * environment.gravity();
  totals.first_moment =
      totals.weight * hull.centre_of_mass.value - totals.buoyancy * hull.centre_of_buoyancy.value;
  return totals;
}

double value_of(const Term& term, const Totals& totals) {
  switch (term.kind) {
    case Kind::inertia:
    case Kind::inertia_entry: return totals.M(term.row, term.column);
    case Kind::linear: return totals.linear(term.row, term.column);
    case Kind::quadratic:
      return totals.quadratic.by_speed[static_cast<std::size_t>(term.speed)](term.row, term.column);
    case Kind::net_weight: return totals.weight - totals.buoyancy;
    case Kind::weight: return totals.weight;
    case Kind::buoyancy: return totals.buoyancy;
    case Kind::first_moment: return totals.first_moment[term.row];
  }
  return 0;
}

Eigen::VectorXd values_of(const Structure& structure, const RobotSpec& spec, const Environment& environment) {
  const Totals totals = totals_of(spec, environment);
  Eigen::VectorXd values(static_cast<Eigen::Index>(structure.size()));
  for (std::size_t k = 0; k < structure.size(); ++k)
    values[static_cast<Eigen::Index>(k)] = value_of(structure.terms[k], totals);
  return values;
}

/// One number of the robot that has a sigma. A symmetric pair of entries is one number in two places.
struct Uncertain {
  double* first;
  double* second;  ///< null unless a pair
  double sigma;
};

void collect(Value<double>& value, std::vector<Uncertain>& out) {
  if (value.sigma && *value.sigma > 0) out.push_back({&value.value, nullptr, *value.sigma});
}

template <class Matrix>
void collect_entries(Matrix& m, const Matrix& sigma, bool symmetric, std::vector<Uncertain>& out) {
  for (Eigen::Index i = 0; i < m.rows(); ++i)
    for (Eigen::Index j = symmetric ? i : 0; j < m.cols(); ++j)
      if (sigma(i, j) > 0) out.push_back({&m(i, j), symmetric && i != j ? &m(j, i) : nullptr, sigma(i, j)});
}

template <class Matrix>
void collect(Value<Matrix>& value, bool symmetric, std::vector<Uncertain>& out) {
  if (value.sigma) collect_entries(value.value, *value.sigma, symmetric, out);
}

std::vector<Uncertain> uncertain_numbers(RobotSpec& spec) {
  std::vector<Uncertain> out;
  collect(spec.hull.mass, out);
  collect(spec.hull.volume, out);
  collect(spec.hull.inertia, true, out);
  collect(spec.hull.centre_of_mass, false, out);
  collect(spec.hull.centre_of_buoyancy, false, out);
  collect(spec.hull.added_mass, true, out);
  for (DragElement& element : spec.damping) {
    collect(element.position_b, false, out);
    collect(element.attitude_rpy, false, out);
    collect(element.linear, false, out);
    if (!element.quadratic.sigma) continue;
    for (std::size_t j = 0; j < 6; ++j)
      collect_entries(element.quadratic.value.by_speed[j], element.quadratic.sigma->by_speed[j], false, out);
  }
  return out;
}

/// J diag(sigma^2) J'. Parameters are at most quadratic in each single number but attitudes, so central
/// differences are exact.
Eigen::MatrixXd covariance_of(const Structure& structure, RobotSpec spec, const Environment& environment) {
  const auto n = static_cast<Eigen::Index>(structure.size());
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(n, n);
  for (const Uncertain& number : uncertain_numbers(spec)) {
    const double middle = *number.first;
    const auto values_at = [&](double x) {
      *number.first = x;
      if (number.second) *number.second = x;
      return values_of(structure, spec, environment);
    };
    const Eigen::VectorXd column =
        (values_at(middle + number.sigma) - values_at(middle - number.sigma)) / 2;  // derivative times sigma
    values_at(middle);
    covariance += column * column.transpose();
  }
  for (Eigen::Index k = 0; k < n; ++k)
    if (covariance(k, k) == 0) covariance(k, k) = std::numeric_limits<double>::infinity();
  return covariance;
}

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

/// Marks a value as coming from an estimate.
template <class T>
T& estimated(Value<T>& value, const std::string& source, const T& no_sigma) {
  value.source = source;
  value.assumed = false;
  if (!value.sigma) value.sigma = no_sigma;
  return *value.sigma;
}

double finite_or_zero(double sigma) { return std::isfinite(sigma) ? sigma : 0; }

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
      throw InputError(
          Problem{Severity::error, "", 0, parameters[k].name,
                  fmt::format("= {} but {} = {}: M must be symmetric", a, parameters[*mirror].name, b),
                  "estimate with a structure that ties them, such as vehicle-24"});
  }
}

void set_hydrostatics(RobotSpec& spec, const Environment& environment, const Structure& structure,
                      const ParameterVector& parameters, const std::string& source) {
  const Totals before = totals_of(spec, environment);
  double net_weight = before.weight - before.buoyancy, net_sigma = 0;
  Vec3 moment = before.first_moment, moment_sigma = Vec3::Zero();
  bool sets_net = false, sets_moment = false;
  for (std::size_t k = 0; k < structure.size(); ++k) {
    const Term& term = structure.terms[k];
    const double value = parameters[k].value, sigma = finite_or_zero(parameters.sigma(k));
    if (term.kind == Kind::net_weight) {
      net_weight = value;
      net_sigma = sigma;
      sets_net = true;
    } else if (term.kind == Kind::first_moment) {
      moment[term.row] = value;
      moment_sigma[term.row] = sigma;
      sets_moment = true;
    }
  }
  const auto W = parameters.find("W"), B = parameters.find("B");
  if (W && B) {  // only the difference is visible
    net_weight = parameters[*W].value - parameters[*B].value;
    const auto w = static_cast<Eigen::Index>(*W), b = static_cast<Eigen::Index>(*B);
    const Eigen::MatrixXd& covariance = parameters.covariance();
    net_sigma =
        finite_or_zero(std::sqrt(std::max(0.0, covariance(w, w) + covariance(b, b) - 2 * covariance(w, b))));
    sets_net = true;
  }
  if (!sets_net && !sets_moment) return;
  const double buoyancy = before.weight - net_weight;
  if (sets_net) {
    const double per_newton = 1 / (environment.density() * environment.gravity());
    spec.hull.volume.value = buoyancy * per_newton;
    estimated(spec.hull.volume, source, 0.0) = net_sigma * per_newton;
  }
  // The first moment stays what it was or becomes what was estimated; the centre of buoyancy follows.
  const Vec3 centre = (before.weight * spec.hull.centre_of_mass.value - moment) / buoyancy;
  if (!sets_moment && centre == spec.hull.centre_of_buoyancy.value) return;
  spec.hull.centre_of_buoyancy.value = centre;
  Vec3& sigma = estimated(spec.hull.centre_of_buoyancy, source, Vec3(Vec3::Zero()));
  if (sets_moment) sigma = moment_sigma / std::abs(buoyancy);
}

}  // namespace

RobotParameters parameters_of(const Robot& robot, const Environment& environment, const Structure& structure) {
  const RobotSpec& spec = robot.spec();
  const Eigen::VectorXd values = values_of(structure, spec, environment);
  return {ParameterVector(structure.parameters(values), covariance_of(structure, spec, environment)),
          left_out_by(structure, spec, environment)};
}

Robot with_parameters(const Robot& robot, const Environment& environment, const Structure& structure,
                      const ParameterVector& parameters, const std::string& source) {
  if (parameters.size() != structure.size())
    throw InputError(Problem{Severity::error, "", 0, "parameters",
                             fmt::format("has {} entries, the structure {} has {}", parameters.size(),
                                         structure.name, structure.size()),
                             ""});
  for (std::size_t k = 0; k < structure.size(); ++k)
    if (parameters[k].name != name_of(structure.terms[k]))
      throw InputError(Problem{Severity::error, "", 0, "parameters",
                               fmt::format("[{}] is {}, the structure {} has {} there", k, parameters[k].name,
                                           structure.name, name_of(structure.terms[k])),
                               ""});
  require_tied(structure, parameters);
  RobotSpec spec = robot.spec();
  set_hydrostatics(spec, environment, structure, parameters, source);

  const Mat6 M_rb = rigid_body_inertia(spec.hull);
  const Totals totals = totals_of(spec, environment);
  for (std::size_t k = 0; k < structure.size(); ++k) {
    const Term& term = structure.terms[k];
    const int i = term.row, j = term.column;
    const double value = parameters[k].value, sigma = finite_or_zero(parameters.sigma(k));
    if (term.kind == Kind::inertia || term.kind == Kind::inertia_entry) {
      spec.hull.added_mass.value(i, j) = spec.hull.added_mass.value(j, i) = value - M_rb(i, j);
      Mat6& sigmas = estimated(spec.hull.added_mass, source, Mat6(Mat6::Zero()));
      sigmas(i, j) = sigmas(j, i) = sigma;
    } else if (term.kind == Kind::linear) {
      DragElement& element = element_at_origin(spec);  // displaced elements stay; this one takes the difference
      element.linear.value(i, j) += value - totals.linear(i, j);
      estimated(element.linear, source, Mat6(Mat6::Zero()))(i, j) = sigma;
    } else if (term.kind == Kind::quadratic) {
      DragElement& element = element_at_origin(spec);
      const auto speed = static_cast<std::size_t>(term.speed);
      element.quadratic.value.by_speed[speed](i, j) += value - totals.quadratic.by_speed[speed](i, j);
      estimated(element.quadratic, source, QuadraticDrag{}).by_speed[speed](i, j) = sigma;
    }
  }
  return Robot::make(std::move(spec));
}

}  // namespace fathom::model
