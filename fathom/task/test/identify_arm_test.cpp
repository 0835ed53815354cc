#include <gtest/gtest.h>

#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/identify/arm/test/bench_arm.hpp"
#include "fathom/report/test/items.hpp"
#include "fathom/task/identify/arm.hpp"

namespace fathom::task::identify_arm_test {
namespace {

using report::Bars;
using report::Plot;
using report::Table;
using report::test::all;

IdentifyArmOptions on_the_bench() {
  IdentifyArmOptions options;
  options.down = "0,0,-1";
  options.no_offset = true;
  return options;
}

/// A run to learn from and an unseen one.
IdentifyArmResult identified(const IdentifyArmOptions& options = on_the_bench()) {
  const model::Arm built = identify::test::bench_arm(true);
  const auto run = [&](std::uint64_t seed) { return prepare(identify::test::bench_run(built, seed, seed)); };
  return identify_arm(identify::test::bench_arm(false), {{run(1), true}, {run(2), false}}, options);
}

const IdentifyArmResult& usual() {
  static const IdentifyArmResult result = identified();
  return result;
}

std::string rejection_of(IdentifyArmOptions options) {
  options.arm = "arm.yaml";
  options.log = {"run.csv"};
  try {
    options.check();
    identified(options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(IdentifyArm, ShowsEffortsErrorsAndCompositionOfParameters) {
  const report::Document document = usual().report();
  const identify::ArmFit& fit = usual().evidence->fit;
  EXPECT_EQ(all<Plot>(document).size(), 6u);
  EXPECT_EQ(all<Bars>(document).size(), 1u);
  const auto tables = all<Table>(document);
  ASSERT_EQ(tables.size(), 3u);
  EXPECT_EQ(tables[0]->rows.size(), fit.rank());
  bool is_grouped = false;
  for (const auto& row : tables[0]->rows) is_grouped |= row.back().text.find(" + ") != std::string::npos;
  EXPECT_TRUE(is_grouped);
  EXPECT_EQ(tables[1]->rows.size(), 6u);
  EXPECT_EQ(tables[1]->rows.back().front(), "bench-2-2 (not seen before)");
  EXPECT_EQ(tables[2]->rows.size(), fit.parameters.size());
  EXPECT_NE(to_html(document).find("identify --what arm"), std::string::npos);
}

TEST(IdentifyArm, FitsAsTheLibraryDoes) {
  const identify::ArmFit direct =
      fit_arm(identify::test::bench_arm(false), std::vector{usual().evidence->runs[0].run},
              usual().evidence->fit.options);
  ASSERT_EQ(usual().summary.parameters.size(), direct.rank());
  for (std::size_t k = 0; k < direct.rank(); ++k) {
    EXPECT_EQ(usual().summary.parameters[k].estimate, direct.estimate[k].value);
    EXPECT_EQ(usual().summary.parameters[k].sigma, direct.estimate.sigma(k));
  }
  EXPECT_EQ(usual().summary.runs[1].joints[0].rmse, score(direct, usual().evidence->runs[1].run)[0].rmse);
  EXPECT_EQ(usual().summary.medium, "air");
}

TEST(IdentifyArm, ReadsBackWhatItSaves) {
  IdentifyArmResult result = usual();
  const fathom::test::TemporaryFolder folder;
  OutputFolder out(folder / "results", {"identify"});
  result.save(out);
  const IdentifyArmResult again = IdentifyArmResult::load(folder / "results");
  EXPECT_EQ(again.to_json(), result.to_json());
  EXPECT_EQ(to_text(again.report(), 100), to_text(result.report(), 100));
  EXPECT_EQ(again.files()[0].bytes, result.files()[0].bytes);
  EXPECT_EQ(again.summary.files.size(), 3u);
}

TEST(IdentifyArm, StopsWhenAsked) {
  Context context;
  context.stop = [] { return true; };
  EXPECT_THROW(
      identify_arm(identify::test::bench_arm(false), {usual().evidence->runs[0]}, on_the_bench(), context),
      Interrupted);
}

TEST(IdentifyArm, RejectsBadOptions) {
  EXPECT_THROW(IdentifyArmOptions().check(), InputError);
  const auto with = [](auto IdentifyArmOptions::*option, const auto& value) {
    IdentifyArmOptions options = on_the_bench();
    options.*option = value;
    return rejection_of(options);
  };
  EXPECT_NE(with(&IdentifyArmOptions::hold_out, 40).find("0.4 for 40 %"), std::string::npos);
  EXPECT_NE(with(&IdentifyArmOptions::cutoff_hz, 0).find("--cutoff"), std::string::npos);
  EXPECT_NE(with(&IdentifyArmOptions::rest_speed, -1).find("--rest-speed"), std::string::npos);
  EXPECT_NE(with(&IdentifyArmOptions::gains, "1,1,1").find("--by-current"), std::string::npos);
  EXPECT_NE(with(&IdentifyArmOptions::by_current, true).find("has no actuator"), std::string::npos);
  EXPECT_NE(with(&IdentifyArmOptions::down, "0,0,").find("--down"), std::string::npos);
  EXPECT_NE(with(&IdentifyArmOptions::fit_water, "lift").find("'lift' is not of water"), std::string::npos);
  EXPECT_NE(with(&IdentifyArmOptions::estimator, "total").find("not for --what arm"), std::string::npos);
  EXPECT_THROW(identify_arm(identify::test::bench_arm(false), {}, on_the_bench()), InputError);
}

}  // namespace
}  // namespace fathom::task::identify_arm_test
