#pragma once
// A problem of excitation as JSON, for tests/oracle/excitation_graph.py, which writes it down once more in
// CasADi.
#include <nlohmann/json.hpp>

#include "fathom/excite/accuracy.hpp"
#include "fathom/excite/bounds.hpp"
#include "fathom/excite/problem.hpp"

namespace fathom::oracle {

using Json = nlohmann::json;

inline Json json(const Eigen::Ref<const Eigen::VectorXd>& v) { return std::vector<double>(v.begin(), v.end()); }

/// Entries (row, column, value).
inline Json json(const solve::SparseRows& matrix) {
  Json entries = Json::array();
  for (Eigen::Index row = 0; row < matrix.rows(); ++row)
    for (solve::SparseRows::InnerIterator it(matrix, row); it; ++it)
      entries.push_back({row, it.col(), it.value()});
  return {{"rows", matrix.rows()}, {"columns", matrix.cols()}, {"entries", entries}};
}

inline std::string name_of(model::Term::Kind kind) {
  using Kind = model::Term::Kind;
  switch (kind) {
    case Kind::inertia: return "inertia";
    case Kind::inertia_entry: return "inertia_entry";
    case Kind::linear: return "linear";
    case Kind::quadratic: return "quadratic";
    case Kind::net_weight: return "net_weight";
    case Kind::weight: return "weight";
    case Kind::buoyancy: return "buoyancy";
    case Kind::first_moment: return "first_moment";
  }
  return "";
}

inline Json json(const model::Structure& structure) {
  Json terms = Json::array();
  for (const model::Term& term : structure.terms)
    terms.push_back(
        {{"kind", name_of(term.kind)}, {"row", term.row}, {"column", term.column}, {"speed", term.speed}});
  const auto free = model::free_indices(structure.dof);
  return {{"name", structure.name}, {"free", std::vector<int>(free.begin(), free.end())}, {"terms", terms}};
}

inline Json json(const trajectory::Basis& basis) {
  return {{"knots", basis.knots},
          {"degree", basis.degree},
          {"points", json(basis.points.rows)},
          {"start", json(basis.points.start)},
          {"end", json(basis.points.end)}};
}

inline Json json(const excite::Problem& problem, const trajectory::Basis& basis) {
  return {{"name", problem.name},
          {"start", json(problem.start)},
          {"end", json(problem.end)},
          {"coordinates", problem.coordinates()},
          {"sampling", problem.sampling},
          {"basis", json(basis)},
          {"structure", json(problem.structure)},
          {"row_weights", json(excite::row_weights(problem))},
          {"scales", json(excite::parameter_scales(problem))},
          {"prior", json(excite::prior_information(problem))}};
}

}  // namespace fathom::oracle
