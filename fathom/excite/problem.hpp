#pragma once
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/constants.hpp"
#include "fathom/geometry/types.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"
#include "fathom/model/structure.hpp"

namespace fathom::excite {

/// The coordinates of a path: place in n, and roll, pitch, yaw. Those of held degrees of freedom stay zero.
inline constexpr std::array<std::string_view, 6> coordinate_names = {"x", "y", "z", "roll", "pitch", "yaw"};

struct Range {
  double min = -infinity;
  double max = infinity;
};

/// Bounds by coordinate, in the world frame: m and rad, per s, per s^2.
struct Limits {
  std::array<Range, 6> pose, rate, acceleration;
};

/// A stretch of time with bounds of its own.
struct Segment {
  std::string name;
  double duration = 0;  ///< s
  Limits limits;
};

/// Shape of the path.
struct Shape {
  enum class Kind {
    bezier,  ///< one piece per segment, as in Panetsos
    spline,  ///< cubic B-spline
  };
  Kind kind = Kind::spline;
  int degree = 20;  ///< of a Bezier piece
  int parts = 8;    ///< that each Bezier piece's control polygon is cut into; 1 is the paper's hull
  double interval =
      1.6;  ///< s, most between knots of the spline: finer ones gain little within limits of .2 m/s^2
};

enum class Criterion {
  a_optimal,  ///< mean variance of the parameters, each over the square of its scale
  d_optimal,  ///< volume of their confidence ellipsoid
  condition,  ///< condition number of the stacked regressor: the paper's, units and noise left aside
};

/// Standard deviation of one sample of what identification will see; docs/excitation.md eq. 10.
struct Noise {
  double force = 1;      ///< N
  double torque = 0.25;  ///< N m
  double velocity = 0;   ///< m/s
  double turn_rate = 0;  ///< rad/s
};

/// What is known of a parameter beforehand.
struct Prior {
  std::string parameter;
  double sigma = 0;
};

/// A camera that must keep an area of the floor in view. Its field of view is a cone.
struct View {
  Vec3 position_b = Vec3::Zero();  ///< of the camera, m
  Vec3 axis_b = Vec3::UnitZ();     ///< where it looks
  double half_angle = 0;           ///< rad, of the cone; at most widest
  std::vector<Vec3> area_n;        ///< corners of the area; the cone holds all of them

  static constexpr double widest = 85 * degree;  ///< rad: at 90 a cone is no cone
};

struct TetherReach {
  Vec3 anchor_n = Vec3::Zero();
  Vec3 attachment_b = Vec3::Zero();
  double length = 0;  ///< m
};

/// The wrench that the robot's model predicts stays in what the thrusters attain.
struct ThrusterShare {
  double share = 0.8;  ///< of each thruster's limits: the rest is for the controller
};

struct Problem {
  std::string name, title, file;
  model::Robot robot;
  std::string robot_file;
  model::Environment environment = model::Environment();
  model::Structure structure = {};
  Vec6 start = Vec6::Zero(), end = Vec6::Zero();  ///< x y z roll pitch yaw, at rest
  std::vector<Segment> segments = {};             ///< their pose limits are inside the tank's
  double sampling = 0.2;                          ///< s
  Shape shape = {};
  Criterion criterion = Criterion::a_optimal;
  Noise noise = {};
  std::vector<Prior> priors = {};
  std::optional<ThrusterShare> thrusters = {};
  std::optional<View> view = {};
  std::optional<TetherReach> tether = {};
  std::optional<Box> tank_n = {};         ///< for pictures
  int starts = 8;                         ///< random beginnings, of which the best end is kept
  std::map<std::string, int> lines = {};  ///< of the file, by key such as segments[2].limits
  /// Lag, delay and maps of the thrusters are known no better than `identify` assumes: ThrusterErrors. Without
  /// thrusters it does not matter.
  bool thruster_errors = true;

  double duration() const;
  std::vector<int> coordinates() const;  ///< those that move: 0 1 2 5 in 4-DoF, all in 6-DoF
  /// Where the file states a key, or else what it is part of; 0 where it does not.
  int line_of(const std::string& key) const;
};

/// Reads a problem file (docs/problem-file.md). Robots without a path are looked up in `robot_folders`; a path
/// is relative to the file. `duration` > 0 replaces the file's: segments keep their shares. Throws InputError
/// that lists everything wrong with it.
Problem read_problem(const std::filesystem::path& path, const std::vector<std::filesystem::path>& robot_folders,
                     std::optional<double> duration = {});
Problem parse_problem(const std::string& text, const std::string& file,
                      const std::vector<std::filesystem::path>& robot_folders,
                      std::optional<double> duration = {});

}  // namespace fathom::excite
