// Exports every robot to MATLAB and UUV Simulator, with accelerations that the library computes, as JSON for
// tests/oracle/check_matlab.py and check_export_uuv.py.
#include <cstdio>

#include <nlohmann/json.hpp>

#include "fathom/dynamics/test/robots.hpp"
#include "fathom/exchange/export.hpp"

namespace {

using namespace fathom;
using Json = nlohmann::json;

template <class Vector>
Json list(const Vector& v) {
  return std::vector<double>(v.begin(), v.end());
}

/// One state in a steady current of up to `flow` m/s an axis: what goes into the function, and what should come
/// out.
Json sample(const dynamics::Vehicle& vehicle, double flow, RandomStream& random) {
  namespace test = dynamics::test;
  dynamics::State state = test::random_state(random, 2);
  const Vec3 rpy(random.uniform(-3, 3), random.uniform(-1.4, 1.4), random.uniform(-3, 3));
  state.q_nb = quaternion_from_euler(rpy);
  const model::Current current{test::random_vec3(random, flow)};
  const Vec6 tau = vehicle.M() * test::random_vec6(random);
  const Vec6 nu_r = dynamics::relative_twist(state, current);
  Eigen::Matrix<double, 12, 1> x, xdot;
  x << state.nu_b, state.p_nb_n, rpy;
  xdot << dynamics::forward_dynamics(vehicle, state, tau, current), state.q_nb * state.nu_b.head<3>().eval(),
      euler_rate_matrix(rpy) * state.nu_b.tail<3>();
  return {{"x", list(x)},
          {"tau", list(tau)},
          {"v_c", list(current.velocity_n)},
          {"xdot", list(xdot)},
          {"damping", list(dynamics::damping_force(vehicle, nu_r))},
          {"g", list(dynamics::restoring(vehicle, state.q_nb))}};
}

}  // namespace

int main() {
  const exchange::ExportOptions options{model::Environment(1025, 9.79)};
  Json robots = Json::array();
  for (const auto& [name, robot] : dynamics::test::all_robots()) {
    const dynamics::Vehicle vehicle(robot, options.environment);
    const exchange::Exported exported = exchange::export_robot(robot, exchange::Format::matlab, options);
    RandomStream random(1, name);
    Json samples = Json::array();
    for (int k = 0; k < 10; ++k) samples.push_back(sample(vehicle, k % 2, random));
    const exchange::Exported uuv = exchange::export_robot(robot, exchange::Format::uuv_simulator, options);
    Json uuv_files, uuv_lost = Json::array();
    for (const exchange::ExportedFile& file : uuv.files) uuv_files[file.name] = file.text;
    for (const exchange::Loss& loss : uuv.losses) uuv_lost.push_back(loss.key);
    const auto& B = vehicle.allocation();
    robots.push_back({{"name", name},
                      {"file", exported.files.front().name},
                      {"text", exported.files.front().text},
                      {"B", std::vector<double>(B.data(), B.data() + B.size())},
                      {"samples", samples},
                      {"uuv_model", uuv.files.front().name},
                      {"uuv", uuv_files},
                      {"uuv_lost", uuv_lost}});
  }
  std::puts(robots.dump().c_str());
}
