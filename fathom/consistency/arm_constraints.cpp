#include "fathom/consistency/arm_constraints.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"

namespace fathom::consistency {
namespace {

using Eigen::Index;
using solve::MatrixInequality;

/// Of a link's size, which is about half its length: no part of it is further from its frame.
constexpr double buoyancy_reach = 3;

/// docs/consistency.md eq. 11: both sides of P scaled so that a link of this size has entries near one.
MatrixInequality body_constraint(const std::string& name, Index begin, const Eigen::VectorXd& scale,
                                 const LinkSize& size, double least) {
  MatrixInequality P{name, -least * Eigen::MatrixXd::Identity(4, 4), {}};
  const double second = 1 / (size.mass * size.length * size.length), first = 1 / (size.mass * size.length);
  const auto put = [&](Index column, int row, int col, double value) {
    const Index k = begin + column;
    P.entries.push_back({static_cast<int>(k), row, col, value * scale[k]});
  };
  put(0, 3, 3, 1 / size.mass);
  for (int k = 0; k < 3; ++k) put(1 + k, k, 3, first);
  constexpr std::array<int, 3> diagonal = {4, 7, 9};  // Ixx, Iyy, Izz among the ten
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l)
      put(diagonal[static_cast<std::size_t>(l)], k, k, k == l ? -second / 2 : second / 2);
  put(5, 0, 1, -second);
  put(6, 0, 2, -second);
  put(8, 1, 2, -second);
  return P;
}

/// docs/consistency.md eq. 12, scaled likewise.
MatrixInequality added_mass_constraint(const std::string& name, Index begin, const Eigen::VectorXd& scale,
                                       const LinkSize& size) {
  MatrixInequality A{name, Eigen::MatrixXd::Zero(6, 6), {}};
  const auto over = [&](int row) { return (row < 3 ? 1 : 1 / size.length) / std::sqrt(size.mass); };
  Index k = begin;
  for (int row = 0; row < 6; ++row)
    for (int column = row; column < 6; ++column, ++k)
      A.entries.push_back({static_cast<int>(k), row, column, scale[k] * over(row) * over(column)});
  return A;
}

/// docs/consistency.md eq. 13: a body that displaces water does so within its own reach, so that no moment is
/// left where nothing is displaced.
void add_centre_of_buoyancy(const std::string& link, Index begin, const Eigen::VectorXd& scale,
                            const LinkSize& size, solve::ConicSet& set) {
  const double reach = buoyancy_reach * size.length;
  for (int axis = 1; axis <= 3; ++axis)
    for (const double sign : {1.0, -1.0})
      set.scalars.push_back(
          {link + ": centre of buoyancy",
           0,
           {{static_cast<int>(begin), scale[begin] / size.mass},
            {static_cast<int>(begin) + axis, sign * scale[begin + axis] / (reach * size.mass)}}});
}

}  // namespace

std::vector<LinkSize> link_sizes(const model::Arm& arm) {
  std::vector<LinkSize> sizes;
  for (const model::Link& link : arm.links()) {
    const double mass = std::max(link.body.mass.value, 1e-3);
    const double about_centre = link.body.inertia.value.trace() / 2;  // m k^2, k the radius of gyration
    const double square = about_centre / mass + link.body.centre_of_mass.value.squaredNorm();
    sizes.push_back({mass, std::max(std::sqrt(std::max(square, 0.0)), 0.02)});
  }
  return sizes;
}

Eigen::Matrix4d pseudo_inertia(const Eigen::Matrix<double, 10, 1>& p) {
  Mat3 inertia;
  inertia << p[4], p[5], p[6], p[5], p[7], p[8], p[6], p[8], p[9];
  Eigen::Matrix4d P;
  P.topLeftCorner<3, 3>() = 0.5 * inertia.trace() * Mat3::Identity() - inertia;
  P.topRightCorner<3, 1>() = p.segment<3>(1);
  P.bottomLeftCorner<1, 3>() = p.segment<3>(1).transpose();
  P(3, 3) = p[0];
  return P;
}

solve::ConicSet arm_constraints(const dynamics::ArmRegressor& regressor, std::span<const LinkSize> sizes,
                                const Eigen::VectorXd& scale, double least) {
  const model::Arm& arm = regressor.nominal();
  const dynamics::ArmColumns& columns = regressor.columns_of();
  const model::ParameterVector& parameters = regressor.parameters();
  if (sizes.size() != arm.size() || scale.size() != regressor.columns())
    reject("arm", fmt::format("has {} links with {} sizes, {} parameters and {} scales", arm.size(),
                              sizes.size(), parameters.size(), scale.size()));
  solve::ConicSet set;
  set.unknowns = static_cast<int>(parameters.size());
  const auto positive = [&](Index k) {
    set.scalars.push_back({parameters[static_cast<std::size_t>(k)].name, 0, {{static_cast<int>(k), 1.0}}});
  };
  for (std::size_t i = 0; i < arm.size(); ++i) {
    auto at = static_cast<Index>(dynamics::link_begin(columns, i));
    const std::string& name = arm.links()[i].name;
    if (columns.rigid) {
      set.matrices.push_back(body_constraint(name + ": body", at, scale, sizes[i], least));
      at += 10;
    }
    if (columns.buoyancy) {
      positive(at);
      add_centre_of_buoyancy(name, at, scale, sizes[i], set);
      at += 4;
    }
    if (columns.added_mass) {
      set.matrices.push_back(added_mass_constraint(name + ": added mass", at, scale, sizes[i]));
      at += 21;
    }
    if (columns.drag)
      for (Index k = 0; k < 12; ++k) positive(at + k);
  }
  for (auto k = static_cast<Index>(dynamics::link_begin(columns, arm.size())); k < set.unknowns; ++k)
    if (!parameters[static_cast<std::size_t>(k)].name.ends_with(".offset")) positive(k);
  return set;
}

}  // namespace fathom::consistency
