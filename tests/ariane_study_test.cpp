// The first study of arms: Leborne et al. 2018 on a simulated arm, studies/arm.
#include "studies/arm/ariane_study.hpp"

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace fathom::studies::ariane_study_test {
namespace {

TEST(ArianeStudy, IsWhole) {
  ThreadPool pool(1);
  const ArianeResult result = ariane_experiment(FATHOM_ROOT "/data/arms/ariane.yaml", 1, pool, 1);
  EXPECT_GE(result.least_margin, 0);
  EXPECT_EQ(result.saturated, 0);
  for (const StudyRow& row : ariane_rows(result)) EXPECT_TRUE(std::isfinite(row.ours.value())) << row.key;
}
class ArianeStudyLong : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ArianeStudyLong, ActuatorsAreSeenInTheCurrent) {
  ThreadPool pool(1);
  const ArianeResult result = ariane_experiment(FATHOM_ROOT "/data/arms/ariane.yaml", GetParam(), pool);
  EXPECT_GE(result.least_margin, 0);
  EXPECT_LT(result.worst_tracking, 60) << "rad of a shaft, of thousands";
  EXPECT_EQ(result.saturated, 0);
  for (const StudyRow& row : ariane_rows(result)) {
    fmt::print("{:<56} {:>8} {:8.3f} {:<2} {}\n", row.item,
               row.published ? fmt::format("{}", *row.published) : "", row.ours.value_or(0), row.unit,
               row.note);
    EXPECT_TRUE(row.passes()) << row.key << " = " << row.ours.value_or(0) << ", must be " << row.criterion();
  }
  for (const ArianeJoint& joint : result.joints) EXPECT_GT(joint.beyond.samples, 40);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ArianeStudyLong, testing::Values(2, 3));  // 1 is that of repo:reproduce_arm

}  // namespace
}  // namespace fathom::studies::ariane_study_test
