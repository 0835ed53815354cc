#pragma once
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace fathom::model {

/// One unknown of a model.
struct Parameter {
  std::string name;  ///< such as m11, d26, q11|1|, W-B (structure.hpp)
  std::string unit;
  std::string group;  ///< inertia, damping.linear, damping.quadratic, restoring, ...
  double value = 0;
};

/// The unknowns of a model in a fixed order, with their covariance. A regressor's columns have the same names
/// in the same order.
class ParameterVector {
 public:
  ParameterVector() = default;
  /// Variances are infinite until somebody says how well the values are known.
  explicit ParameterVector(std::vector<Parameter> entries);
  /// Throws InputError unless the covariance has the right size, is symmetric and has no negative variance.
  ParameterVector(std::vector<Parameter> entries, Eigen::MatrixXd covariance);

  std::size_t size() const { return entries_.size(); }
  const std::vector<Parameter>& entries() const { return entries_; }
  const Parameter& operator[](std::size_t k) const { return entries_[k]; }
  Eigen::VectorXd values() const;
  const Eigen::MatrixXd& covariance() const { return covariance_; }
  double sigma(std::size_t k) const;  ///< standard deviation; infinite where unknown
  std::optional<std::size_t> find(const std::string& name) const;

  ParameterVector with_values(const Eigen::VectorXd& values) const;

 private:
  std::vector<Parameter> entries_;
  Eigen::MatrixXd covariance_;
};

}  // namespace fathom::model
