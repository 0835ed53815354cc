#include <set>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/model/internal/symmetry.hpp"
#include "fathom/model/structure.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::structure_options_test {
namespace {

using Kind = Term::Kind;
using fathom::test::error_text;

int count(const Structure& structure, Kind kind) {
  int n = 0;
  for (const Term& term : structure.terms) n += term.kind == kind;
  return n;
}

TEST(FullStructure, HasEveryTermOfTheEquationOfMotion) {
  const Structure six = full_structure();
  EXPECT_EQ(count(six, Kind::inertia), 21);
  EXPECT_EQ(count(six, Kind::linear), 36);
  EXPECT_EQ(count(six, Kind::quadratic), 216);
  EXPECT_EQ(count(six, Kind::net_weight), 1);
  EXPECT_EQ(count(six, Kind::first_moment), 3);
  EXPECT_EQ(six.size(), 21u + 36 + 216 + 4);
}

TEST(FullStructure, HasNoTermTwice) {
  for (const Dof dof : {Dof::three, Dof::four, Dof::six}) {
    const Structure structure = full_structure(dof);
    std::set<std::string> names;
    for (const Term& term : structure.terms) EXPECT_TRUE(names.insert(name_of(term)).second) << name_of(term);
  }
}

TEST(FullStructure, LeavesOutWhatHeldVelocitiesAloneCanShow) {
  const Structure four = full_structure(Dof::four), three = full_structure(Dof::three);
  EXPECT_EQ(four.size(), 10u + 16 + 64 + 1);
  EXPECT_EQ(count(four, Kind::first_moment), 0);
  EXPECT_EQ(three.size(), 6u + 9 + 27);
  EXPECT_EQ(count(three, Kind::net_weight), 0);
  for (const Term& term : four.terms) {
    if (term.kind == Kind::net_weight) continue;
    EXPECT_TRUE(is_free(Dof::four, term.row) && is_free(Dof::four, term.column) &&
                is_free(Dof::four, term.speed))
        << name_of(term);
  }
}

TEST(MakeStructure, KeepsTheEntriesThatThePlanesAllow) {
  StructureOptions options;
  options.symmetry = {true, false, false};
  options.linear = StructureOptions::Linear::planes;
  const Structure structure = make_structure("mine", options);
  EXPECT_EQ(structure.name, "mine");
  std::set<std::pair<int, int>> inertia, linear;
  for (const Term& term : structure.terms) {
    if (term.kind == Kind::inertia) inertia.insert({term.row, term.column});
    if (term.kind == Kind::linear) linear.insert({term.row, term.column});
  }
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      EXPECT_EQ(linear.contains({i, j}), internal::allowed_by(options.symmetry, i, j));
      EXPECT_EQ(inertia.contains({i, j}), i <= j && internal::allowed_by(options.symmetry, i, j));
    }
  EXPECT_EQ(inertia.size(), 12u);
  EXPECT_EQ(linear.size(), 18u);
}

TEST(MakeStructure, DoesWhatEachOptionSays) {
  StructureOptions options;
  options.inertia = StructureOptions::Inertia::diagonal;
  options.linear = StructureOptions::Linear::none;
  options.quadratic_diagonal = false;
  options.net_weight = false;
  options.first_moments = false;
  EXPECT_EQ(make_structure("", options).size(), 6u);
  options.linear = StructureOptions::Linear::diagonal;
  EXPECT_EQ(make_structure("", options).size(), 12u);
  options.quadratic_diagonal = true;
  EXPECT_EQ(make_structure("", options).size(), 18u);
  options.net_weight = true;
  EXPECT_EQ(make_structure("", options).size(), 19u);
  options.first_moments = true;
  EXPECT_EQ(make_structure("", options).size(), 22u);
  options.quadratic_cross = {{1, 5, 5}, {5, 1, 1}};
  const Structure structure = make_structure("", options);
  EXPECT_EQ(structure.size(), 24u);
  EXPECT_EQ(name_of(structure.terms[18]), "q26|6|");
  EXPECT_EQ(name_of(structure.terms[19]), "q62|2|");
}

std::string rejection(Dof dof, std::vector<StructureOptions::Cross> cross) {
  StructureOptions options;
  options.dof = dof;
  options.quadratic_cross = std::move(cross);
  return error_text([&] { make_structure("", options); });
}

TEST(MakeStructure, RefusesCrossTermsThatAreNotThere) {
  const std::string hint = " (row, velocity and speed count from 0 in [u v w p q r])";
  EXPECT_EQ(rejection(Dof::six, {{0, 6, 0}}),
            "quadratic_cross (0, 6, 0) touches a velocity that is not free" + hint);
  EXPECT_EQ(rejection(Dof::six, {{-1, 0, 0}}),
            "quadratic_cross (-1, 0, 0) touches a velocity that is not free" + hint);
  EXPECT_EQ(rejection(Dof::four, {{0, 5, 3}}),
            "quadratic_cross (0, 5, 3) touches a velocity that is not free" + hint);
  EXPECT_EQ(rejection(Dof::three, {{2, 0, 0}}),
            "quadratic_cross (2, 0, 0) touches a velocity that is not free" + hint);
}

TEST(MakeStructure, RefusesCrossTermsThatAreThereAlready) {
  const std::string hint = " (row, velocity and speed count from 0 in [u v w p q r])";
  EXPECT_EQ(rejection(Dof::six, {{1, 1, 1}}), "quadratic_cross (1, 1, 1) is there already" + hint);
  EXPECT_EQ(rejection(Dof::six, {{1, 5, 5}, {1, 5, 5}}), "quadratic_cross (1, 5, 5) is there already" + hint);
}

Robot with_hull(Symmetry symmetry, const Vec3& centre_of_mass, double ixz) {
  RobotSpec spec = test::small_robot().spec();
  spec.hull.symmetry = symmetry;
  spec.hull.centre_of_mass.value = centre_of_mass;
  spec.hull.inertia.value(0, 2) = spec.hull.inertia.value(2, 0) = ixz;
  return Robot::make(spec);
}

TEST(InertiaSymmetry, HoldsWhereTheDryBodyObeysItToo) {
  const Symmetry all{true, true, true};
  const auto text = [](const Symmetry& s) {
    return std::string(s.port_starboard ? "p" : "-") + (s.fore_aft ? "f" : "-") + (s.top_bottom ? "t" : "-");
  };
  EXPECT_EQ(text(inertia_symmetry(with_hull(all, {0, 0, 0}, 0))), "pft");
  EXPECT_EQ(text(inertia_symmetry(with_hull(all, {0, 0, 0.02}, 0))), "pf-");
  EXPECT_EQ(text(inertia_symmetry(with_hull(all, {0.01, 0, 0}, 0))), "p-t");
  EXPECT_EQ(text(inertia_symmetry(with_hull(all, {0, 0.01, 0}, 0))), "-ft");
  EXPECT_EQ(text(inertia_symmetry(with_hull(all, {0, 0, 0}, 0.01))), "p--");
  EXPECT_EQ(text(inertia_symmetry(with_hull({true, false, false}, {0, 0, 0}, 0))), "p--")
      << "only what is stated";
}

}  // namespace
}  // namespace fathom::model::structure_options_test
