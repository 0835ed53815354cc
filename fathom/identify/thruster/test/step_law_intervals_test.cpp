#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/identify/test/least_held.hpp"
#include "fathom/identify/thruster/step_law_choice.hpp"
#include "fathom/identify/thruster/test/step_plant.hpp"

namespace fathom::identify::step_law_intervals_test {
namespace {

using Base = StepLaw::Base;
using test::bollard;
using test::least_held;
using test::on_bench;
using test::parameter;
using test::Plant;
using test::plant_with_flow;
using test::random_plant;
using test::StepBench;
using test::two_runs;

/// Intervals of one parameter over many plants.
class Intervals {
 public:
  void add(const StepParameter& of, double truth) {
    if (of.at_bound) return;  // it claims nothing
    held_ += of.low <= truth && truth <= of.high;
    half_.push_back((of.high - of.low) / 2 / truth);
    error_.push_back(std::abs(of.value - truth) / truth);
  }
  int count() const { return static_cast<int>(half_.size()); }
  /// Over the truth.
  double median_half_width() const {
    std::vector<double> half = half_;
    std::nth_element(half.begin(), half.begin() + count() / 2, half.end());
    return half[half.size() / 2];
  }
  /// Of a few, as under the sanitizers, the median scatters: four times the limit.
  void expect_median_half_width_below(double limit) const {
    EXPECT_LT(median_half_width(), (count() < 10 ? 4 : 1) * limit) << count();
  }
  /// Each says something.
  void expect_half_widths_below(double limit) const {
    for (const double half : half_) EXPECT_LT(half, limit);
  }
  void expect_held(const char* name) const {
    EXPECT_GE(held_, least_held(count())) << name << " of " << count();
  }
  /// As wide as errors are large: the rms of error over half width is 1 / 1.96 = 0.51 of a 95 % interval. Of
  /// 20 it is above 0.8 three times in ten thousand, of 3 six times in a hundred; below 0.1 of 20 an interval
  /// is five times too wide. No error is five sigmas.
  void expect_as_wide_as_errors(const char* name) const {
    double square = 0;
    for (std::size_t k = 0; k < half_.size(); ++k) {
      square += std::pow(error_[k] / half_[k], 2);
      EXPECT_LT(error_[k], 5 / 1.96 * half_[k]) << name << " " << k;
    }
    const double rms = std::sqrt(square / count());
    EXPECT_LT(rms, 0.8) << name;
    if (count() >= 20) {
      EXPECT_GT(rms, 0.1) << name;
    }
  }

 private:
  int held_ = 0;
  std::vector<double> half_, error_;
};

TEST(StepLawIntervalsLong, OfMotorsHold) {
  RandomStream random(5, "motors");
  const int plants = 40;
  Intervals rates[3];
  for (int k = 0; k < plants; ++k) {
    const Plant p = random_plant(random);
    const StepLawChoice found =
        choose_step_law(bollard(p, random), two_runs(p, random), StepLaw{Base::motor, false});
    const double truth[] = {p.drive(), p.linear(), p.quadratic()};
    for (std::size_t j = 0; j < 3; ++j) rates[j].add(found.best().parameters[j], truth[j]);
    EXPECT_LT(found.best().parameters[0].high, 3 * found.best().parameters[0].low);
    EXPECT_GT(found.best().held_out[0].speed_r2, 0.98);
    EXPECT_GT(found.best().held_out[1].force_r2, 0.98);
  }
  for (const Intervals& of : rates) {
    EXPECT_EQ(of.count(), plants);
    of.expect_held("a rate");
    of.expect_as_wide_as_errors("a rate");
  }
  rates[0].expect_median_half_width_below(0.3);
}

StepBench other_bench(RandomStream& random) {
  return {random.uniform(0, 1) < 0.5 ? 0.02 : 0.005, random.uniform(0, 1) < 0.5 ? 0.8 : 1.5,
          random.uniform(2e-3, 1e-2), random.uniform(5, 60)};
}

std::vector<double> random_levels(RandomStream& random) {
  std::vector<double> levels = {0};
  for (int k = 0; k < 5; ++k)
    levels.push_back(
        random.uniform(0, 1) < 0.125 ? 0 : std::copysign(random.uniform(3, 15), random.uniform(-1, 1)));
  return levels;
}

/// Intervals of share and time constant.
struct Flows {
  Intervals share, time;
  void add(const StepLawFit& fit, const Plant& p) {
    share.add(parameter(fit, "flow.share"), p.share);
    time.add(parameter(fit, "flow.time_constant"), p.flow_lag);
  }
};

void add_flows(Flows& to, int plants, Plant::Rotor rotor, const StepLaw& law, RandomStream& random) {
  for (int k = 0; k < plants; ++k) {
    Plant p = plant_with_flow(random);
    p.rotor = rotor;
    p.first_order = random.uniform(0.04, 0.15);
    p.braking = random.uniform(1.3, 2.5);
    p.ramp = random.uniform(4, 10);
    to.add(choose_step_law(bollard(p, random), two_runs(p, random), law).best(), p);
  }
}

/// Tables are noisy and their laws of speed are powers, which those of these plants are not; load cells lag.
TEST(StepLawIntervalsLong, OfAFlowHold) {
  RandomStream random(8, "held flows");
  const int plants = 20;
  Flows motors, shafts;
  add_flows(motors, plants, Plant::Rotor::motor, {Base::motor, true}, random);
  add_flows(shafts, plants, Plant::Rotor::plain, {Base::shaft, true}, random);
  for (const Flows& flows : {motors, shafts}) {
    EXPECT_EQ(flows.share.count(), plants);
    flows.share.expect_held("share");
    flows.time.expect_held("time constant");
    flows.share.expect_as_wide_as_errors("share");
    flows.time.expect_as_wide_as_errors("time constant");
    flows.share.expect_median_half_width_below(0.12);
    flows.share.expect_half_widths_below(0.25);
  }
}

/// Of other sizes, noises, rates and levels than those that the intervals were made with.
TEST(StepLawIntervalsLong, OfAFlowHoldOnBenchesOfAnotherKind) {
  RandomStream random(10, "other benches");
  const int plants = 12;
  Flows motors, shafts;
  for (int k = 0; k < 2 * plants; ++k) {
    const bool is_motor = k % 2 == 0;
    Plant p = plant_with_flow(random, test::other_family);
    p.first_order = random.uniform(0.03, 0.25);
    p.rotor = is_motor ? Plant::Rotor::motor : Plant::Rotor::plain;
    const StepBench bench = other_bench(random);
    const std::vector<StepRun> runs = {on_bench(p, random_levels(random), random, bench),
                                       on_bench(p, random_levels(random), random, bench)};
    const StepLaw law{is_motor ? Base::motor : Base::shaft, true};
    (is_motor ? motors : shafts).add(choose_step_law(bollard(p, random), runs, law).best(), p);
  }
  for (const Flows& flows : {motors, shafts}) {
    EXPECT_EQ(flows.share.count(), plants);
    flows.share.expect_held("share");
    flows.time.expect_held("time constant");
    flows.share.expect_median_half_width_below(0.12);
  }
}

/// No first-order lag, and fitted as if it were: the flow takes up what the lag misses, and must say so: some
/// intervals are wide then.
TEST(StepLawIntervalsLong, OfAFlowHoldBehindAnotherRotor) {
  RandomStream random(9, "other rotors");
  const int plants = 6;
  Flows flows;
  for (const Plant::Rotor rotor :
       {Plant::Rotor::motor, Plant::Rotor::brakes, Plant::Rotor::ramps, Plant::Rotor::driven})
    add_flows(flows, plants, rotor, {Base::shaft, true}, random);
  EXPECT_GE(flows.share.count(), 3 * plants);  // the rest is told as not shown
  flows.share.expect_held("share");
  flows.time.expect_held("time constant");
  flows.share.expect_median_half_width_below(1);
}

}  // namespace
}  // namespace fathom::identify::step_law_intervals_test
