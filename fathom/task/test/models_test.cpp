#include "fathom/task/models/models.hpp"

#include <gtest/gtest.h>

#include "fathom/base/file.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::task::models_test {
namespace {

Context context() {
  Context context;
  context.paths = SearchPaths::in(std::filesystem::path(FATHOM_SOURCE_DIR) / "data");
  return context;
}

const ModelSummary::Value& value_of(const ModelSummary& summary, const std::string& key) {
  return *std::find_if(summary.values.begin(), summary.values.end(),
                       [&](const auto& v) { return v.key == key; });
}

TEST(ShowModel, ListsValuesOfEveryKind) {
  const ModelResult result = show_model({"bluerov2-heavy"}, context());
  const model::Robot& robot = *result.robot;
  const ModelSummary& s = result.summary;
  EXPECT_EQ(std::get<double>(value_of(s, "hull.mass").value), robot.hull().mass.value);
  EXPECT_EQ(std::get<Eigen::MatrixXd>(value_of(s, "hull.inertia").value), robot.hull().inertia.value);
  EXPECT_EQ(std::get<Eigen::VectorXd>(value_of(s, "hull.centre_of_mass").value),
            robot.hull().centre_of_mass.value);
  EXPECT_EQ(value_of(s, "hull.mass").source, robot.hull().mass.source);
  EXPECT_EQ(s.matrices.allocation.cols(), static_cast<Eigen::Index>(robot.thrusters().size()));
  EXPECT_EQ(result.status(), Status::done);
  const std::string text = to_text(result.report(), 100);
  for (const char* words : {"hull.added_mass", "[1]", "M_rb", "upright is stable", "net weight W - B"})
    EXPECT_NE(text.find(words), std::string::npos) << words;
}

TEST(ShowModel, JsonReadsBackToTheSameNumbersAndText) {
  for (const char* name : {"bluerov2-heavy", "rexrov", "defender-like"}) {
    const ModelResult result = show_model({name}, context());
    ModelResult again{{ModelResult::from_json(result.to_json())}, result.robot};
    EXPECT_EQ(again.to_json(), result.to_json());
    EXPECT_EQ(to_text(again.report(), 100), to_text(result.report(), 100));
    again.summary.checks.at(0).pass = false;
    EXPECT_EQ(again.status(), Status::check_failed);
    EXPECT_NE(to_text(again.report(), 100).find("LOOK"), std::string::npos);
  }
}

TEST(ShowModel, NamesOtherKindsAndTheNearestRobot) {
  const auto error_of = [](const std::string& name) {
    try {
      show_model({name}, context());
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(error_of("bluerov-pair").find("is an assembly of robots"), std::string::npos);
  EXPECT_NE(error_of("reach-alpha-5").find("is an arm, not a robot"), std::string::npos);
  EXPECT_NE(error_of("bluerov2-heavi").find("did you mean bluerov2-heavy?"), std::string::npos);
}

TEST(ShowModel, ChecksItsOptions) { EXPECT_THROW(show_model({"bluerov2-heavy", 1}, context()), InputError); }

TEST(ListModels, AFileThatDoesNotLoadHidesNoOther) {
  const fathom::test::TemporaryFolder folder;
  std::filesystem::copy(std::filesystem::path(FATHOM_ROBOTS_DIR) / "rexrov.yaml", folder / "rexrov.yaml");
  write_file_atomically(folder / "bad.yaml", "format: fathom-robot-1\n");
  Context found;
  found.paths.robots = {folder / "."};
  const ModelListResult result = list_models(found);
  ASSERT_EQ(result.summary.robots.size(), 2u);
  EXPECT_FALSE(result.summary.robots[0].loads);
  EXPECT_FALSE(result.summary.robots[0].mass);
  EXPECT_TRUE(result.summary.robots[1].loads);
  EXPECT_EQ(result.errors.size(), 1u);
  EXPECT_EQ(result.status(), Status::check_failed);
  const ModelListResult again{{ModelListResult::from_json(result.to_json())}};
  EXPECT_EQ(again.to_json(), result.to_json());
  EXPECT_NE(to_text(again.report(), 100).find("bad     -"), std::string::npos);
  found.paths.robots = {};
  EXPECT_THROW(list_models(found), InputError);
}

}  // namespace
}  // namespace fathom::task::models_test
