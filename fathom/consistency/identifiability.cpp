#include "fathom/consistency/identifiability.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"

namespace fathom::consistency {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double rounding = 1e-13;  // of a sum over a long log, relative to the largest eigenvalue
constexpr double absent = 1e-6;     // a coefficient, relative to the largest, that rounding may have left
constexpr double of_little_weight = 1e-2;  // the same of a parameter that is seen by itself

void require(bool holds, const char* key, const char* message) {
  if (!holds) reject(key, message);
}

void check(const MatrixXd& information, const VectorXd& scale, double limit) {
  require(information.rows() == information.cols() && information.rows() == scale.size(), "information",
          "must be square, with a row per parameter");
  require(information.allFinite(), "information", "has entries that are not finite");
  require(scale.allFinite() && (scale.array() > 0).all(), "scale", "must be positive");
  require(limit > 0 && std::isfinite(limit), "limit", "must be positive");
  const MatrixXd skewed = information - information.transpose();
  require(skewed.isZero(0) || skewed.cwiseAbs().maxCoeff() <= 1e-9 * information.cwiseAbs().maxCoeff(),
          "information", "must be symmetric");
}

/// Of each parameter by itself, docs/consistency.md eq. 7: infinite where an eigenvalue is no more than
/// `least`.
VectorXd variances(const VectorXd& lambda, const MatrixXd& V, double least) {
  const Index none = (lambda.array() <= least).count();  // eigenvalues ascend
  const Index some = lambda.size() - none;
  VectorXd result = V.rightCols(some).cwiseAbs2() * lambda.tail(some).cwiseInverse();
  for (Index k = 0; k < result.size(); ++k)
    if (V.row(k).head(none).norm() > absent) result[k] = infinity;
  return result;
}

/// Rows that span the same space, each with a column of its own where it is 1 and the others are 0: reduced
/// echelon form with complete pivoting, so that no other entry is much larger.
MatrixXd reduced(MatrixXd rows) {
  std::vector<Index> left(static_cast<std::size_t>(rows.rows()));
  for (std::size_t k = 0; k < left.size(); ++k) left[k] = static_cast<Index>(k);
  while (!left.empty()) {
    std::size_t best = 0;
    Index column = 0;
    double largest = -1;
    for (std::size_t k = 0; k < left.size(); ++k) {
      Index at = 0;
      const double value = rows.row(left[k]).cwiseAbs().maxCoeff(&at);
      if (value > largest) {
        largest = value;
        best = k;
        column = at;
      }
    }
    const Index pivot = left[best];
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
    rows.row(pivot) /= rows(pivot, column);
    for (Index other = 0; other < rows.rows(); ++other)
      if (other != pivot) rows.row(other) -= rows(other, column) * rows.row(pivot).eval();
  }
  return rows;
}

/// `in_units` are coefficients of parameters that are all of size 1, `unit` what one of each is in its own.
Combination combination(const VectorXd& in_units, const VectorXd& unit,
                        const std::vector<bool>& is_unidentifiable) {
  const double largest_in_units = in_units.cwiseAbs().maxCoeff();
  Combination result;
  double largest = 0;
  for (Index k = 0; k < in_units.size(); ++k) {
    const auto parameter = static_cast<std::size_t>(k);
    const double least = is_unidentifiable[parameter] ? absent : of_little_weight;
    if (std::abs(in_units[k]) < least * largest_in_units) continue;
    result.terms.push_back({parameter, in_units[k] * unit[k]});
    largest = std::max(largest, std::abs(result.terms.back().coefficient));
  }
  const double sign = result.terms.front().coefficient < 0 ? -1 : 1;
  for (auto& term : result.terms) term.coefficient = sign * term.coefficient / largest;
  return result;
}

std::vector<Combination> combinations(const MatrixXd& rows, const VectorXd& unit,
                                      const std::vector<bool>& is_unidentifiable) {
  std::vector<std::pair<std::size_t, Combination>> list;
  const MatrixXd readable = reduced(rows);
  for (Index k = 0; k < readable.rows(); ++k) {
    Combination found = combination(readable.row(k).transpose(), unit, is_unidentifiable);
    const std::size_t first = found.terms.front().parameter;
    list.emplace_back(first, std::move(found));
  }
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Combination> result;
  for (auto& entry : list) result.push_back(std::move(entry.second));
  return result;
}

/// Rows that span what is orthogonal to the unidentifiable directions (rows of `unidentifiable`) among the
/// parameters `among`; docs/consistency.md eq. 9.
MatrixXd seen_rows(const MatrixXd& unidentifiable, const std::vector<std::size_t>& among) {
  const std::vector<Index> columns(among.begin(), among.end());
  const auto size = static_cast<Index>(columns.size());
  const MatrixXd part = unidentifiable(Eigen::all, columns);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> spectrum(MatrixXd(part.transpose() * part));
  const auto count = (spectrum.eigenvalues().array() < absent * absent).count();
  MatrixXd rows = MatrixXd::Zero(count, unidentifiable.cols());
  for (Index k = 0; k < size; ++k)
    rows.col(columns[static_cast<std::size_t>(k)]) = spectrum.eigenvectors().row(k).head(count).transpose();
  return rows;
}

}  // namespace

Identifiability identifiability(const MatrixXd& information, const VectorXd& scale, double limit) {
  check(information, scale, limit);
  Identifiability result;
  const Index size = scale.size();
  if (size == 0) return result;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> spectrum(
      MatrixXd(scale.asDiagonal() * information * scale.asDiagonal()));
  const VectorXd& lambda = spectrum.eigenvalues();
  const MatrixXd& V = spectrum.eigenvectors();
  const double largest = lambda.cwiseAbs().maxCoeff();
  require(lambda[0] >= -1e-9 * largest, "information", "must be positive semi-definite");

  const double least = rounding * largest;
  const VectorXd variance = variances(lambda, V, least);
  std::vector<bool> is_unidentifiable;
  for (Index k = 0; k < size; ++k) {
    is_unidentifiable.push_back(std::sqrt(variance[k]) > limit);
    if (is_unidentifiable.back()) result.unidentifiable.push_back(static_cast<std::size_t>(k));
  }
  const auto hidden = (lambda.array() < std::max(1 / (limit * limit), least)).count();  // ascending
  result.rank = static_cast<std::size_t>(size - hidden);
  if (hidden == 0) return result;

  const MatrixXd unidentifiable = V.leftCols(hidden).transpose();
  result.unidentifiable_directions = combinations(unidentifiable, scale, is_unidentifiable);
  if (!result.unidentifiable.empty())
    result.identifiable_combinations =
        combinations(seen_rows(unidentifiable, result.unidentifiable), scale.cwiseInverse(), is_unidentifiable);
  return result;
}

std::string to_text(const Combination& combination, const std::vector<std::string>& names,
                    std::size_t most_terms) {
  std::vector<Combination::Term> terms = combination.terms;
  std::stable_sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) {
    return std::abs(a.coefficient) > std::abs(b.coefficient);
  });
  const std::size_t left_out = terms.size() > most_terms ? terms.size() - most_terms : 0;
  terms.resize(terms.size() - left_out);
  if (left_out == 0) terms = combination.terms;
  std::string text;
  for (const auto& [parameter, coefficient] : terms) {
    const std::string size = fmt::format("{:.3g}", std::abs(coefficient));
    const bool is_first = text.empty();
    text += coefficient < 0 ? (is_first ? "-" : " - ") : (is_first ? "" : " + ");
    if (size != "1") text += size + " ";
    text += names.at(parameter);
  }
  if (left_out > 0) text += fmt::format(" + {} smaller terms", left_out);
  return text.empty() ? "0" : text;
}

}  // namespace fathom::consistency
