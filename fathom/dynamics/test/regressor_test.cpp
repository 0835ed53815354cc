// The named regressors of the literature: size, rank and ties (PUBLISHED).
#include "fathom/dynamics/regressor.hpp"

#include <Eigen/SVD>
#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/model/robot_parameters.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::dynamics::regressor_test {
namespace {

using model::structure_by_name;

Eigen::MatrixXd stacked(const model::Structure& structure, int samples) {
  RandomStream random(1, "stacked");
  const auto rows = static_cast<Eigen::Index>(model::free_indices(structure.dof).size());
  Eigen::MatrixXd Y(rows * samples, static_cast<Eigen::Index>(structure.size()));
  for (int k = 0; k < samples; ++k) {
    State state = test::random_state(random);
    if (structure.dof != Dof::six) {
      state.q_nb = Quat::Identity();
      state.nu_b.segment<2>(3).setZero();
    }
    Vec6 nu_dot = test::random_vec6(random);
    if (structure.dof != Dof::six) nu_dot.segment<2>(3).setZero();
    Y.middleRows(rows * k, rows) = regressor(structure, motion_of(state, nu_dot, model::Environment()));
  }
  return Y;
}

Eigen::Index rank_of(const Eigen::MatrixXd& Y) {
  const Eigen::VectorXd values = Eigen::JacobiSVD<Eigen::MatrixXd>(Y).singularValues();
  return (values.array() > 1e-10 * values[0]).count();
}

TEST(NamedStructures, HaveThePublishedSizesAndRanks) {
  struct Case {
    const char* name;
    std::size_t columns;
    Eigen::Index rank;
  };
  for (const Case& c : {Case{"vehicle-23", 23, 23}, Case{"vehicle-27", 27, 26}, Case{"vehicle-25", 25, 24},
                        Case{"vehicle-24", 24, 24}}) {
    const model::Structure structure = structure_by_name(c.name);
    EXPECT_EQ(structure.size(), c.columns) << c.name;
    EXPECT_EQ(rank_of(stacked(structure, 60)), c.rank) << c.name;
  }
}

TEST(NamedStructures, WeightAndBuoyancyHaveOppositeColumns) {
  const model::Structure structure = structure_by_name("vehicle-27");
  const Eigen::MatrixXd Y = stacked(structure, 10);
  const auto column = [&](const std::string& name) -> Eigen::VectorXd {
    for (std::size_t k = 0; k < structure.size(); ++k)
      if (name_of(structure.terms[k]) == name) return Y.col(static_cast<Eigen::Index>(k));
    ADD_FAILURE() << name;
    return {};
  };
  EXPECT_EQ((column("W") + column("B")).norm(), 0);
}

TEST(NamedStructures, EntriesApartAddUpToTheTiedColumn) {
  const Eigen::MatrixXd apart = stacked(structure_by_name("vehicle-27"), 10);
  const Eigen::MatrixXd tied = stacked(structure_by_name("vehicle-25"), 10);
  // 27: m11 m22 m33 m15 m24 m42 m51 ...; 25: m11 m22 m33 m15 m24 ...
  EXPECT_LT((apart.col(3) + apart.col(6) - tied.col(3)).norm(), 1e-13);
  EXPECT_LT((apart.col(4) + apart.col(5) - tied.col(4)).norm(), 1e-13);
}

/// Panetsos, eqs. 2 and 3 written out by hand for p = q = 0.
TEST(NamedStructures, Vehicle23IsTheModelOfSeed000) {
  RandomStream random(1, "Panetsos");
  const model::Structure structure = structure_by_name("vehicle-23");
  for (int repeat = 0; repeat < 20; ++repeat) {
    Eigen::VectorXd theta(23);
    for (int k = 0; k < 23; ++k) theta[k] = random.uniform(-1, 1);
    const double m11 = theta[0], m22 = theta[1], m33 = theta[2], m66 = theta[3], m13 = theta[4], m26 = theta[5];
    Eigen::Matrix4d M, D;
    M << m11, 0, m13, 0, 0, m22, 0, m26, m13, 0, m33, 0, 0, m26, 0, m66;
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) D(i, j) = theta[6 + 4 * i + j];
    const double net_weight = theta[22];

    Motion motion;
    motion.nu_r_b = test::random_vec6(random);
    motion.nu_r_dot_b = test::random_vec6(random);
    motion.nu_r_b.segment<2>(3).setZero();
    motion.nu_r_dot_b.segment<2>(3).setZero();
    const double u = motion.nu_r_b[0], v = motion.nu_r_b[1], w = motion.nu_r_b[2], r = motion.nu_r_b[5];
    const Eigen::Vector4d nu(u, v, w, r),
        nu_dot(motion.nu_r_dot_b[0], motion.nu_r_dot_b[1], motion.nu_r_dot_b[2], motion.nu_r_dot_b[5]);
    const double px = m11 * u + m13 * w, py = m22 * v + m26 * r;  // horizontal momentum
    const Eigen::Vector4d coriolis(-r * py, r * px, 0, u * py - v * px);
    const Eigen::Vector4d tau = M * nu_dot + coriolis + D * nu - Eigen::Vector4d(0, 0, net_weight, 0);
    EXPECT_LT((regressor(structure, motion) * theta - tau).norm(), 1e-13);
  }
}

TEST(NamedStructures, Vehicle24ReproducesARobotThatItCanHold) {
  RandomStream random(1, "vehicle-24");
  const model::Environment environment;
  const model::Structure structure = structure_by_name("vehicle-24");
  int held = 0;
  for (const auto& [name, robot] : test::all_robots()) {
    const auto [parameters, left_out] = model::parameters_of(robot, environment, structure);
    if (!left_out.empty()) continue;
    ++held;
    const Vehicle vehicle(robot, environment);
    const State state = test::random_state(random);
    const Vec6 nu_dot = test::random_vec6(random);
    const Vec6 ours = regressor(structure, motion_of(state, nu_dot, environment)) * parameters.values();
    EXPECT_LT((ours - inverse_dynamics(vehicle, state, nu_dot)).norm(), 1e-11 * (1 + ours.norm())) << name;
  }
  EXPECT_GE(held, 1);  // the BlueROV2 Heavy at least
}

TEST(Refusals, SizesThatDoNotFitAreNamed) {
  using fathom::test::error_text;
  const Vehicle vehicle(model::read_robot(FATHOM_ROBOTS_DIR "/bluerov2-heavy.yaml"), model::Environment());
  const model::Structure structure = structure_by_name("vehicle-24");
  ASSERT_EQ(structure.dof, Dof::six);
  Eigen::MatrixXd Y(6, 23);
  EXPECT_EQ(error_text([&] { regressor(structure, Motion{}, Y); }),
            "Y is 6 x 23, the structure vehicle-24 needs 6 x 24");
  model::Structure of_four = structure;
  of_four.dof = Dof::four;
  EXPECT_EQ(error_text([&] { forward_dynamics_by_parameters(vehicle, State{}, Vec6::Zero(), of_four); }),
            "structure vehicle-24 has 4 degrees of freedom, the vehicle 6");
  EXPECT_EQ(error_text([&] { thruster_wrench(vehicle, std::vector<double>(7)); }),
            "forces has 7 entries, the vehicle 8 thrusters");
}

}  // namespace
}  // namespace fathom::dynamics::regressor_test
