#include "fathom/model/parameters.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"

namespace fathom::model {
namespace {

void require(bool holds, const char* message) {
  if (!holds) reject("covariance", message);
}

}  // namespace

ParameterVector::ParameterVector(std::vector<Parameter> entries) : entries_(std::move(entries)) {
  const auto n = static_cast<Eigen::Index>(entries_.size());
  covariance_ = Eigen::MatrixXd::Zero(n, n);
  covariance_.diagonal().setConstant(infinity);
}

ParameterVector::ParameterVector(std::vector<Parameter> entries, Eigen::MatrixXd covariance)
    : entries_(std::move(entries)), covariance_(std::move(covariance)) {
  const auto n = static_cast<Eigen::Index>(entries_.size());
  require(covariance_.rows() == n && covariance_.cols() == n, "must have one row and column per parameter");
  for (Eigen::Index i = 0; i < n; ++i) {
    require(covariance_(i, i) >= 0, "has a variance that is negative or not a number");
    for (Eigen::Index j = 0; j < i; ++j) {
      const double difference = std::abs(covariance_(i, j) - covariance_(j, i));
      const double bound = 1e-9 * std::sqrt(covariance_(i, i)) * std::sqrt(covariance_(j, j));
      require(difference == 0 || difference <= bound, "is not symmetric");
    }
  }
}

Eigen::VectorXd ParameterVector::values() const {
  Eigen::VectorXd values(static_cast<Eigen::Index>(size()));
  for (std::size_t k = 0; k < size(); ++k) values[static_cast<Eigen::Index>(k)] = entries_[k].value;
  return values;
}

double ParameterVector::sigma(std::size_t k) const {
  const auto i = static_cast<Eigen::Index>(k);
  return std::sqrt(covariance_(i, i));
}

std::optional<std::size_t> ParameterVector::find(const std::string& name) const {
  for (std::size_t k = 0; k < size(); ++k)
    if (entries_[k].name == name) return k;
  return std::nullopt;
}

ParameterVector ParameterVector::with_values(const Eigen::VectorXd& values) const {
  if (values.size() != static_cast<Eigen::Index>(size()))
    reject("values", fmt::format("has {} entries, expected {}", values.size(), size()));
  ParameterVector result = *this;
  for (std::size_t k = 0; k < size(); ++k) result.entries_[k].value = values[static_cast<Eigen::Index>(k)];
  return result;
}

}  // namespace fathom::model
