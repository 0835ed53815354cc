#include "fathom/filter/clock_alignment.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::filter::clock_alignment_test {
namespace {

/// A vehicle that swims about: sums of sines, known at any time.
class Swim {
 public:
  explicit Swim(std::uint64_t seed, double activity = 1) {
    RandomStream random(seed, "swim");
    for (auto& axis : waves_)
      for (Wave& wave : axis)
        wave = {activity * random.uniform(0.3, 1), random.uniform(0.3, 2.5), random.uniform(0, 6.28)};
  }
  Vec3 p_n(double t) const { return 0.3 * Vec3(sum(0, t), sum(1, t), 0.5 * sum(2, t)); }
  Quat q_nb(double t) const {
    return quaternion_from_euler(Vec3(0.1 * sum(3, t), 0.1 * sum(4, t), 0.5 * sum(5, t)));
  }
  Vec3 v_b(double t) const { return q_nb(t).conjugate() * ((p_n(t + h) - p_n(t - h)) / (2 * h)).eval(); }
  Vec3 omega_b(double t) const {
    const Quat step = q_nb(t - h).conjugate() * q_nb(t + h);
    return step.vec() / h;  // angle over 2 h, and the vector part is half the angle
  }

 private:
  static constexpr double h = 1e-4;
  struct Wave {
    double amplitude, frequency, phase;
  };
  double sum(std::size_t axis, double t) const {
    double value = 0;
    for (const Wave& wave : waves_[axis]) value += wave.amplitude * std::sin(wave.frequency * t + wave.phase);
    return value;
  }
  std::array<std::array<Wave, 4>, 6> waves_;
};

/// A clock that is off and goes wrong: shows truth + offset + drift (truth - middle).
struct Clock {
  double offset = 0, drift = 0;
};

/// One instrument: how often, how noisy, for how long its noise is alike, and how uneven its times are.
struct Instrument {
  std::string channel, quantity;
  MotionForm form;
  double rate, noise, memory, jitter;
  std::function<Eigen::VectorXd(const Swim&, double)> shows;
};

Eigen::VectorXd quaternion(const Swim& swim, double t) {
  const Quat q = swim.q_nb(t);
  return Eigen::Vector4d(q.w(), q.x(), q.y(), q.z());
}

const std::vector<Instrument> instruments = {
    {"mocap", "rate", MotionForm::turning, 50, 2.5e-3, 0.01, 2e-3, quaternion},
    {"imu", "rate", MotionForm::as_it_is, 100, 5e-3, 0.05, 1e-3,
     [](const Swim& swim, double t) -> Eigen::VectorXd { return swim.omega_b(t); }},
    {"ahrs", "rate", MotionForm::turning, 20, 5e-3, 0.2, 5e-3, quaternion},
    {"mocap", "velocity", MotionForm::moving, 50, 2e-3, 0.01, 2e-3,
     [](const Swim& swim, double t) -> Eigen::VectorXd {
       Eigen::VectorXd both(7);
       both << swim.p_n(t), quaternion(swim, t);
       return both;
     }},
    {"dvl", "velocity", MotionForm::as_it_is, 5, 0.02, 0.3, 0.02,
     [](const Swim& swim, double t) -> Eigen::VectorXd { return swim.v_b(t); }},
    {"mocap", "sinking", MotionForm::slope, 50, 2e-3, 0.01, 2e-3,
     [](const Swim& swim, double t) -> Eigen::VectorXd { return swim.p_n(t).tail<1>(); }},
    {"depth", "sinking", MotionForm::slope, 10, 5e-3, 0.3, 5e-3,
     [](const Swim& swim, double t) -> Eigen::VectorXd { return swim.p_n(t).tail<1>(); }}};

/// What the instrument logs: at uneven true times, with noise that remembers, on its clock. 2 % of the samples
/// are lost, in runs.
MotionSeries logged(const Instrument& instrument, const Swim& swim, const Clock& clock, double duration,
                    std::uint64_t seed) {
  RandomStream random(seed, instrument.channel + instrument.quantity);
  const double dt = 1 / instrument.rate, rho = std::exp(-dt / instrument.memory);
  std::vector<Eigen::VectorXd> columns;
  MotionSeries series{instrument.channel, instrument.quantity, instrument.form, {}, {}};
  Eigen::VectorXd noise;
  int lost = 0;
  for (double nominal = 0; nominal < duration; nominal += dt) {
    const double truth = nominal + instrument.jitter * random.uniform(-1, 1);
    Eigen::VectorXd value = instrument.shows(swim, truth);
    if (noise.size() == 0) noise = Eigen::VectorXd::Zero(value.size());
    for (double& n : noise) n = rho * n + std::sqrt(1 - rho * rho) * instrument.noise * random.normal();
    if (lost == 0 && random.uniform() < 0.004) lost = 5;
    if (lost > 0) {
      --lost;
      continue;
    }
    series.t.push_back(truth + clock.offset + clock.drift * (truth - 0.5 * duration));
    columns.push_back(value + noise);
  }
  series.values.resize(columns[0].size(), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) series.values.col(static_cast<Eigen::Index>(k)) = columns[k];
  return series;
}

std::map<std::string, Clock> random_clocks(std::uint64_t seed) {
  RandomStream random(seed, "clocks");
  std::map<std::string, Clock> clocks;
  for (const Instrument& instrument : instruments)
    if (!clocks.contains(instrument.channel))
      clocks[instrument.channel] = {random.uniform(-0.4, 0.4), random.uniform(-1e-4, 1e-4)};
  return clocks;
}

std::vector<MotionSeries> log_of(const std::map<std::string, Clock>& clocks, double duration,
                                 std::uint64_t seed, double activity = 1) {
  const Swim swim(seed, activity);
  std::vector<MotionSeries> all;
  for (const Instrument& instrument : instruments)
    all.push_back(logged(instrument, swim, clocks.at(instrument.channel), duration, seed));
  return all;
}

struct Scores {
  double squares = 0;
  int count = 0, beyond_three = 0;
  double sigma = 0;

  void add(double error, double of_sigma) {
    squares += std::pow(error / of_sigma, 2);
    beyond_three += std::abs(error) > 3 * of_sigma;
    sigma += of_sigma;
    ++count;
  }
  double rms() const { return std::sqrt(squares / count); }
};

TEST(ClockAlignmentLong, SigmasAreWhatTheErrorsAre) {
  std::map<std::string, Scores> offsets, drifts;
  double chi_square = 0, loops = 0;
  constexpr std::uint64_t logs = 40;
  for (std::uint64_t seed = 1; seed <= logs; ++seed) {
    const auto clocks = random_clocks(seed);
    const Alignment alignment = align_clocks(log_of(clocks, 110, seed), "mocap", {1, 100});
    chi_square += alignment.chi_square;
    loops += alignment.loops;
    for (const ChannelOffset& channel : alignment.channels) {
      ASSERT_EQ(channel.why_not, "") << channel.channel << " " << seed;
      if (channel.channel == "mocap") continue;
      const Clock &is = clocks.at(channel.channel), &reference = clocks.at("mocap");
      offsets[channel.channel].add(channel.seconds - (is.offset - reference.offset), channel.sigma);
      drifts[channel.channel].add(*channel.drift - (is.drift - reference.drift), *channel.drift_sigma);
    }
  }
  for (const auto& [name, score] : offsets) {
    const Scores& drift = drifts[name];
    std::printf("%-6s offset z rms %.2f, beyond 3: %d of %d, sigma %.2f ms; drift z rms %.2f, sigma %.0f ppm\n",
                name.c_str(), score.rms(), score.beyond_three, score.count, 1e3 * score.sigma / score.count,
                drift.rms(), 1e6 * drift.sigma / drift.count);
    EXPECT_GT(score.rms(), 0.7) << name;
    EXPECT_LT(score.rms(), 1.4) << name;
    EXPECT_LE(score.beyond_three, 2) << name;
    EXPECT_GT(drift.rms(), 0.7) << name;
    EXPECT_LT(drift.rms(), 1.4) << name;
  }
  std::printf("chi-square of loops %.2f each\n", chi_square / loops);
}

const ChannelOffset& of(const Alignment& alignment, const std::string& channel) {
  for (const ChannelOffset& offset : alignment.channels)
    if (offset.channel == channel) return offset;
  throw std::out_of_range(channel);
}

std::map<std::string, Clock> right_clocks() {
  std::map<std::string, Clock> clocks;
  for (const Instrument& instrument : instruments) clocks[instrument.channel] = {};
  return clocks;
}

TEST(ClockAlignment, ALateClockHasAPositiveOffsetWhateverTheOrder) {
  for (const double truth : {0.35, -0.35}) {
    auto clocks = right_clocks();
    clocks["imu"].offset = truth;
    std::vector<MotionSeries> series = log_of(clocks, 60, 3);
    for (int order = 0; order < 2; ++order) {
      const Alignment alignment = align_clocks(series, "mocap");
      const ChannelOffset& imu = of(alignment, "imu");
      EXPECT_NEAR(imu.seconds, truth, 4 * imu.sigma);
      EXPECT_LT(imu.sigma, 0.005);
      EXPECT_NEAR(imu.at_reference(20 + truth, alignment.t0), 20, 4 * imu.sigma);
      EXPECT_FALSE(imu.drift) << "60 s are too short for a drift";
      const Alignment seen_from_imu = align_clocks(series, "imu");
      EXPECT_NEAR(of(seen_from_imu, "mocap").seconds, -imu.seconds, 1e-9);
      EXPECT_EQ(of(seen_from_imu, "imu").sigma, 0);
      std::reverse(series.begin(), series.end());
    }
  }
}

TEST(ClockAlignment, AChannelOfTheOtherSignIsNotAligned) {
  std::vector<MotionSeries> series = log_of(right_clocks(), 60, 5);
  for (MotionSeries& one : series)
    if (one.channel == "imu") one.values *= -1;
  const Alignment alignment = align_clocks(series, "mocap");
  EXPECT_NE(of(alignment, "imu").why_not, "");
  EXPECT_EQ(of(alignment, "ahrs").why_not, "");
}

TEST(ClockAlignment, WithoutMotionThereIsNoAlignment) {
  const Alignment alignment = align_clocks(log_of(right_clocks(), 60, 4, 0), "mocap");
  for (const ChannelOffset& channel : alignment.channels)
    if (channel.channel != "mocap") {
      EXPECT_NE(channel.why_not.find("no motion that both show"), std::string::npos) << channel.why_not;
    }
  EXPECT_EQ(alignment.loops, 0);
}

TEST(ClockAlignment, SaysWhatIsLinkedToNothing) {
  std::vector<MotionSeries> series = log_of(right_clocks(), 60, 6);
  std::erase_if(series,
                [](const MotionSeries& one) { return one.channel == "mocap" && one.quantity == "sinking"; });
  for (MotionSeries& one : series)
    if (one.channel == "dvl") one.quantity = "else";
  const Alignment alignment = align_clocks(series, "imu");
  EXPECT_EQ(of(alignment, "depth").why_not, "shows nothing that another channel shows too");
  EXPECT_EQ(of(alignment, "dvl").why_not, "shows nothing that another channel shows too");
  EXPECT_EQ(of(alignment, "ahrs").why_not, "");
}

TEST(ClockAlignment, AMotionThatRepeatsSaysSo) {
  const auto swing = [](const std::string& channel, double offset, std::uint64_t seed) {
    RandomStream random(seed, channel);
    MotionSeries series{channel, "rate", MotionForm::as_it_is, {}, Eigen::MatrixXd(1, 3000)};
    for (Eigen::Index k = 0; k < 3000; ++k) {
      const double t = 0.02 * static_cast<double>(k);
      series.t.push_back(t + offset);
      series.values(0, k) = std::sin(2 * 3.14159265 * t / 0.8) + 0.1 * random.normal();
    }
    return series;
  };
  const std::vector<MotionSeries> series = {swing("a", 0, 1), swing("b", 0.1, 2)};
  EXPECT_NE(of(align_clocks(series, "a"), "b").why_not.find("the motion repeats"), std::string::npos);
  const Alignment near = align_clocks(series, "a", {0.3, 100});  // less than half a period: no doubt
  EXPECT_NEAR(of(near, "b").seconds, 0.1, 4 * of(near, "b").sigma);
}

TEST(ClockAlignment, OffsetsBeyondTheRangeAreNotMadeUp) {
  auto clocks = right_clocks();
  clocks["imu"].offset = 2.5;
  const Alignment alignment = align_clocks(log_of(clocks, 60, 7), "mocap", {1, 100});
  EXPECT_NE(of(alignment, "imu").why_not.find("beyond the range"), std::string::npos)
      << of(alignment, "imu").why_not;
  const Alignment wider = align_clocks(log_of(clocks, 60, 7), "mocap", {5, 100});
  EXPECT_NEAR(of(wider, "imu").seconds, 2.5, 4 * of(wider, "imu").sigma);
}

TEST(ClockAlignment, Refuses) {
  const auto rejection = [](const std::vector<MotionSeries>& series, const std::string& reference,
                            double most) {
    try {
      align_clocks(series, reference, {most, 100});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  std::vector<MotionSeries> series = log_of(right_clocks(), 20, 1);
  EXPECT_NE(rejection(series, "mocop", 1).find("did you mean mocap?"), std::string::npos);
  EXPECT_NE(rejection(series, "mocap", 0).find("must be positive"), std::string::npos);
  EXPECT_EQ(rejection(series, "mocap", 1), "");
  series[1].t[5] = series[1].t[4] - 1;
  EXPECT_NE(rejection(series, "mocap", 1).find("times must not fall"), std::string::npos);
  series[1].t.pop_back();
  EXPECT_NE(rejection(series, "mocap", 1).find("a column per time"), std::string::npos);
}

}  // namespace
}  // namespace fathom::filter::clock_alignment_test
