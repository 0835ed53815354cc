#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/error.hpp"
#include "fathom/geometry/types.hpp"
#include "fathom/model/parameters.hpp"

namespace fathom::model {

/// What an estimate said of the robot that carries it: parameters of the whole vehicle, such as m11 = mass plus
/// added mass, with their full covariance. The robot's own values and sigmas cannot hold that: the parts of a
/// total may be unknown where the total is well known, and a sigma has no correlation.
struct IdentifiedParameters {
  std::string structure;       ///< a name of structure.hpp, or any other, for people
  double density = 0;          ///< kg/m^3, of the water of the estimate
  double gravity = 0;          ///< m/s^2
  ParameterVector parameters;  ///< infinite variance, without covariances, for what the data did not show
  std::string source;
  /// From a command to the force that moves the vehicle: what the thrusters' own transients leave of it.
  struct Delay {
    double value = 0, sigma = 0;  ///< s
  };
  std::optional<Delay> delay = {};

  /// Wrench that the model leaves unexplained, of each of [u v w p q r]; prediction bands are made of it.
  struct Residual {
    Vec6 sigma = Vec6::Zero();             ///< N, N m
    Vec6 correlation_time = Vec6::Zero();  ///< s, after which the autocorrelation has fallen to 1/e
  };
  std::optional<Residual> residual = {};

  /// Where the data were: beyond it the model extrapolates.
  struct Range {
    Vec6 wrench_min = Vec6::Zero(), wrench_max = Vec6::Zero();      ///< N, N m, of the thrusters
    Vec6 velocity_min = Vec6::Zero(), velocity_max = Vec6::Zero();  ///< m/s, rad/s, relative to the water
    Eigen::Vector2d attitude_min = Eigen::Vector2d::Zero(),
                    attitude_max = Eigen::Vector2d::Zero();  ///< rad, roll and pitch
    /// Command of each thruster, in the unit of its map; empty where the logs
    /// command a wrench.
    std::vector<double> command_min = {}, command_max = {};
    /// Error of each of [u v w p q r] at twice the range, over that inside.
    Vec6 extrapolation = Vec6::Constant(2);
  };
  std::optional<Range> range = {};

  /// A line per axis, nu_dot = wrench * commanded + velocity * nu + constant, to compare predictions with; an
  /// axis with three zeros keeps its velocity.
  struct Baseline {
    double lag = 0;  ///< s, of the commands; below 0: their clock is ahead
    Vec6 wrench = Vec6::Zero(), velocity = Vec6::Zero(), constant = Vec6::Zero();
  };
  std::optional<Baseline> baseline = {};

  /// Part of the covariance that errors of the thrusters' forces make, as rows
  /// of its lower triangle; empty where it is not known. A prediction with the
  /// same thrusters does not have it.
  std::vector<std::vector<double>> by_thrusters = {};
};

/// Returns the covariance that a prediction with the thrusters of the estimate
/// has: without `by_thrusters`.
Eigen::MatrixXd covariance_given_thrusters(const IdentifiedParameters& identified);
/// Returns the rows of the lower triangle.
std::vector<std::vector<double>> lower_triangle(const Eigen::MatrixXd& symmetric);

/// Everything wrong with it: names that are unknown, used twice or not of the structure, numbers that are not
/// finite, a covariance that is not positive semi-definite. Keys are the paths of the robot file.
Findings check_identified(const IdentifiedParameters& identified);

}  // namespace fathom::model
