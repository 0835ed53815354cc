// What motions show of the parameters of a vehicle, against what is known of them in closed form.
#include "fathom/consistency/identifiability.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/dynamics/regressor.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/model/candidates.hpp"

namespace fathom::consistency::identifiability_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using fathom::test::error_text;
using model::Structure;
using model::structure_by_name;
using Texts = std::vector<std::string>;

std::vector<std::string> names_of(const Structure& structure) {
  std::vector<std::string> names;
  for (const auto& term : structure.terms) names.push_back(name_of(term));
  return names;
}

Texts texts(const std::vector<Combination>& list, const std::vector<std::string>& names) {
  Texts result;
  for (const auto& combination : list) result.push_back(to_text(combination, names));
  return result;
}

/// Y'Y / sigma^2 of random motions in which `still` velocities rest.
MatrixXd information_of(const Structure& structure, const std::vector<int>& still = {}, double sigma = 0.1) {
  RandomStream random(1, "identifiability");
  MatrixXd G =
      MatrixXd::Zero(static_cast<Eigen::Index>(structure.size()), static_cast<Eigen::Index>(structure.size()));
  for (int k = 0; k < 100; ++k) {
    dynamics::State state = dynamics::test::random_state(random);
    Vec6 nu_dot = dynamics::test::random_vec6(random);
    if (structure.dof != model::Dof::six) state.q_nb = Quat::Identity();
    for (int i = 0; i < 6; ++i)
      if (!is_free(structure.dof, i) || std::find(still.begin(), still.end(), i) != still.end())
        state.nu_b[i] = nu_dot[i] = 0;
    const MatrixXd Y = regressor(structure, motion_of(state, nu_dot, model::Environment()));
    G += Y.transpose() * Y / (sigma * sigma);
  }
  return G;
}

VectorXd ones(const MatrixXd& G) { return VectorXd::Ones(G.rows()); }

TEST(Identifiability, HasThePublishedRanks) {
  for (const auto& [name, rank] :
       {std::pair("vehicle-23", 23u), {"vehicle-24", 24u}, {"vehicle-25", 24u}, {"vehicle-27", 26u}}) {
    const MatrixXd G = information_of(structure_by_name(name));
    EXPECT_EQ(identifiability(G, ones(G)).rank, rank) << name;
  }
}

TEST(Identifiability, OfTheCandidatesIsFull) {
  for (const auto& robot : dynamics::test::all_robots())
    for (const Structure& structure : model::candidate_structures(robot.robot)) {
      const MatrixXd G = information_of(structure);
      EXPECT_EQ(identifiability(G, ones(G)).rank, structure.size()) << robot.name << " " << structure.name;
    }
}

TEST(Identifiability, ShowsOnlyTheDifferenceOfWeightAndBuoyancy) {
  for (const char* name : {"vehicle-25", "vehicle-27"}) {
    const Structure structure = structure_by_name(name);
    const auto names = names_of(structure);
    const MatrixXd G = information_of(structure);
    const Identifiability found = identifiability(G, ones(G));
    ASSERT_EQ(found.unidentifiable.size(), 2u) << name;
    EXPECT_EQ(names[found.unidentifiable[0]], "W");
    EXPECT_EQ(names[found.unidentifiable[1]], "B");
    EXPECT_EQ(texts(found.unidentifiable_directions, names), Texts{"W + B"});
    EXPECT_EQ(texts(found.identifiable_combinations, names), Texts{"W - B"});
  }
}

TEST(Identifiability, NamesWhatAMotionWithoutYawHides) {
  const Structure structure = structure_by_name("vehicle-23");
  const auto names = names_of(structure);
  const Identifiability found = identifiability(information_of(structure, {5}), VectorXd::Ones(23));
  // Without r, m66 and the column of d.6 move nothing. m26 v_dot and the Munk moment remain to be seen.
  const Texts hidden = {"m66", "d16", "d26", "d36", "d66"};
  EXPECT_EQ(texts(found.unidentifiable_directions, names), hidden);
  Texts unidentifiable;
  for (const std::size_t k : found.unidentifiable) unidentifiable.push_back(names[k]);
  EXPECT_EQ(unidentifiable, hidden);
  EXPECT_TRUE(found.identifiable_combinations.empty());
  EXPECT_EQ(found.rank, 18u);
}

/// At a steady turn v = -0.4 r, so m22 v + m26 r shows only in m26 - 0.4 m22: made by hand.
TEST(Identifiability, FindsTheCombinationThatATieBetweenMotionsShows) {
  MatrixXd Y(20, 3);
  for (int k = 0; k < 20; ++k) {
    const double r = std::sin(k), u = std::cos(2.3 * k);
    Y.row(k) << u, -0.4 * r, r;
  }
  const Identifiability found = identifiability(Y.transpose() * Y * 100, Eigen::Vector3d(20, 30, 2));
  const Texts names = {"m11", "m22", "m26"};
  EXPECT_EQ(found.rank, 2u);
  EXPECT_EQ(found.unidentifiable, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(texts(found.unidentifiable_directions, names), Texts{"m22 + 0.4 m26"});
  EXPECT_EQ(texts(found.identifiable_combinations, names), Texts{"0.4 m22 - m26"});
}

/// For any information of low rank: directions that it does not feel, combinations that they do not change,
/// as many as there must be.
TEST(Identifiability, DirectionsAndCombinationsFillTheSpace) {
  RandomStream random(1, "fill");
  for (int repeat = 0; repeat < 50; ++repeat) {
    const Eigen::Index size = 4 + repeat % 8, rank = 1 + repeat % (size - 1);
    MatrixXd A(rank, size);
    VectorXd scale(size);
    for (Eigen::Index i = 0; i < rank; ++i)
      for (Eigen::Index j = 0; j < size; ++j) A(i, j) = 1e3 * random.normal();
    for (Eigen::Index j = 0; j < size; ++j) scale[j] = std::pow(10, random.uniform(-1, 2));
    const Identifiability found = identifiability(A.transpose() * A, scale);
    ASSERT_EQ(found.rank, static_cast<std::size_t>(rank));
    ASSERT_EQ(found.unidentifiable_directions.size(), static_cast<std::size_t>(size - rank));
    ASSERT_EQ(found.unidentifiable.size(), static_cast<std::size_t>(size));  // each is in some direction
    ASSERT_EQ(found.identifiable_combinations.size(), static_cast<std::size_t>(rank));
    const auto dense = [size](const Combination& combination) {
      VectorXd v = VectorXd::Zero(size);
      for (const auto& term : combination.terms)
        v[static_cast<Eigen::Index>(term.parameter)] = term.coefficient;
      return v;
    };
    for (const auto& direction : found.unidentifiable_directions) {
      const VectorXd d = dense(direction);
      EXPECT_LT((A * d).norm(), 1e-4 * A.norm() * d.norm());
      EXPECT_EQ(d.cwiseAbs().maxCoeff(), 1);
      EXPECT_GT(direction.terms.front().coefficient, 0);
      for (const auto& seen : found.identifiable_combinations)
        EXPECT_NEAR(dense(seen).dot(d), 0, 1e-4 * dense(seen).norm() * d.norm());
    }
  }
}

TEST(Identifiability, IsAMatterOfTheLimitAndTheScale) {
  const MatrixXd information = Eigen::Vector2d(4, 100).asDiagonal();  // standard deviations 0.5 and 0.1
  const auto rank = [&](double first_scale, double limit) {
    return identifiability(information, Eigen::Vector2d(first_scale, 1), limit).rank;
  };
  EXPECT_EQ(rank(1, 1), 2u);
  EXPECT_EQ(rank(1, 0.49), 1u);
  EXPECT_EQ(rank(1, 0.51), 2u);
  EXPECT_EQ(rank(0.49, 1), 1u);
  EXPECT_EQ(rank(1, 0.05), 0u);
}

/// The direction a - b is beyond the limit of 1, yet neither a nor b is, as the inverse says.
TEST(Identifiability, OfOneParameterCountsAllDirections) {
  Eigen::Matrix2d information;
  information << 1, 0.9, 0.9, 1;
  information *= 6;  // eigenvalues 0.6 along a - b, and 11.4
  const Identifiability found = identifiability(information, Eigen::Vector2d::Ones());
  EXPECT_EQ(found.rank, 1u);
  EXPECT_LT(information.inverse()(0, 0), 1);
  EXPECT_TRUE(found.unidentifiable.empty());
  EXPECT_EQ(texts(found.unidentifiable_directions, {"a", "b"}), Texts{"a - b"});
}

TEST(Identifiability, OfNoDataIsNothing) {
  const Identifiability found = identifiability(MatrixXd::Zero(2, 2), Eigen::Vector2d(1, 5));
  EXPECT_EQ(found.rank, 0u);
  EXPECT_EQ(found.unidentifiable.size(), 2u);
  EXPECT_EQ(texts(found.unidentifiable_directions, {"a", "b"}), (Texts{"a", "b"}));
  EXPECT_TRUE(found.identifiable_combinations.empty());
}

TEST(Identifiability, RefusesWhatIsNoInformation) {
  const auto message_of = [](const MatrixXd& information, const VectorXd& scale, double limit = 1) {
    return error_text([&] { identifiability(information, scale, limit); });
  };
  const MatrixXd I = MatrixXd::Identity(2, 2);
  const VectorXd one = VectorXd::Ones(2);
  MatrixXd skewed = I, nan = I;
  skewed(0, 1) = 0.5;
  nan(0, 0) = std::nan("");
  EXPECT_EQ(message_of(I, VectorXd::Ones(3)), "information must be square, with a row per parameter");
  EXPECT_EQ(message_of(nan, one), "information has entries that are not finite");
  EXPECT_EQ(message_of(skewed, one), "information must be symmetric");
  EXPECT_EQ(message_of(-I, one), "information must be positive semi-definite");
  EXPECT_EQ(message_of(I, VectorXd::Zero(2)), "scale must be positive");
  EXPECT_EQ(message_of(I, one, 0), "limit must be positive");
  for (const double limit : {std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_EQ(message_of(I, one, limit), "limit must be positive");
}

TEST(CombinationText, IsShort) {
  const Texts names = {"m22", "m26", "W"};
  EXPECT_EQ(to_text({{{0, 0.8}, {1, -1}}}, names), "0.8 m22 - m26");
  EXPECT_EQ(to_text({{{0, 1}, {1, -0.4}, {2, 0.12345}}}, names), "m22 - 0.4 m26 + 0.123 W");
  EXPECT_EQ(to_text({{{1, -1}}}, names), "-m26");
  EXPECT_EQ(to_text({}, names), "0");
}

}  // namespace
}  // namespace fathom::consistency::identifiability_test
