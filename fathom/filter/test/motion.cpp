#include "fathom/filter/test/motion.hpp"

#include <cmath>

#include "fathom/base/random.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::filter::testing {
namespace {

void resize(Motion& motion, double duration) {
  const auto size = static_cast<Eigen::Index>(std::lround(duration / Motion::h)) + 1;
  for (Eigen::Matrix3Xd* rows : {&motion.p_n, &motion.v_n, &motion.a_n, &motion.omega_b, &motion.alpha_b})
    rows->setZero(3, size);
  motion.q_nb.assign(static_cast<std::size_t>(size), Quat::Identity());
}

Vec3 draw(RandomStream& random) {
  const double x = random.normal(), y = random.normal();
  return {x, y, random.normal()};
}

Eigen::Index index_at(double t) { return static_cast<Eigen::Index>(std::lround(t / Motion::h)); }

Quat attitude(const Motion& motion, Eigen::Index i) { return motion.q_nb[static_cast<std::size_t>(i)]; }

}  // namespace

Motion white_jerk_motion(double duration, double jerk, double angular_jerk, std::uint64_t seed) {
  Motion m;
  resize(m, duration);
  RandomStream random(seed, "white jerk");
  constexpr double h = Motion::h;
  for (Eigen::Index i = 0; i + 1 < m.size(); ++i) {
    const Vec3 j = jerk / std::sqrt(h) * draw(random), j_b = angular_jerk / std::sqrt(h) * draw(random);
    m.a_n.col(i + 1) = m.a_n.col(i) + h * j;
    m.v_n.col(i + 1) = m.v_n.col(i) + h * m.a_n.col(i) + h * h / 2 * j;
    m.p_n.col(i + 1) = m.p_n.col(i) + h * m.v_n.col(i) + h * h / 2 * m.a_n.col(i) + h * h * h / 6 * j;
    m.alpha_b.col(i + 1) = m.alpha_b.col(i) + h * j_b;
    m.omega_b.col(i + 1) = m.omega_b.col(i) + h * m.alpha_b.col(i) + h * h / 2 * j_b;
    const Vec3 turn = h * m.omega_b.col(i) + h * h / 2 * m.alpha_b.col(i) + h * h * h / 6 * j_b;
    m.q_nb[static_cast<std::size_t>(i) + 1] = (attitude(m, i) * exp_rotation(turn)).normalized();
  }
  return m;
}

Motion wavy_motion(double duration) {
  Motion m;
  resize(m, duration);
  const Vec3 w(0.5, 0.8, 1.1), size(1.2, 0.7, 0.3), w_b(1.3, 0.9, 0.6), size_b(0.2, 0.3, 0.8);
  Quat q = Quat::Identity();
  for (Eigen::Index i = 0; i < m.size(); ++i) {
    const double t = Motion::h * static_cast<double>(i), mid = t + Motion::h / 2;
    m.p_n.col(i) = size.array() * (w * t).array().sin();
    m.v_n.col(i) = size.array() * w.array() * (w * t).array().cos();
    m.a_n.col(i) = -size.array() * w.array().square() * (w * t).array().sin();
    m.omega_b.col(i) = size_b.array() * (w_b * t).array().sin();
    m.alpha_b.col(i) = size_b.array() * w_b.array() * (w_b * t).array().cos();
    m.q_nb[static_cast<std::size_t>(i)] = q;
    const Vec3 omega_mid = size_b.array() * (w_b * mid).array().sin();
    q = (q * exp_rotation(Motion::h * omega_mid)).normalized();
  }
  return m;
}

Readings sampled(const Motion& motion, double rate_hz, double phase, const Eigen::VectorXd& sigma,
                 const Value& value, std::uint64_t seed) {
  RandomStream random(seed, "sampled");
  Readings readings;
  readings.sigma = sigma;
  const double end = Motion::h * static_cast<double>(motion.size() - 1);
  std::vector<Eigen::VectorXd> values;
  for (int k = 0; phase + k / rate_hz <= end + 1e-9; ++k) {
    const Eigen::Index i = index_at(phase + k / rate_hz);
    readings.t.push_back(Motion::h * static_cast<double>(i));
    Eigen::VectorXd noise(sigma.size());
    for (double& x : noise) x = random.normal();
    noise.array() *= sigma.array();
    Eigen::VectorXd v = value(motion, i);
    if (v.size() == 4) {  // an attitude: noise on the right
      const Quat q = Quat(v[0], v[1], v[2], v[3]) * exp_rotation(Vec3(noise));
      v << q.w(), q.vec();
    } else {
      v += noise;
    }
    values.push_back(v);
  }
  readings.values.resize(values.front().size(), static_cast<Eigen::Index>(values.size()));
  for (std::size_t k = 0; k < values.size(); ++k) readings.values.col(static_cast<Eigen::Index>(k)) = values[k];
  return readings;
}

Readings positions(const Motion& motion, double rate_hz, double phase, double sigma, const Vec3& lever_b,
                   std::uint64_t seed) {
  Readings r = sampled(
      motion, rate_hz, phase, Vec3::Constant(sigma),
      [&](const Motion& m, Eigen::Index i) { return Eigen::VectorXd(m.p_n.col(i) + attitude(m, i) * lever_b); },
      seed);
  r.lever_b = lever_b;
  return r;
}

Readings depths(const Motion& motion, double rate_hz, double phase, double sigma, const Vec3& lever_b,
                std::uint64_t seed) {
  Readings r = sampled(
      motion, rate_hz, phase, Eigen::VectorXd::Constant(1, sigma),
      [&](const Motion& m, Eigen::Index i) {
        return Eigen::VectorXd::Constant(1, m.p_n(2, i) + (attitude(m, i) * lever_b).z());
      },
      seed);
  r.lever_b = lever_b;
  return r;
}

Readings velocities(const Motion& motion, double rate_hz, double phase, double sigma, const Vec3& lever_b,
                    std::uint64_t seed) {
  Readings r = sampled(
      motion, rate_hz, phase, Vec3::Constant(sigma),
      [&](const Motion& m, Eigen::Index i) {
        const Vec3 omega_b = m.omega_b.col(i);
        return Eigen::VectorXd(attitude(m, i).conjugate() * Vec3(m.v_n.col(i)) + omega_b.cross(lever_b));
      },
      seed);
  r.lever_b = lever_b;
  return r;
}

Readings attitudes(const Motion& motion, double rate_hz, double phase, const Vec3& sigma, std::uint64_t seed) {
  return sampled(
      motion, rate_hz, phase, sigma,
      [](const Motion& m, Eigen::Index i) {
        const Quat q = attitude(m, i);
        return Eigen::VectorXd(Eigen::Vector4d(q.w(), q.x(), q.y(), q.z()));
      },
      seed);
}

Readings rates(const Motion& motion, double rate_hz, double phase, double sigma, const Vec3& bias_b,
               std::uint64_t seed) {
  return sampled(
      motion, rate_hz, phase, Vec3::Constant(sigma),
      [&](const Motion& m, Eigen::Index i) { return Eigen::VectorXd(m.omega_b.col(i) + bias_b); }, seed);
}

Vec6 twist_at(const Motion& motion, double t) {
  const Eigen::Index i = index_at(t);
  Vec6 nu_b;
  nu_b << attitude(motion, i).conjugate() * Vec3(motion.v_n.col(i)), motion.omega_b.col(i);
  return nu_b;
}

Vec6 twist_rate_at(const Motion& motion, double t) {
  const Eigen::Index i = index_at(t);
  const Vec6 nu_b = twist_at(motion, t);
  const Vec3 omega_b = nu_b.tail<3>(), v_b = nu_b.head<3>();
  Vec6 rate;
  rate << attitude(motion, i).conjugate() * Vec3(motion.a_n.col(i)) - omega_b.cross(v_b), motion.alpha_b.col(i);
  return rate;
}

}  // namespace fathom::filter::testing
