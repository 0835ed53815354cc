#include "fathom/export/internal/one_drag.hpp"

#include <fmt/format.h>

#include "fathom/model/dof.hpp"

namespace fathom::exchange::internal {
namespace {

/// Entries that are not zero: how many, and the largest.
struct Rest {
  int count = 0;
  double largest = 0;
  Eigen::Index row = 0, column = 0;
};

Rest rest_of(const Mat6& m) {
  Rest rest;
  rest.count = static_cast<int>((m.array() != 0).count());
  if (rest.count > 0) {
    m.cwiseAbs().maxCoeff(&rest.row, &rest.column);
    rest.largest = m(rest.row, rest.column);
  }
  return rest;
}

std::string told(const Rest& rest) {
  return fmt::format("{} {}, the largest {} in row {}, column {}", rest.count,
                     rest.count == 1 ? "entry" : "entries", rest.largest, rest.row + 1, rest.column + 1);
}

void lose_couplings(const model::DragElement& element, const std::string& key, std::string_view format,
                    std::vector<Loss>& losses) {
  for (std::size_t j = 0; j < 6; ++j) {
    const auto k = static_cast<Eigen::Index>(j);
    Mat6 coupling = element.quadratic.value.by_speed[j];
    coupling(k, k) = 0;
    if (const Rest rest = rest_of(coupling); rest.count > 0)
      losses.push_back(
          {fmt::format("{}.quadratic.{}", key, model::velocity_names[j]),
           fmt::format("couplings of quadratic drag: {}. {} has one number a velocity", told(rest), format),
           "export to MATLAB keeps them"});
  }
}

template <class T>
int sigmas(const model::Value<T>& value) {
  return value.sigma ? 1 : 0;
}

int sigmas_of(const model::Robot& robot) {
  const model::Hull& hull = robot.hull();
  int count = sigmas(hull.mass) + sigmas(hull.inertia) + sigmas(hull.centre_of_mass) + sigmas(hull.volume) +
              sigmas(hull.centre_of_buoyancy) + sigmas(hull.added_mass) + (hull.size ? sigmas(*hull.size) : 0);
  for (const model::DragElement& element : robot.damping())
    count += sigmas(element.position_b) + sigmas(element.attitude_rpy) + sigmas(element.linear) +
             sigmas(element.quadratic);
  for (const model::Thruster& thruster : robot.thrusters())
    count += sigmas(thruster.position_b) + sigmas(thruster.direction_b) +
             (thruster.force ? sigmas(*thruster.force) : 0);
  return count;
}

}  // namespace

OneDrag one_drag(const model::Robot& robot, std::string_view format, std::vector<Loss>& losses) {
  OneDrag sum;
  for (std::size_t e = 0; e < robot.damping().size(); ++e) {
    const model::DragElement& element = robot.damping()[e];
    const std::string key = fmt::format("damping[{}]", e);
    if (element.at_origin()) {
      sum.linear += element.linear.value;
      for (Eigen::Index j = 0; j < 6; ++j)
        sum.quadratic[j] += element.quadratic.value.by_speed[static_cast<std::size_t>(j)](j, j);
      lose_couplings(element, key, format, losses);
      continue;
    }
    const Mat6 H = twist_transform(element.pose());
    sum.linear += H.transpose() * element.linear.value * H;
    Mat6 all = Mat6::Zero();
    for (const Mat6& Q : element.quadratic.value.by_speed) all = all.cwiseAbs().cwiseMax(Q.cwiseAbs());
    if (const Rest rest = rest_of(all); rest.count > 0)
      losses.push_back(
          {key + ".quadratic",
           fmt::format("quadratic drag of '{}' away from the body origin (largest coefficient {}). "
                       "{} has drag at the origin alone",
                       element.name, rest.largest, format),
           "fit one element at the origin to it, or export to MATLAB, which keeps it"});
  }
  return sum;
}

Vec6 diagonal_of(const Mat6& m, const std::string& key, std::string_view format, std::vector<Loss>& losses) {
  Mat6 coupling = m;
  coupling.diagonal().setZero();
  if (const Rest rest = rest_of(coupling); rest.count > 0)
    losses.push_back({key, fmt::format("couplings: {}. {} has the diagonal alone", told(rest), format),
                      "export to UUV Simulator or MATLAB keeps them"});
  return m.diagonal();
}

void lose_what_is_fathoms(const model::Robot& robot, std::string_view format, std::vector<Loss>& losses) {
  for (std::size_t k = 0; k < robot.sensors().size(); ++k) {
    const model::Sensor& sensor = robot.sensors()[k];
    losses.push_back(
        {fmt::format("sensors[{}]", k),
         fmt::format("{} '{}' with its place, rate and noise", model::name_of(sensor.kind), sensor.name),
         fmt::format("describe it by hand in the words of {}", format)});
  }
  if (const int count = sigmas_of(robot); count > 0)
    losses.push_back({"sigma", fmt::format("standard deviations of {} values", count), "keep the robot file"});
  if (robot.identified())
    losses.push_back({"identified",
                      fmt::format("the estimate of {} parameters with its covariance",
                                  robot.identified()->parameters.size()),
                      "keep the robot file"});
}

}  // namespace fathom::exchange::internal
