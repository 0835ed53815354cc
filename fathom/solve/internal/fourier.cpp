#include "fathom/solve/internal/fourier.hpp"

#include <numbers>
#include <utility>

namespace fathom::solve::internal {

using Eigen::Index;

Fourier::Fourier(Index n) : reversed_(static_cast<std::size_t>(n)), roots_(n / 2) {
  for (Index i = 1; i < n; ++i) {
    const auto half = reversed_[static_cast<std::size_t>(i / 2)] / 2;
    reversed_[static_cast<std::size_t>(i)] = half + (i % 2) * (n / 2);
  }
  const double step = -2 * std::numbers::pi / static_cast<double>(n);
  for (Index j = 0; j < n / 2; ++j) roots_[j] = std::polar(1.0, step * static_cast<double>(j));
}

void Fourier::transform(Eigen::VectorXcd& z) const {
  const Index n = size();
  for (Index i = 0; i < n; ++i) {
    const Index j = reversed_[static_cast<std::size_t>(i)];
    if (i < j) std::swap(z[i], z[j]);
  }
  for (Index half = 1; half < n; half *= 2) {
    const Index stride = n / 2 / half;
    for (Index first = 0; first < n; first += 2 * half)
      for (Index k = 0; k < half; ++k) {
        const double c = roots_[k * stride].real(), s = roots_[k * stride].imag();
        std::complex<double>&a = z[first + k], &b = z[first + half + k];
        const std::complex<double> turned{c * b.real() - s * b.imag(), c * b.imag() + s * b.real()};
        b = a - turned;
        a += turned;
      }
  }
}

Index power_of_two(double least) {
  Index n = 1;
  while (static_cast<double>(n) < least) n *= 2;
  return n;
}

}  // namespace fathom::solve::internal
