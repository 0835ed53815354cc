#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"
#include "fathom/identify/commanded/vehicle_fit.hpp"

namespace fathom::identify::command_path_test {
namespace {

/// A second of random wrenches every 0.02 s, seen on the same clock.
CommandedRun random_run() {
  CommandedRun run{.name = "run", .dt = 0.02};
  run.nu_c.setZero(6, 50);
  run.commands.resize(6, 50);
  RandomStream random(1, "wrenches");
  for (int k = 0; k < 50; ++k) {
    run.command_t.push_back(0.02 * k);
    for (int i = 0; i < 6; ++i) run.commands(i, k) = (i < 3 ? 20 : 4) * random.normal();
  }
  return run;
}

double beyond(double f, double dead_band) {
  return f > 0 ? std::max(f - dead_band, 0.0) : std::min(f + dead_band, 0.0);
}

/// Thruster by thruster, with the allocation written out.
Vec6 delivered(const Vec6& tau, double dead_band, double L, double lx, double ly) {
  const double c = std::sqrt(0.5);
  Vec6 out = Vec6::Zero();
  for (const int side : {-1, 1})
    for (const int turn : {-1, 1}) {
      const double f = beyond(std::sqrt(2) / 4 * (tau[0] + side * tau[1]) + turn * tau[5] / (4 * L), dead_band);
      out += f * (Vec6() << c, side * c, 0, 0, 0, turn * L).finished();
    }
  for (const int roll : {-1, 1})
    for (const int pitch : {-1, 1}) {
      const double f = beyond(tau[2] / 4 + roll * tau[3] / (4 * ly) + pitch * tau[4] / (4 * lx), dead_band);
      out += f * (Vec6() << 0, 0, 1, roll * ly, pitch * lx, 0).finished();
    }
  return out;
}

TEST(WrenchPath, IsThatOfEightThrustersWrittenOut) {
  const CommandedRun run = random_run();
  const WrenchPath path{vectored_thrusters(0.47, 0.26, 0.24), 3.1, 0};
  const Mat6X tau_b = path.wrench_b(run);
  for (int k = 0; k < 50; ++k)
    EXPECT_LT((tau_b.col(k) - delivered(run.commands.col(k), 3.1, 0.47, 0.24, 0.26)).norm(), 1e-11) << k;
}

TEST(WrenchPath, WithoutADeadBandGivesWhatWasCommanded) {
  const CommandedRun run = random_run();
  const WrenchPath path{vectored_thrusters(0.5, 0.3, 0.2), 0, 0}, none{Mat6X(6, 0), 0, 0};
  EXPECT_LT((path.wrench_b(run) - run.commands).norm(), 1e-11);
  EXPECT_EQ(none.wrench_b(run), run.commands);
}

TEST(WrenchPath, GivesNothingForAWrenchThatNoThrusterFeels) {
  CommandedRun run = random_run();
  run.commands.setZero();
  run.commands.row(1).setConstant(8.4);  // N to the side: sqrt(2)/4 8.4 = 2.97 for each of four
  const WrenchPath path{vectored_thrusters(0.5, 0.3, 0.2), 3, 0};
  EXPECT_LT(path.wrench_b(run).norm(), 1e-12);
  run.commands.row(1).setConstant(8.6);
  EXPECT_GT(path.wrench_b(run).norm(), 0.1);
}

TEST(WrenchPath, IsLateByItsLag) {
  CommandedRun run = random_run();
  for (int k = 0; k < 50; ++k) run.commands.col(k).setConstant(0.02 * k);
  const Mat6X tau_b = WrenchPath{Mat6X(6, 0), 0, 0.13}.wrench_b(run);
  for (int k = 0; k < 50; ++k) EXPECT_NEAR(tau_b(3, k), std::max(0.0, 0.02 * k - 0.13), 1e-12);
  EXPECT_THROW((WrenchPath{Mat6X(6, 0), -1, 0}.wrench_b(run)), InputError);
}

}  // namespace
}  // namespace fathom::identify::command_path_test
