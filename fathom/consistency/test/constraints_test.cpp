// The inequalities against matrices that are read off the regressor's forces, on every robot and structure.
#include "fathom/consistency/constraints.hpp"

#include <gtest/gtest.h>

#include "fathom/consistency/test/inequalities.hpp"
#include "fathom/dynamics/regressor.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/model/candidates.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::consistency::constraints_test {
namespace {

using model::Dof;
using model::Structure;
using model::StructureOptions;
using model::Term;
using Kind = Term::Kind;

constexpr double rounding = 1e-9;  // of margins, which are relative to the robot's own diagonal

std::vector<Structure> all_structures(const model::Robot& robot) {
  std::vector<Structure> list = model::candidate_structures(robot);
  for (const auto name : model::structure_names()) list.push_back(model::structure_by_name(name));
  for (const Dof dof : {Dof::three, Dof::four, Dof::six}) list.push_back(model::full_structure(dof));
  StructureOptions options;
  options.symmetry.port_starboard = true;
  options.linear = StructureOptions::Linear::planes;
  for (const Dof dof : {Dof::three, Dof::four, Dof::six}) {
    options.dof = dof;
    list.push_back(model::make_structure("planes", options));
  }
  options.inertia = StructureOptions::Inertia::diagonal;
  options.linear = StructureOptions::Linear::none;
  list.push_back(model::make_structure("diagonal", options));
  return list;
}

/// The wrench of parameters in a motion, all six rows: those of held velocities are zero.
Vec6 wrench(const Structure& structure, const Eigen::VectorXd& x, const Vec6& nu, const Vec6& nu_dot) {
  dynamics::Motion motion{nu, nu_dot, Vec3::Zero()};
  const Eigen::VectorXd tau = dynamics::regressor(structure, motion) * x;
  const auto free = model::free_indices(structure.dof);
  Vec6 result = Vec6::Zero();
  for (std::size_t k = 0; k < free.size(); ++k) result[free[k]] = tau[static_cast<Eigen::Index>(k)];
  return result;
}

/// M, D and Q_j of a parameter vector, from forces alone.
struct Matrices {
  Mat6 M = Mat6::Zero(), D = Mat6::Zero();
  std::array<Mat6, 6> Q = model::QuadraticDrag().by_speed;
};

Matrices from_forces(const Structure& structure, const Eigen::VectorXd& x) {
  // Coriolis forces are even in nu, damping is odd; its parts grow with the speed and with its square.
  const auto damping = [&](const Vec6& nu) -> Vec6 {
    return 0.5 * (wrench(structure, x, nu, Vec6::Zero()) - wrench(structure, x, -nu, Vec6::Zero()));
  };
  const auto linear = [&](const Vec6& nu) -> Vec6 { return 2 * damping(nu) - 0.5 * damping(2 * nu); };
  const auto quadratic = [&](const Vec6& nu) -> Vec6 { return 0.5 * damping(2 * nu) - damping(nu); };
  Matrices result;
  const auto free = model::free_indices(structure.dof);
  for (const int i : free) {
    const Vec6 e_i = Vec6::Unit(i);
    result.M.col(i) = wrench(structure, x, Vec6::Zero(), e_i);
    result.D.col(i) = linear(e_i);
    for (const int j : free) {
      const Vec6 e_j = Vec6::Unit(j);  // the sum is 2 Q_i e_i + 2 Q_j e_i
      const Vec6 sum = quadratic(e_i + e_j) + quadratic(e_i - e_j);
      result.Q[static_cast<std::size_t>(j)].col(i) = i == j ? quadratic(e_i) : Vec6(0.5 * sum - quadratic(e_i));
    }
  }
  return result;
}

/// The smallest eigenvalue of the symmetric part, in units of `scale`.
double smallest(const Mat6& m, const Vec6& scale, Dof dof) {
  const auto free = model::free_indices(dof);
  const Vec6 T = scale.cwiseSqrt().cwiseInverse();
  const Mat6 S = T.asDiagonal() * (0.5 * (m + m.transpose())) * T.asDiagonal();
  const std::vector<int> rows(free.begin(), free.end());
  return symmetric_eigenvalues(Eigen::MatrixXd(S(rows, rows)))[0];
}

/// The smallest of all eigenvalues of M - M_rb or M, D + D' and Q_j + Q_j', relative to M.
double brute_force(const dynamics::Vehicle& vehicle, const Structure& structure, const Mat6& has_inertia,
                   const Eigen::VectorXd& x, bool dry_body) {
  const Matrices ours = from_forces(structure, x);
  Mat6 M = (has_inertia.array() != 0).select(ours.M, vehicle.M());
  if (dry_body) M -= vehicle.M_rb();
  const Vec6 scale = vehicle.M().diagonal();
  double worst = smallest(M, scale, structure.dof);
  worst = std::min(worst, smallest(ours.D, scale, structure.dof));
  for (const Mat6& Q : ours.Q) worst = std::min(worst, smallest(Q, scale, structure.dof));
  return worst;
}

Eigen::VectorXd own_parameters(const model::Robot& robot, const Structure& structure) {
  return model::parameters_of(robot, model::Environment(), structure).parameters.values();
}

class Constraints : public testing::TestWithParam<dynamics::test::NamedRobot> {};

TEST_P(Constraints, HoldForTheRobotItself) {
  const model::Robot& robot = GetParam().robot;
  int held = 0;
  for (const Structure& structure : all_structures(robot)) {
    const auto [parameters, left_out] = model::parameters_of(robot, model::Environment(), structure);
    ConstraintOptions options;
    options.dissipation = left_out.empty();  // otherwise the terms that are there need not dissipate alone
    for (const double least : {0.0, 1e-6}) {
      options.least = least;
      const auto set = constraints(structure, robot, model::Environment(), options);
      const auto worst = test::tightest(set, parameters.values());
      EXPECT_GE(worst.margin, -least - rounding) << structure.name << ": " << worst.name;
    }
    held += left_out.empty();
  }
  const bool is_random = GetParam().name.starts_with("random");
  EXPECT_GE(held, is_random ? 0 : 1);
}

/// Terms of one matrix are moved at a time, so that each matrix by itself decides.
TEST_P(Constraints, AreThoseOfTheEigenvaluesOfWholeMatrices) {
  const model::Robot& robot = GetParam().robot;
  const dynamics::Vehicle vehicle(robot);
  RandomStream random(1, "conditions");
  int allowed = 0, forbidden = 0;
  for (const Structure& structure : all_structures(robot)) {
    if (structure.size() > 100) continue;  // random ones are all forbidden, and slow
    const Eigen::VectorXd own = own_parameters(robot, structure);
    const Mat6 has_inertia = from_forces(structure, Eigen::VectorXd::Ones(own.size())).M;
    ConstraintOptions options;
    options.least = 0;
    for (const bool dry_body : {true, false}) {
      options.dry_body = dry_body;
      const auto set = constraints(structure, robot, model::Environment(), options);
      for (int repeat = 0; repeat < 6; ++repeat) {
        Eigen::VectorXd x = own;
        const std::string group = repeat % 3 == 0 ? "inertia" : repeat % 3 == 1 ? "damping.l" : "damping.q";
        for (std::size_t k = 0; k < structure.size(); ++k)
          if (group_of(structure.terms[k]).starts_with(group)) {
            double& value = x[static_cast<Eigen::Index>(k)];
            value += (repeat < 3 ? 0.4 : 1.5) * random.uniform(-1, 1) * (std::abs(value) + 0.1);
          }
        const double brute = brute_force(vehicle, structure, has_inertia, x, dry_body);
        const double ours = test::tightest(set, x).margin;
        if (std::abs(brute) > 1e-6) {  // rows without any term are zero, on the border
          EXPECT_EQ(ours < -rounding, brute < 0) << structure.name << " " << group << " " << ours << brute;
        } else {
          EXPECT_GT(ours, -1e-5) << structure.name << " " << group;
        }
        (brute < -1e-6 ? forbidden : allowed)++;
      }
    }
  }
  EXPECT_GE(allowed, 10);
  EXPECT_GE(forbidden, 10);
}

/// Otherwise no interior point could start.
TEST_P(Constraints, HaveAnInside) {
  const model::Robot& robot = GetParam().robot;
  const Vec6 scale = dynamics::Vehicle(robot).M().diagonal();
  for (const Structure& structure : all_structures(robot)) {
    Eigen::VectorXd x = own_parameters(robot, structure);
    for (std::size_t k = 0; k < structure.size(); ++k) {
      const Term& term = structure.terms[k];
      double& value = x[static_cast<Eigen::Index>(k)];
      const bool is_damping = group_of(term).starts_with("damping");
      if (is_damping) value = 0;
      if (is_damping || group_of(term) == "inertia")
        value += term.row == term.column ? 0.1 * scale[term.row] : 0;
    }
    const auto worst = test::tightest(constraints(structure, robot, model::Environment()), x);
    EXPECT_GT(worst.margin, 1e-4) << structure.name << ": " << worst.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Robots, Constraints, testing::ValuesIn(dynamics::test::all_robots()),
                         dynamics::test::case_name);

}  // namespace
}  // namespace fathom::consistency::constraints_test
