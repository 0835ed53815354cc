#include "fathom/identify/commanded/acceleration_model.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "fathom/base/error.hpp"

namespace fathom::identify {
namespace {

using TermKind = AccelerationTerm::Kind;

constexpr std::array<std::string_view, 6> velocity_names = {"u", "v", "w", "p", "q", "r"};
constexpr std::array<std::string_view, 6> wrench_names = {"X", "Y", "Z", "K", "M", "N"};

std::string_view name_of_velocity(int i) { return velocity_names[static_cast<std::size_t>(i)]; }

}  // namespace

double AccelerationTerm::value(const Instant& at) const {
  const Vec6& nu = at.nu_b;
  switch (kind) {
    case Kind::wrench: return at.tau_b[i];
    case Kind::velocity: return nu[i];
    case Kind::drag: return nu.head<3>().norm() * nu[i];
    case Kind::own_drag: return std::abs(nu[i]) * nu[i];
    case Kind::turning: {
      const int next = (i + 1) % 3, last = (i + 2) % 3;
      return nu[next] * nu[3 + last] - nu[last] * nu[3 + next];
    }
    case Kind::product: return nu[i] * nu[j];
    case Kind::restoring: return at.down_b[i];
    case Kind::constant: break;
  }
  return 1;
}

bool AccelerationTerm::depends_on_wrench_or_place() const {
  if (kind == Kind::restoring || kind == Kind::constant) return false;
  const bool of_turning_alone = i >= 3 && (kind == Kind::own_drag || (kind == Kind::product && j >= 3));
  return !of_turning_alone;  // rates are the same at every point of a body
}

std::string AccelerationTerm::name() const {
  switch (kind) {
    case Kind::wrench: return std::string(wrench_names[static_cast<std::size_t>(i)]);
    case Kind::velocity: return std::string(name_of_velocity(i));
    case Kind::drag: return fmt::format("|v| {}", name_of_velocity(i));
    case Kind::own_drag: return fmt::format("|{0}| {0}", name_of_velocity(i));
    case Kind::turning: return fmt::format("-(omega x v)_{}", "xyz"[i]);
    case Kind::product: return fmt::format("{} {}", name_of_velocity(i), name_of_velocity(j));
    case Kind::restoring: return fmt::format("down_{}", "xyz"[i]);
    case Kind::constant: break;
  }
  return "1";
}

AccelerationTerms linear_terms() {
  AccelerationTerms terms;
  for (int i = 0; i < 6; ++i)
    terms[static_cast<std::size_t>(i)] = {{TermKind::wrench, i}, {TermKind::velocity, i}, {TermKind::constant}};
  return terms;
}

AccelerationTerms level_terms() {
  AccelerationTerms terms;
  terms[0] = {{TermKind::wrench, 0}, {TermKind::velocity, 0}, {TermKind::drag, 0}, {TermKind::product, 1, 5}};
  terms[1] = {{TermKind::wrench, 1}, {TermKind::velocity, 1}, {TermKind::drag, 1}, {TermKind::product, 0, 5}};
  terms[2] = {{TermKind::wrench, 2}, {TermKind::velocity, 2}, {TermKind::drag, 2}};
  terms[5] = {{TermKind::wrench, 5},
              {TermKind::velocity, 5},
              {TermKind::own_drag, 5},
              {TermKind::velocity, 1},
              {TermKind::product, 0, 1}};
  return terms;
}

AccelerationTerms full_terms() {
  AccelerationTerms terms;
  for (int i = 0; i < 3; ++i)
    terms[static_cast<std::size_t>(i)] = {
        {TermKind::wrench, i}, {TermKind::velocity, i}, {TermKind::drag, i}, {TermKind::turning, i}};
  terms[2].push_back({TermKind::constant});
  terms[3] = {{TermKind::wrench, 3}, {TermKind::wrench, 1},   {TermKind::velocity, 3}, {TermKind::restoring, 1},
              {TermKind::constant},  {TermKind::velocity, 1}, {TermKind::velocity, 5}};
  terms[4] = {{TermKind::wrench, 4}, {TermKind::wrench, 0},   {TermKind::velocity, 4}, {TermKind::restoring, 0},
              {TermKind::constant},  {TermKind::velocity, 0}, {TermKind::velocity, 2}};
  terms[5] = {{TermKind::wrench, 5}, {TermKind::velocity, 5}, {TermKind::own_drag, 5},
              {TermKind::wrench, 1}, {TermKind::velocity, 1}, {TermKind::product, 0, 1}};
  return terms;
}

Vec6 AccelerationModel::acceleration_b(const Instant& at) const {
  Vec6 acceleration = Vec6::Zero();
  for (std::size_t axis = 0; axis < 6; ++axis)
    for (std::size_t k = 0; k < terms[axis].size(); ++k)
      acceleration[static_cast<Eigen::Index>(axis)] +=
          theta[axis][static_cast<Eigen::Index>(k)] * terms[axis][k].value(at);
  return acceleration;
}

double AccelerationModel::coefficient(int axis, const AccelerationTerm& term) const {
  const auto of = static_cast<std::size_t>(axis);
  const auto found = std::find(terms[of].begin(), terms[of].end(), term);
  if (found == terms[of].end())
    reject(fmt::format("{}_dot", name_of_velocity(axis)), fmt::format("has no term {}", term.name()));
  return theta[of][found - terms[of].begin()];
}

double AccelerationModel::in_newton(int axis, const AccelerationTerm& term) const {
  return coefficient(axis, term) / coefficient(axis, {TermKind::wrench, axis});
}

}  // namespace fathom::identify
