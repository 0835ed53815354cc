#pragma once
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::model {

/// Nothing on a robot has a larger number in SI units, nor, where it must be positive, a smaller one; within
/// these bounds the equation of motion neither overflows nor underflows.
inline constexpr double largest_number = 1e12, smallest_positive = 1e-12;

/// Collects what is wrong with the values of a model.
class Checker {
 public:
  void error(std::string key, std::string message, std::string hint) {
    add_error(findings, std::move(key), std::move(message), std::move(hint));
  }
  void wrong_sign(std::string key, std::string message, std::string hint) {
    error(std::move(key), std::move(message), std::move(hint));
    findings.back().wrong_sign = true;
  }
  bool finite(const std::string& key, double value) {
    if (std::abs(value) <= largest_number) return true;
    error(key, fmt::format("= {}, must be finite and at most {:g}", value, largest_number),
          "measure it, or leave the key out if it is optional");
    return false;
  }
  template <class Derived>
  bool finite(const std::string& key, const Eigen::MatrixBase<Derived>& value) {
    if (value.allFinite() && value.cwiseAbs().maxCoeff() <= largest_number) return true;
    error(key, fmt::format("has an entry that is not finite or is beyond {:g}", largest_number),
          "every entry must be a number in SI units");
    return false;
  }
  bool finite(const std::string& key, const QuadraticDrag& drag) {
    for (const Mat6& Q : drag.by_speed)
      if (!finite(key, Q)) return false;
    return true;
  }
  void positive(const std::string& key, double value, const std::string& hint) {
    if (!finite(key, value) || value > smallest_positive) return;
    error(key, fmt::format("= {}, must be > {:g}", value, value > 0 ? smallest_positive : 0), hint);
  }
  template <class T>
  void sigma(const std::string& key, const Value<T>& value);

  Findings findings;
};

/// Infinity is a sigma too: unknown.
inline bool is_sigma(double x) { return x >= 0; }
template <class Derived>
bool is_sigma(const Eigen::MatrixBase<Derived>& m) {
  return (m.array() >= 0).all();
}
inline bool is_sigma(const QuadraticDrag& drag) {
  for (const Mat6& Q : drag.by_speed)
    if (!is_sigma(Q)) return false;
  return true;
}
inline bool is_sigma(const ForceRange& range) { return is_sigma(range.min) && is_sigma(range.max); }

template <class T>
void Checker::sigma(const std::string& key, const Value<T>& value) {
  if (value.sigma && !is_sigma(*value.sigma))
    error(key + ".sigma", "has an entry that is negative or not a number",
          "sigma is a standard deviation, >= 0; .inf where unknown");
}

}  // namespace fathom::model
