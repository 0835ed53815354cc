#include <chrono>
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/filter/internal/attitude_model.hpp"
#include "fathom/filter/internal/position_model.hpp"
#include "fathom/filter/internal/smooth_in_windows.hpp"
#include "fathom/filter/test/motion.hpp"
#include "fathom/filter/track.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::filter {
namespace {

using namespace testing;

/// What a pool has: fiducials 15 Hz, AHRS 50 Hz, gyro 100 Hz, depth 20 Hz.
Measurements pool(const Motion& motion, std::uint64_t seed) {
  Measurements m;
  m.position.push_back(positions(motion, 15, 0.004, 0.005, Vec3(0.2, -0.1, 0.15), seed));
  m.attitude.push_back(attitudes(motion, 50, 0, Vec3(0.004, 0.004, 0.008), seed + 1));
  m.rate.push_back(rates(motion, 100, 0, 0.005, Vec3(0.02, -0.01, 0.03), seed + 2));
  m.depth.push_back(depths(motion, 20, 0.01, 0.004, Vec3(-0.2, 0, -0.1), seed + 3));
  return m;
}

TEST(Smoother, pool_log_timing) {
  const Motion motion = wavy_motion(280);
  const Measurements m = pool(motion, 5);
  const auto begin = std::chrono::steady_clock::now();
  const Smoothed s = smooth(m);
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("took %.3f s, jerk %g, angular %g, bias %g %g %g\n", took, s.jerk, s.angular_jerk, s.rate_bias_b[0].x(),
              s.rate_bias_b[0].y(), s.rate_bias_b[0].z());
  for (const auto& c : s.counts)
    std::printf("%s used %zu missing %zu outliers %zu rms %.3f\n", c.name.c_str(), c.used, c.missing, c.outliers,
                c.innovation_rms);
  Vec6 e = Vec6::Zero(), ed = Vec6::Zero(), n = Vec6::Zero();
  for (Eigen::Index k = 0; k < s.track.size(); ++k) {
    const Vec6 d = s.track.nu_b.col(k) - twist_at(motion, s.track.t(k));
    e += d.cwiseAbs2();
    n.array() += d.array().square() / s.track.nu_sigma_b.col(k).array().square();
    ed += (s.track.nu_dot_b.col(k) - twist_rate_at(motion, s.track.t(k))).cwiseAbs2();
  }
  const double N = double(s.track.size());
  std::cout << (e / N).cwiseSqrt().transpose() << "\n" << (ed / N).cwiseSqrt().transpose() << "\n" << (n / N).transpose()
            << "\n";
}

}  // namespace
}  // namespace fathom::filter
