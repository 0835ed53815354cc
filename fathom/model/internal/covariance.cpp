#include "fathom/model/internal/covariance.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/base/constants.hpp"
#include "fathom/model/internal/totals.hpp"

namespace fathom::model::internal {
namespace {

using Kind = Term::Kind;

constexpr double unknown = infinity;
constexpr double least_part = 1e-12;    // of the derivative by an entry of an element that is turned
constexpr double same_value = 1e-9;     // of a value that was written, read and summed up again
constexpr double attitude_step = 1e-4;  // rad; truncation and rounding are both below 1e-8

void make_unknown(Eigen::MatrixXd& covariance, Eigen::Index k) {
  covariance.row(k).setZero();
  covariance.col(k).setZero();
  covariance(k, k) = unknown;
}

/// Sums up J diag(sigma^2) J', one number of the robot after the other.
class Propagation {
 public:
  explicit Propagation(const Structure& structure)
      : structure_(structure),
        covariance_(Eigen::MatrixXd::Zero(size(), size())),
        heard_of_(structure.size(), false) {}

  void add(const Totals& derivative, double sigma) {
    const Eigen::VectorXd column = values_of(structure_, derivative);
    if (column.size() == 0) return;
    const double limit = least_part * column.cwiseAbs().maxCoeff();
    std::vector<Eigen::Index> touched;
    for (Eigen::Index k = 0; k < column.size(); ++k)
      if (std::abs(column[k]) > limit) touched.push_back(k);
    for (const Eigen::Index i : touched) {
      heard_of_[static_cast<std::size_t>(i)] = true;
      for (const Eigen::Index j : touched) covariance_(i, j) += (sigma * column[i]) * (sigma * column[j]);
    }
  }

  /// An infinite sigma has left an infinite variance with everything that it touches.
  Eigen::MatrixXd covariance() && {
    for (Eigen::Index k = 0; k < size(); ++k) {
      if (!heard_of_[static_cast<std::size_t>(k)] || std::isinf(covariance_(k, k)))
        make_unknown(covariance_, k);
    }
    return std::move(covariance_);
  }

 private:
  Eigen::Index size() const { return static_cast<Eigen::Index>(structure_.size()); }

  const Structure& structure_;
  Eigen::MatrixXd covariance_;
  std::vector<bool> heard_of_;
};

double sigma_of(const Value<double>& value) { return value.sigma.value_or(unknown); }
double sigma_of(const Value<Vec3>& value, int i) { return value.sigma ? (*value.sigma)[i] : unknown; }
/// A symmetric pair of entries is one number in two places.
template <class Matrix>
double sigma_of_pair(const Value<Matrix>& value, int i, int j) {
  return value.sigma ? std::max((*value.sigma)(i, j), (*value.sigma)(j, i)) : unknown;
}

/// The dry body and its buoyancy are at most quadratic in each single number, so central differences are exact,
/// and with steps not below the number they round well.
void add_hull(Propagation& out, Hull hull, const Environment& environment) {
  const auto add = [&](double& number, double sigma) {
    const double middle = number, step = std::max(1.0, std::abs(middle));
    number = middle + step;
    Totals derivative = totals_of(hull, environment);
    number = middle - step;
    const Totals below = totals_of(hull, environment);
    number = middle;
    const double scale = 1 / (2 * step);
    derivative.M = scale * (derivative.M - below.M);
    derivative.weight = scale * (derivative.weight - below.weight);
    derivative.buoyancy = scale * (derivative.buoyancy - below.buoyancy);
    derivative.first_moment = scale * (derivative.first_moment - below.first_moment);
    out.add(derivative, sigma);
  };
  add(hull.mass.value, sigma_of(hull.mass));
  add(hull.volume.value, sigma_of(hull.volume));
  for (int i = 0; i < 3; ++i) {
    add(hull.centre_of_mass.value[i], sigma_of(hull.centre_of_mass, i));
    add(hull.centre_of_buoyancy.value[i], sigma_of(hull.centre_of_buoyancy, i));
  }
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) {
      Totals derivative;
      derivative.M(3 + i, 3 + j) = derivative.M(3 + j, 3 + i) = 1;
      out.add(derivative, sigma_of_pair(hull.inertia, i, j));
    }
  for (int i = 0; i < 6; ++i)
    for (int j = i; j < 6; ++j) {
      Totals derivative;
      derivative.M(i, j) = derivative.M(j, i) = 1;
      out.add(derivative, sigma_of_pair(hull.added_mass, i, j));
    }
}

/// Where an element stands, if that is uncertain. Quadratic in each coordinate of the position.
void add_pose(Propagation& out, DragElement element) {
  const auto add = [&](double& number, double step, double sigma) {
    const double middle = number;
    Totals derivative;
    number = middle + step;
    derivative.linear = linear_at_origin(element);
    number = middle - step;
    derivative.linear = (derivative.linear - linear_at_origin(element)) / (2 * step);
    number = middle;
    out.add(derivative, sigma);
  };
  for (int i = 0; i < 3; ++i) {
    if (element.position_b.sigma)
      add(element.position_b.value[i], std::max(1.0, std::abs(element.position_b.value[i])),
          sigma_of(element.position_b, i));
    if (element.attitude_rpy.sigma)
      add(element.attitude_rpy.value[i], attitude_step, sigma_of(element.attitude_rpy, i));
  }
}

void add_drag(Propagation& out, const DragElement& element) {
  const Mat6 H = twist_transform(element.pose());
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      Totals derivative;
      derivative.linear = H.row(i).transpose() * H.row(j);
      out.add(derivative, element.linear.sigma ? (*element.linear.sigma)(i, j) : unknown);
    }
  add_pose(out, element);
  if (!element.at_origin()) return;
  for (std::size_t speed = 0; speed < 6; ++speed)
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) {
        Totals derivative;
        derivative.quadratic.by_speed[speed](i, j) = 1;
        out.add(derivative, element.quadratic.sigma ? element.quadratic.sigma->by_speed[speed](i, j) : unknown);
      }
}

/// A parameter as a sum of identified ones.
struct Part {
  Eigen::Index index;
  double weight;
};

/// Empty unless every part was identified and still holds.
std::vector<Part> parts_of(const Term& term, const ParameterVector& identified,
                           const std::vector<bool>& holds) {
  const auto find = [&](const std::string& name) -> std::optional<Eigen::Index> {
    const auto k = identified.find(name);
    if (!k || !holds[*k]) return std::nullopt;
    return static_cast<Eigen::Index>(*k);
  };
  if (const auto k = find(name_of(term))) return {{*k, 1}};
  if (term.kind == Kind::inertia || term.kind == Kind::inertia_entry)  // the robot's M is symmetric
    if (const auto k = find(name_of({term.kind, term.column, term.row}))) return {{*k, 1}};
  if (term.kind == Kind::net_weight)
    if (const auto W = find("W"), B = find("B"); W && B) return {{*W, 1}, {*B, -1}};
  return {};
}

double covariance_between(const std::vector<Part>& a, const std::vector<Part>& b, const Eigen::MatrixXd& C) {
  double sum = 0;
  for (const Part& i : a)
    for (const Part& j : b) sum += i.weight * j.weight * C(i.index, j.index);
  return sum;
}

}  // namespace

Eigen::MatrixXd covariance_by_sigmas(const Structure& structure, const RobotSpec& spec,
                                     const Environment& environment) {
  Propagation propagation(structure);
  add_hull(propagation, spec.hull, environment);
  for (const DragElement& element : spec.damping) add_drag(propagation, element);
  return std::move(propagation).covariance();
}

std::vector<bool> still_holds(const IdentifiedParameters& identified, const RobotSpec& spec) {
  const Environment environment(identified.density, identified.gravity);
  const Totals totals = totals_of(spec, environment), sizes = sizes_of(spec, environment);
  std::vector<bool> holds;
  for (const Parameter& parameter : identified.parameters.entries()) {
    const auto term = term_by_name(parameter.name);
    holds.push_back(term &&
                    std::abs(value_of(*term, totals) - parameter.value) <= same_value * size_of(*term, sizes));
  }
  return holds;
}

void apply_identified(const IdentifiedParameters& identified, const RobotSpec& spec, const Structure& structure,
                      Eigen::MatrixXd& covariance) {
  const std::vector<bool> holds = still_holds(identified, spec);
  const Eigen::MatrixXd& C = identified.parameters.covariance();
  std::vector<std::vector<Part>> parts;
  for (const Term& term : structure.terms) parts.push_back(parts_of(term, identified.parameters, holds));
  std::vector<Eigen::Index> known;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (parts[k].empty()) continue;
    const auto row = static_cast<Eigen::Index>(k);
    make_unknown(covariance, row);
    if (std::isfinite(covariance_between(parts[k], parts[k], C))) known.push_back(row);
  }
  const auto between = [&](Eigen::Index i, Eigen::Index j) {
    return covariance_between(parts[static_cast<std::size_t>(i)], parts[static_cast<std::size_t>(j)], C);
  };
  for (const Eigen::Index i : known)
    for (const Eigen::Index j : known)
      covariance(i, j) = i == j ? std::max(0.0, between(i, i)) : between(i, j);  // W - B may round below 0
}

}  // namespace fathom::model::internal
