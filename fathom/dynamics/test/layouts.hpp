#pragma once
#include "fathom/base/random.hpp"
#include "fathom/dynamics/allocation.hpp"

namespace fathom::dynamics::test {

struct Layout {
  Mat6X B;
  std::vector<model::ForceRange> limits;
  AllocatorOptions options;
  double weight(Eigen::Index i) const {
    return options.weights.empty() ? 1 : options.weights[static_cast<std::size_t>(i)];
  }
};

Layout random_layout(int thrusters, RandomStream& random);

double cost(const Layout& layout, const Eigen::VectorXd& f);
/// The least cost of B f = tau within the limits, over every choice of which forces are at a limit.
double least_cost(const Layout& layout, const Vec6& tau, const Eigen::MatrixXd& U);

}  // namespace fathom::dynamics::test
