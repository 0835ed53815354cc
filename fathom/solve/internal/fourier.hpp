#pragma once
#include <complex>
#include <vector>

#include <Eigen/Core>

namespace fathom::solve::internal {

/// The discrete Fourier transform z_j = sum_t z_t exp(-2 pi i j t / n) of a power of two of numbers, in place.
class Fourier {
 public:
  explicit Fourier(Eigen::Index n);
  Eigen::Index size() const { return static_cast<Eigen::Index>(reversed_.size()); }
  void transform(Eigen::VectorXcd& z) const;

 private:
  std::vector<Eigen::Index> reversed_;  // bits of the index
  Eigen::VectorXcd roots_;              // exp(-2 pi i j / n), j < n / 2
};

/// The least power of two that is not less.
Eigen::Index power_of_two(double least);

}  // namespace fathom::solve::internal
