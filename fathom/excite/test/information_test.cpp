#include "fathom/excite/information.hpp"

#include <gtest/gtest.h>

#include "fathom/base/derivative.hpp"
#include "fathom/base/random.hpp"
#include "fathom/dynamics/regressor.hpp"

namespace fathom::excite::information_test {
namespace {

/// Any velocities and accelerations, and a unit vector down; the last rows only fill a block.
Samples random_samples(model::Dof dof, Eigen::Index rows, Eigen::Index fillers, std::uint64_t seed) {
  RandomStream random(seed, "samples");
  Samples samples(rows);
  for (Eigen::Index k = 0; k < rows - fillers; ++k) {
    for (const int i : model::free_indices(dof)) {
      samples.nu(k, i) = random.normal();
      samples.nu_dot(k, i) = random.normal();
    }
    Vec3 down = Vec3::UnitZ();
    if (dof == model::Dof::six) down = Vec3(random.normal(), random.normal(), random.normal()).normalized();
    samples.down.row(k) = down.transpose();
  }
  return samples;
}

Eigen::MatrixXd summed(const model::Structure& structure, const Eigen::VectorXd& weight, const Samples& samples,
                       Eigen::Index count) {
  const auto n = static_cast<Eigen::Index>(structure.size());
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index k = 0; k < count; ++k) {
    dynamics::Motion motion;
    motion.nu_r_b = samples.nu.row(k).transpose();
    motion.nu_r_dot_b = samples.nu_dot.row(k).transpose();
    motion.down_b = samples.down.row(k).transpose();
    const Eigen::MatrixXd Y = dynamics::regressor(structure, motion);
    G += Y.transpose() * weight.asDiagonal() * Y;
  }
  return G;
}

std::vector<model::Structure> structures() {
  std::vector<model::Structure> all;
  for (const auto name : model::structure_names()) all.push_back(model::structure_by_name(name));
  for (const auto dof : {model::Dof::three, model::Dof::four, model::Dof::six})
    all.push_back(model::full_structure(dof));
  return all;
}

Eigen::VectorXd weights_of(const model::Structure& structure) {
  const auto n = static_cast<Eigen::Index>(model::free_indices(structure.dof).size());
  return Eigen::VectorXd::LinSpaced(n, 0.5, 2.5);
}

TEST(Information, IsTheSumOverRegressors) {
  for (const auto& structure : structures()) {
    const Eigen::VectorXd weight = weights_of(structure);
    const Samples samples = random_samples(structure.dof, 48, 5, 1);
    Information information(structure, weight);
    const Eigen::MatrixXd expected = summed(structure, weight, samples, 43);
    for (int again = 0; again < 2; ++again)  // what was gathered before must not matter
      EXPECT_LT((information.matrix(samples) - expected).cwiseAbs().maxCoeff(), 1e-12 * expected.norm())
          << structure.name;
  }
}

TEST(Information, GradientIsThatOfFiniteDifferences) {
  for (const auto name : {"vehicle-23", "vehicle-24", "vehicle-27"}) {
    const auto structure = model::structure_by_name(name);
    const auto n = static_cast<Eigen::Index>(structure.size());
    Information information(structure, weights_of(structure));
    Samples samples = random_samples(structure.dof, 8, 0, 2);
    RandomStream random(3, "W");
    Eigen::MatrixXd W = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return random.normal(); });
    W = (W + W.transpose()).eval();
    Samples adjoint(8);
    information.add_gradient(samples, W, adjoint);

    constexpr Eigen::Index row = 5;
    const auto put = [&](const Eigen::VectorXd& z) {
      for (int i = 0; i < 6; ++i) {
        if (!model::is_free(structure.dof, i)) continue;
        samples.nu(row, i) = z[i];
        samples.nu_dot(row, i) = z[6 + i];
      }
      if (structure.dof == model::Dof::six) samples.down.row(row) = z.tail<3>().transpose();
    };
    Eigen::VectorXd z(15), analytic(15);
    z << samples.nu.row(row).transpose(), samples.nu_dot.row(row).transpose(),
        samples.down.row(row).transpose();
    analytic << adjoint.nu.row(row).transpose(), adjoint.nu_dot.row(row).transpose(),
        adjoint.down.row(row).transpose();
    if (structure.dof != model::Dof::six) analytic[14] = 0;  // down is not a variable there
    const auto at = [&](const Eigen::VectorXd& moved) -> Eigen::VectorXd {
      put(moved);
      return Eigen::VectorXd::Constant(1, information.matrix(samples).cwiseProduct(W).sum());
    };
    const auto check = check_derivative(at, z, analytic.transpose(), 0.01, 1e-8);
    EXPECT_TRUE(check.ok) << name << ": " << check.text();
  }
}

}  // namespace
}  // namespace fathom::excite::information_test
