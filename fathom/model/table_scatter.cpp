#include "fathom/model/table_scatter.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Core>
#include <Eigen/QR>

namespace fathom::model {
namespace {

using Eigen::Index;

constexpr double least_force = 0.02;  // of the largest: below, a table's last digit counts

/// Sum of squared relative residuals of one side of a row, and how many of them are free.
struct Scatter {
  double square = 0;
  Index free = 0;
};

Scatter scatter_of(const std::vector<double>& x, const std::vector<double>& f) {
  const auto n = static_cast<Index>(x.size());
  const Index terms = n >= 7 ? 3 : 2;
  if (n < terms + 2) return {};
  Eigen::MatrixXd A(n, terms);
  for (Index k = 0; k < n; ++k)
    for (Index p = 0; p < terms; ++p)
      A(k, p) =
          std::pow(x[static_cast<std::size_t>(k)], static_cast<double>(p + 1)) / f[static_cast<std::size_t>(k)];
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(n);
  const Eigen::VectorXd law = A.colPivHouseholderQr().solve(ones);
  return {(A * law - ones).squaredNorm(), n - terms};
}

}  // namespace

std::optional<double> table_scatter(const ForceTable& table, double neutral) {
  Scatter sum;
  for (const std::vector<double>& row : table.forces)
    for (const double side : {1.0, -1.0}) {
      double edge = 0, most = 0;
      for (std::size_t k = 0; k < row.size(); ++k) {
        const double away = side * (table.commands[k] - neutral);
        if (away > 0 && row[k] == 0) edge = std::max(edge, away);
        if (away > 0) most = std::max(most, std::abs(row[k]));
      }
      std::vector<double> x, f;
      for (std::size_t k = 0; k < row.size(); ++k) {
        const double away = side * (table.commands[k] - neutral) - edge;
        if (away <= 0 || std::abs(row[k]) < least_force * most) continue;
        x.push_back(away);
        f.push_back(std::abs(row[k]));
      }
      const Scatter one = scatter_of(x, f);
      sum.square += one.square;
      sum.free += one.free;
    }
  if (sum.free < 2) return std::nullopt;
  return std::sqrt(sum.square / static_cast<double>(sum.free));
}

}  // namespace fathom::model
