#pragma once
#include <Eigen/Core>
#include <nlohmann/json.hpp>

namespace fathom::test {

/// A matrix as a list of its rows.
template <class Derived>
nlohmann::ordered_json rows_of(const Eigen::MatrixBase<Derived>& m) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    nlohmann::ordered_json row = nlohmann::ordered_json::array();
    for (Eigen::Index j = 0; j < m.cols(); ++j) row.push_back(m(i, j));
    rows.push_back(row);
  }
  return rows;
}

/// A vector as a list.
template <class Derived>
nlohmann::ordered_json list_of(const Eigen::MatrixBase<Derived>& v) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const double x : v) list.push_back(x);
  return list;
}

}  // namespace fathom::test
