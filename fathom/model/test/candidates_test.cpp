#include "fathom/model/candidates.hpp"

#include <set>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/model/robot_parameters.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::candidates_test {
namespace {

using Kind = Term::Kind;
using fathom::test::error_text;

Robot robot_named(const std::string& name) { return read_robot(FATHOM_ROBOTS_DIR "/" + name + ".yaml"); }

std::string names_from(const Structure& structure, std::size_t first) {
  std::string text;
  for (std::size_t k = first; k < structure.size(); ++k)
    text += (text.empty() ? "" : " ") + name_of(structure.terms[k]);
  return text;
}

TEST(Candidates, OfAVehicleWithItsOriginAtTheCamera) {
  const Robot robot = robot_named("defender-like");
  const auto names = [&](std::string_view name, std::size_t first = 0) {
    return names_from(candidate(name, robot), first);
  };
  EXPECT_EQ(names("linear"), names_from(structure_by_name("vehicle-23"), 0));
  EXPECT_EQ(names("diagonal"), "m11 m22 m33 m66 m13 m26 d11 d22 d33 d66 q11|1| q22|2| q33|3| q66|6| W-B");
  EXPECT_EQ(names("quadratic", 22), "q11|1| q22|2| q33|3| q66|6| W-B");
  EXPECT_EQ(names("cross", 22),
            "q11|1| q22|2| q33|3| q66|6| q13|1| q31|1| q33|1| q26|2| q62|2| q66|2| q11|3| q13|3| q31|3| "
            "q22|6| q26|6| q62|6| W-B");
  EXPECT_EQ(names("6dof"),
            "m11 m22 m33 m44 m55 m66 m13 m15 m24 m26 m35 m46 d11 d13 d15 d22 d24 d26 d31 d33 d35 d42 d44 d46 "
            "d51 d53 d55 d62 d64 d66 q11|1| q22|2| q33|3| q44|4| q55|5| q66|6| W-B xgW-xbB ygW-ybB zgW-zbB");
  EXPECT_EQ(names("6dof-cross", 36),
            "q15|1| q51|1| q55|1| q24|2| q26|2| q42|2| q44|2| q46|2| q62|2| q64|2| q66|2| q35|3| q53|3| q55|3| "
            "W-B xgW-xbB ygW-ybB zgW-zbB");
  EXPECT_EQ(names("6dof-oblique", 50),
            "q22|1| q26|1| q62|1| q66|1| q33|1| q11|2| q33|2| q11|3| q22|3| q11|6| q22|6| q26|6| q62|6| q33|6| "
            "W-B xgW-xbB ygW-ybB zgW-zbB");
}

TEST(Candidates, HoldTheWholeOfTheDefenderLikeVehicle) {
  const Robot robot = robot_named("defender-like");
  const auto left_out = [&](std::string_view name) {
    return parameters_of(robot, Environment(), candidate(name, robot)).left_out;
  };
  EXPECT_TRUE(left_out("cross").empty());
  EXPECT_TRUE(left_out("6dof-cross").empty());
  EXPECT_FALSE(left_out("quadratic").empty());
  EXPECT_FALSE(left_out("6dof").empty());
}

TEST(Candidates, AreTheListedOnes) {
  EXPECT_EQ(candidate_names(), (std::vector<std::string_view>{"linear", "diagonal", "quadratic", "cross",
                                                              "6dof", "6dof-cross", "6dof-oblique"}));
  const auto list = candidate_structures(robot_named("defender-like"));
  ASSERT_EQ(list.size(), 7u);
  for (std::size_t k = 0; k < list.size(); ++k) {
    EXPECT_EQ(list[k].name, candidate_names()[k]);
    EXPECT_EQ(list[k].dof, k < 4 ? Dof::four : Dof::six);
  }
}

/// With the planes of bow and stern alike, sway does not turn the hull: 4-DoF has cross terms neither there
/// nor, because heave does not push it ahead, in surge and heave.
TEST(Candidates, WithTheSameTermsComeOnce) {
  const Robot robot = robot_named("bluerov2-heavy");
  std::vector<std::string> names;
  for (const Structure& structure : candidate_structures(robot)) names.push_back(structure.name);
  EXPECT_EQ(names, (std::vector<std::string>{"linear", "diagonal", "quadratic", "6dof", "6dof-cross",
                                             "6dof-oblique"}));
  EXPECT_EQ(candidate("cross", robot).terms, candidate("quadratic", robot).terms);
}

/// Off-diagonal damping needs both diagonal terms, or Q_j + Q_j' >= 0 could hold only where it is zero.
TEST(Candidates, OfEveryRobotHaveWholeBlocksAndNoTermTwice) {
  for (const Robot& robot : test::all_robots()) {
    for (const Structure& structure : candidate_structures(robot)) {
      std::set<std::string> names;
      for (const Term& term : structure.terms)
        EXPECT_TRUE(names.insert(name_of(term)).second) << structure.name << " " << name_of(term);
      for (const Term& term : structure.terms) {
        if (term.kind != Kind::linear && term.kind != Kind::quadratic) continue;
        for (const int index : {term.row, term.column})
          EXPECT_TRUE(names.count(name_of({term.kind, index, index, term.speed})))
              << robot.name() << " " << structure.name << " " << name_of(term);
        EXPECT_TRUE(names.count(name_of({term.kind, term.column, term.row, term.speed}))) << name_of(term);
      }
    }
  }
}

/// Robot::make is the judge: an estimate of the robot with every term present, in a robot with these planes.
TEST(SymmetryOf, IsWhatARobotMayStateOfAnEstimate) {
  const Robot stated = robot_named("nielsen-connector");  // all three planes
  for (const char* name : {"linear", "diagonal", "vehicle-24"}) {
    const Structure structure = candidate(name, stated);
    const Symmetry kept = symmetry_of(structure, stated.hull().symmetry);
    const auto estimate = [&](const Symmetry& symmetry) {
      RobotSpec spec = stated.spec();
      spec.hull.symmetry = symmetry;
      const Robot robot = Robot::make(spec);
      Eigen::VectorXd values = parameters_of(robot, Environment(), structure).parameters.values();
      for (std::size_t k = 0; k < structure.size(); ++k) {
        const Term& term = structure.terms[k];
        if (group_of(term) != "restoring")
          values[static_cast<Eigen::Index>(k)] += term.row == term.column ? 1e-3 : 1e-6;
      }
      return error_text([&] {
        with_parameters(robot, Environment(), structure, ParameterVector(structure.parameters(values)), "test");
      });
    };
    EXPECT_EQ(estimate(kept), "(nothing was thrown)") << name;
    for (bool Symmetry::*plane : {&Symmetry::port_starboard, &Symmetry::fore_aft, &Symmetry::top_bottom}) {
      if (kept.*plane) continue;
      Symmetry more = kept;
      more.*plane = true;
      EXPECT_NE(estimate(more).find("hull.symmetry"), std::string::npos) << name;
    }
  }
  const Symmetry of_linear = symmetry_of(structure_by_name("vehicle-23"), stated.hull().symmetry);
  EXPECT_FALSE(of_linear.port_starboard || of_linear.fore_aft || of_linear.top_bottom);
  EXPECT_TRUE(symmetry_of(structure_by_name("vehicle-24"), {true, true, false}).port_starboard);
  EXPECT_FALSE(symmetry_of(structure_by_name("vehicle-24"), {false, true, false}).port_starboard)
      << "not stated";
}

TEST(Candidates, MayBeNamedAsInTheLiterature) {
  const Robot robot = test::small_robot();
  EXPECT_EQ(candidate("vehicle-24", robot).terms, structure_by_name("vehicle-24").terms);
  EXPECT_EQ(error_text([&] { candidate("6dof-cros", robot); }),
            "structure = '6dof-cros', expected one of linear, diagonal, quadratic, cross, 6dof, 6dof-cross, "
            "6dof-oblique, "
            "vehicle-23, vehicle-24, vehicle-25, vehicle-27 (did you mean 6dof-cross?)");
}

}  // namespace
}  // namespace fathom::model::candidates_test
