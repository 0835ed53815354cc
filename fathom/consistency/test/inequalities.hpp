#pragma once
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "fathom/geometry/spectrum.hpp"
#include "fathom/solve/conic.hpp"

namespace fathom::consistency::test {

inline double margin(const solve::MatrixInequality& matrix, const Eigen::VectorXd& x) {
  Eigen::MatrixXd S = matrix.constant;
  for (const auto& entry : matrix.entries) {
    S(entry.row, entry.column) += entry.value * x[entry.unknown];
    if (entry.row != entry.column) S(entry.column, entry.row) += entry.value * x[entry.unknown];
  }
  return symmetric_eigenvalues(S)[0];
}

inline double margin(const solve::ScalarInequality& scalar, const Eigen::VectorXd& x) {
  double value = scalar.constant;
  for (const auto& entry : scalar.entries) value += entry.value * x[entry.unknown];
  return value;
}

/// The smallest margin of all inequalities, and whose it is.
struct Tightest {
  double margin = std::numeric_limits<double>::infinity();
  std::string name;
};

inline Tightest tightest(const solve::ConicSet& set, const Eigen::VectorXd& x) {
  Tightest result;
  const auto look = [&](const auto& list) {
    for (const auto& inequality : list)
      if (const double value = margin(inequality, x); value < result.margin) result = {value, inequality.name};
  };
  look(set.matrices);
  look(set.scalars);
  return result;
}

inline std::vector<std::string> names(const solve::ConicSet& set) {
  std::vector<std::string> result;
  for (const auto& matrix : set.matrices) result.push_back(matrix.name);
  for (const auto& scalar : set.scalars) result.push_back(scalar.name);
  return result;
}

}  // namespace fathom::consistency::test
