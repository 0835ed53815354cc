#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/model/structure.hpp"

namespace fathom::model::structure_names_test {
namespace {

using Kind = Term::Kind;
using fathom::test::error_text;

std::vector<Parameter> parameters(const Structure& structure) {
  return structure.parameters(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(structure.size())));
}

std::string names(const Structure& structure) {
  std::string text;
  for (const Parameter& parameter : parameters(structure)) text += (text.empty() ? "" : " ") + parameter.name;
  return text;
}

TEST(NamedStructures, Vehicle23IsSeed000) {
  const Structure structure = structure_by_name("vehicle-23");
  EXPECT_EQ(names(structure),
            "m11 m22 m33 m66 m13 m26 "
            "d11 d12 d13 d16 d21 d22 d23 d26 d31 d32 d33 d36 d61 d62 d63 d66 W-B");
  EXPECT_EQ(structure.size(), 23u);
  EXPECT_EQ(structure.dof, Dof::four);
  EXPECT_EQ(structure.name, "vehicle-23");
}

TEST(NamedStructures, Vehicle27IsSeed001) {
  const Structure structure = structure_by_name("vehicle-27");
  EXPECT_EQ(names(structure),
            "m11 m22 m33 m15 m24 m42 m51 m44 m55 m66 d11 d22 d33 d44 d55 d66 "
            "q11|1| q22|2| q33|3| q44|4| q55|5| q66|6| W B xgW-xbB ygW-ybB zgW-zbB");
  EXPECT_EQ(structure.size(), 27u);
  EXPECT_EQ(structure.dof, Dof::six);
}

TEST(NamedStructures, Vehicle25HasASymmetricM) {
  const Structure structure = structure_by_name("vehicle-25");
  EXPECT_EQ(names(structure),
            "m11 m22 m33 m15 m24 m44 m55 m66 d11 d22 d33 d44 d55 d66 "
            "q11|1| q22|2| q33|3| q44|4| q55|5| q66|6| W B xgW-xbB ygW-ybB zgW-zbB");
  EXPECT_EQ(structure.size(), 25u);
}

TEST(NamedStructures, Vehicle24HasOnlyTheDifferenceOfWeightAndBuoyancy) {
  const Structure structure = structure_by_name("vehicle-24");
  EXPECT_EQ(names(structure),
            "m11 m22 m33 m15 m24 m44 m55 m66 d11 d22 d33 d44 d55 d66 "
            "q11|1| q22|2| q33|3| q44|4| q55|5| q66|6| W-B xgW-xbB ygW-ybB zgW-zbB");
  EXPECT_EQ(structure.size(), 24u);
}

TEST(NamedStructures, TieOffDiagonalInertiaOnlyWhereTheySaySo) {
  for (const Term& term : structure_by_name("vehicle-24").terms) EXPECT_NE(term.kind, Kind::inertia_entry);
  int entries = 0;
  for (const Term& term : structure_by_name("vehicle-27").terms) entries += term.kind == Kind::inertia_entry;
  EXPECT_EQ(entries, 4);
}

TEST(NamedStructures, AreTheListedOnes) {
  EXPECT_EQ(structure_names(),
            (std::vector<std::string_view>{"vehicle-23", "vehicle-24", "vehicle-25", "vehicle-27"}));
  for (const auto name : structure_names()) EXPECT_EQ(structure_by_name(name).name, name);
}

TEST(NamedStructures, AreHintedAtIfTheNameIsWrong) {
  EXPECT_EQ(
      error_text([] { structure_by_name("vehicle24"); }),
      "structure = 'vehicle24', expected one of vehicle-23, vehicle-24, vehicle-25, vehicle-27 (did you mean "
      "vehicle-24?)");
  EXPECT_EQ(error_text([] { structure_by_name("everything"); }),
            "structure = 'everything', expected one of vehicle-23, vehicle-24, vehicle-25, vehicle-27");
}

TEST(Terms, HaveTheUnitsOfTheirPlace) {
  const auto unit = [](Kind kind, int row, int column, int speed) {
    return unit_of({kind, row - 1, column - 1, speed - 1});
  };
  EXPECT_EQ(unit(Kind::inertia, 1, 3, 1), "kg");
  EXPECT_EQ(unit(Kind::inertia, 2, 6, 1), "kg m");
  EXPECT_EQ(unit(Kind::inertia_entry, 5, 1, 1), "kg m");
  EXPECT_EQ(unit(Kind::inertia, 4, 6, 1), "kg m^2");
  EXPECT_EQ(unit(Kind::linear, 1, 1, 1), "N s/m");
  EXPECT_EQ(unit(Kind::linear, 2, 6, 1), "N s/rad");
  EXPECT_EQ(unit(Kind::linear, 6, 2, 1), "N m s/m");
  EXPECT_EQ(unit(Kind::linear, 6, 6, 1), "N m s/rad");
  EXPECT_EQ(unit(Kind::quadratic, 1, 1, 1), "N s^2/m^2");
  EXPECT_EQ(unit(Kind::quadratic, 2, 6, 6), "N s^2/rad^2");
  EXPECT_EQ(unit(Kind::quadratic, 2, 6, 2), "N s^2/(m rad)");
  EXPECT_EQ(unit(Kind::quadratic, 6, 2, 6), "N m s^2/(m rad)");
  EXPECT_EQ(unit(Kind::quadratic, 6, 6, 6), "N m s^2/rad^2");
  EXPECT_EQ(unit_of({Kind::net_weight}), "N");
  EXPECT_EQ(unit_of({Kind::weight}), "N");
  EXPECT_EQ(unit_of({Kind::buoyancy}), "N");
  EXPECT_EQ(unit_of({Kind::first_moment, 2}), "N m");
}

TEST(Terms, CountFromOneInTheirNames) {
  EXPECT_EQ(name_of({Kind::inertia, 0, 4}), "m15");
  EXPECT_EQ(name_of({Kind::linear, 1, 5}), "d26");
  EXPECT_EQ(name_of({Kind::quadratic, 1, 5, 0}), "q26|1|");
  EXPECT_EQ(name_of({Kind::first_moment, 1}), "ygW-ybB");
}

TEST(Terms, BelongToGroups) {
  std::string groups;
  std::string last;
  for (const Parameter& parameter : parameters(structure_by_name("vehicle-27"))) {
    if (parameter.group != last) groups += (groups.empty() ? "" : " ") + parameter.group;
    last = parameter.group;
  }
  EXPECT_EQ(groups, "inertia damping.linear damping.quadratic restoring");
}

TEST(Structure, GivesItsParametersTheValues) {
  const Structure structure = structure_by_name("vehicle-23");
  const auto list = structure.parameters(Eigen::VectorXd::LinSpaced(23, 1, 23));
  for (std::size_t k = 0; k < 23; ++k) EXPECT_NEAR(list[k].value, static_cast<double>(k + 1), 1e-12);
}

TEST(TermByName, IsTheInverseOfNameOf) {
  for (const Structure& structure : {full_structure(), structure_by_name("vehicle-25")})
    for (const Term& term : structure.terms) EXPECT_EQ(term_by_name(name_of(term)), term) << name_of(term);
  EXPECT_EQ(term_by_name("m51"), (Term{Kind::inertia_entry, 4, 0}));
  EXPECT_EQ(term_by_name("m15"), (Term{Kind::inertia, 0, 4})) << "tied, where both are possible";
}

TEST(TermByName, KnowsNoOtherNames) {
  for (const char* name :
       {"",    "m",      "m1",    "m17",     "m01",   "m111", "M11", "a11",     "d1",      "d77",
        "q11", "q11|7|", "q11|1", "q11|1| ", "q1111", "W-b",  "w",   "xgW-ybB", "agW-abB", "mass"})
    EXPECT_FALSE(term_by_name(name)) << name;
}

}  // namespace
}  // namespace fathom::model::structure_names_test
