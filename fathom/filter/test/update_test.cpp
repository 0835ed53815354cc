// One number taken into an estimate that knew nothing: what is left is the number's own variance, to the digits
// that the plain update loses.
#include "fathom/filter/internal/update.hpp"

#include <gtest/gtest.h>

namespace fathom::filter::internal::update_test {
namespace {

TEST(Update, JosephKeepsTheSmallVarianceThatAPreciseNumberLeaves) {
  for (const double variance : {1e-8, 1e-4, 1.0}) {
    const double before = 1e10 / 3;
    Mat3 P = before * Mat3::Identity();
    Vec3 error = Vec3::Zero();
    Row row;
    row.z = 2;
    row.variance = variance;
    const Update<3> update = take<3>(row, error, P);
    EXPECT_DOUBLE_EQ(P(0, 0), variance / (1 + variance / before));
    EXPECT_EQ(P(1, 1), before);
    EXPECT_DOUBLE_EQ(error.x(), 2 / (1 + variance / before));
    EXPECT_DOUBLE_EQ(update.variance, before + variance);
    EXPECT_EQ(update.innovation, 2);
  }
}

}  // namespace
}  // namespace fathom::filter::internal::update_test
