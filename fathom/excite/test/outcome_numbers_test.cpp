#include "fathom/excite/internal/outcome_numbers.hpp"

#include <gtest/gtest.h>

namespace fathom::excite::internal::outcome_numbers_test {
namespace {

TEST(OutcomeNumbers, ComeBackAsTheyWere) {
  Outcome outcome;
  outcome.start = {.number = 7,
                   .first = 3.25,
                   .was_shrunk = true,
                   .status = solve::InteriorPointResult::Status::failed,
                   .iterations = 12};
  auto& r = outcome.result;
  r.status = outcome.start.status;
  r.reason = "the objective does not fall along its gradient";
  r.x = Eigen::VectorXd::LinSpaced(5, -1, 1);
  r.f = -2.5;
  r.stationarity = 1e-3;
  r.complementarity = 1e-6;
  r.margin = 1e-5;
  r.iterations = 34;
  r.evaluations = 56;
  outcome.history = {4, 3, 2};
  const Outcome back = outcome_of(7, numbers_of(outcome));
  EXPECT_EQ(back.start.number, 7);
  EXPECT_EQ(back.start.first, outcome.start.first);
  EXPECT_EQ(back.start.last, outcome.start.last);
  EXPECT_TRUE(back.start.was_shrunk);
  EXPECT_EQ(back.start.status, outcome.start.status);
  EXPECT_EQ(back.start.iterations, 12);
  EXPECT_EQ(back.result.status, r.status);
  EXPECT_EQ(back.result.reason, r.reason);
  EXPECT_EQ(back.result.x, r.x);
  EXPECT_EQ(back.result.f, r.f);
  EXPECT_EQ(back.result.stationarity, r.stationarity);
  EXPECT_EQ(back.result.complementarity, r.complementarity);
  EXPECT_EQ(back.result.margin, r.margin);
  EXPECT_EQ(back.result.iterations, 34);
  EXPECT_EQ(back.result.evaluations, 56);
  EXPECT_EQ(back.history, outcome.history);
}

}  // namespace
}  // namespace fathom::excite::internal::outcome_numbers_test
