#include "fathom/identify/vehicle/internal/check_repairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <Eigen/LU>
#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::identify::internal {
namespace {

using std::numbers::pi;
constexpr double degrees_per_radian = 180 / pi;

const Mat3& east_north_up() {
  static const Mat3 R = (Mat3() << 0, 1, 0, 1, 0, 0, 0, 0, -1).finished();
  return R;
}
const Mat3& forward_left_up() {
  static const Mat3 R = Vec3(1, -1, -1).asDiagonal();
  return R;
}

Mat3 turn_about_z(double angle) { return Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix(); }

void turn_vector(CheckMotion& motion, Checked kind, const Mat3& R) {
  if (motion[kind].known()) motion[kind].values = (R * motion[kind].values).eval();
}

void scale_series(CheckMotion& motion, Checked kind, double factor) {
  motion[kind].values *= factor;
  motion[kind].noise *= std::abs(factor);
}

/// R_nb becomes f(R_nb).
template <class F>
void map_attitude(CheckMotion& motion, const F& f) {
  CheckSeries& attitude = motion[Checked::attitude];
  Eigen::Vector4d last = Eigen::Vector4d::Zero();
  for (Eigen::Index k = 0; k < attitude.values.cols(); ++k) {
    if (!attitude.values.col(k).allFinite()) continue;
    const Quat q(Mat3(f(rotation_at(attitude, k))));
    Eigen::Vector4d w_first(q.w(), q.x(), q.y(), q.z());
    if (w_first.dot(last) < 0) w_first *= -1;
    attitude.values.col(k) = last = w_first;
  }
}

/// The signed permutation matrices but the identity.
std::vector<Mat3> signed_permutations() {
  std::vector<Mat3> all;
  std::array<int, 3> order = {0, 1, 2};
  do {
    for (int signs = 0; signs < 8; ++signs) {
      Mat3 R = Mat3::Zero();
      for (int i = 0; i < 3; ++i) R(i, order[static_cast<std::size_t>(i)]) = (signs >> i) % 2 ? -1 : 1;
      if (!R.isIdentity(0)) all.push_back(R);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return all;
}

/// Such as "[y, x, -z]": what the three numbers should have been, in those that are there.
std::string axes_text(const Mat3& R) {
  std::string text = "[";
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (R(i, j) != 0) text += fmt::format("{}{}{}", i == 0 ? "" : ", ", R(i, j) < 0 ? "-" : "", "xyz"[j]);
  return text + "]";
}

/// The rows that `axes` of a description takes.
std::string rows_text(const Mat3& R) {
  std::string text = "[";
  for (int i = 0; i < 3; ++i)
    text += fmt::format("{}[{:g}, {:g}, {:g}]", i == 0 ? "" : ", ", R(i, 0), R(i, 1), R(i, 2));
  return text + "]";
}

struct VectorKind {
  Checked kind;
  const char* name;  ///< for people
  const char* to;    ///< key `to` of a description
  bool in_world;
};

constexpr std::array<VectorKind, 4> vector_kinds = {
    {{Checked::rate, "rates", "rate", false},
     {Checked::acceleration, "accelerations", "acceleration", false},
     {Checked::velocity, "velocities", "velocity", false},
     {Checked::position, "positions", "position", true}}};

std::string in_vectors(const std::string& channel, const char* to, const std::string& what) {
  return fmt::format("log description, channels.{}.vectors, `to: {}`: {}", channel, to, what);
}

void add_vector_axes(const CheckMotion& motion, const VectorKind& of, std::vector<CheckRepair>& out) {
  const std::string& channel = motion[of.kind].channel;
  const Checked kind = of.kind;
  for (const Mat3& R : signed_permutations()) {
    std::string text, remedy;
    if (of.in_world && R == east_north_up()) {
      text = fmt::format("its {} are east, north, up and called north, east, down (or the other way round)",
                         of.name);
      remedy = in_vectors(channel, of.to, "`axes: ENU` (or NED, if ENU stands there)");
    } else if (!of.in_world && R == forward_left_up()) {
      text = fmt::format(
          "its {} are forward, left, up and called forward, right, down (or the other way round)", of.name);
      remedy = in_vectors(channel, of.to, "`axes: FLU` (or FRD, if FLU stands there)");
    } else {
      text = fmt::format("its {} have other axes: [x, y, z] should be {}", of.name, axes_text(R));
      remedy =
          R.determinant() > 0
              ? in_vectors(channel, of.to,
                           fmt::format("`axes`, turned by {}; or `attitude` of the sensor in the robot file",
                                       rows_text(R)))
              : in_vectors(channel, of.to,
                           "a column has the wrong sign or place in `from`: no rotation mirrors an axis");
    }
    // A DVL looks down: velocities that are left and up are called wrongly, an inertial unit may hang upside
    // down.
    const bool is_flu_dvl = of.kind == Checked::velocity && R == forward_left_up();
    // A position turned about the vertical and a heading that is off by the same are one.
    if (of.in_world && R.determinant() > 0 && R(2, 2) == 1) continue;
    out.push_back({fmt::format("axes {} {}", of.to, axes_text(R)), channel, text, remedy,
                   !of.in_world && R.determinant() > 0 && !is_flu_dvl,
                   [kind, R](CheckMotion& m) { turn_vector(m, kind, R); }});
  }
  if (of.in_world) return;
  constexpr int step = 15;  // degrees
  for (int angle = step - 180; angle < 180; angle += step) {
    if (angle % 90 == 0) continue;
    const Mat3 R = turn_about_z(angle / degrees_per_radian);
    out.push_back(
        {fmt::format("turned {}", of.to), channel,
         fmt::format("its {} are turned about the vertical axis by about {} deg", of.name, -angle),
         fmt::format("robot file, sensor of {}: `attitude: [0, 0, {}]` (degrees); or `axes: [0, 0, {}]` "
                     "in the log description",
                     channel, angle, angle),
         true, [kind, R](CheckMotion& m) { turn_vector(m, kind, R); }});
  }
}

struct Unit {
  double factor;  ///< what the numbers are to be multiplied by
  const char* text;
  const char* unit;
};

void add_units(const CheckMotion& motion, Checked kind, const char* name, const std::string& place,
               std::initializer_list<Unit> units, std::vector<CheckRepair>& out) {
  for (const Unit& unit : units) {
    const double factor = unit.factor;
    out.push_back({fmt::format("unit {} {}", name, factor), motion[kind].channel,
                   fmt::format("its {} are {}", name, unit.text),
                   fmt::format("{}: `unit: {}`", place, unit.unit), false,
                   [kind, factor](CheckMotion& m) { scale_series(m, kind, factor); }});
  }
}

void add_vector_units(const CheckMotion& motion, std::vector<CheckRepair>& out) {
  const auto place = [&](Checked kind, const char* to) {
    return fmt::format("log description, channels.{}.vectors, `to: {}`", motion[kind].channel, to);
  };
  const double d = degrees_per_radian;
  if (motion[Checked::rate].known())
    add_units(motion, Checked::rate, "rates", place(Checked::rate, "rate"),
              {{1 / d, "57.3 times too large: deg/s called rad/s", "deg/s"},
               {d, "57.3 times too small: rad/s called deg/s", "rad/s"},
               {1e-3, "1000 times too large: mrad/s called rad/s", "mrad/s"}},
              out);
  if (motion[Checked::acceleration].known())
    add_units(motion, Checked::acceleration, "accelerations", place(Checked::acceleration, "acceleration"),
              {{9.80665, "9.8 times too small: g called m/s^2", "g"},
               {1 / 9.80665, "9.8 times too large: m/s^2 called g", "m/s^2"},
               {9.80665e-3, "100 times too large: mg called m/s^2", "mg"}},
              out);
  if (motion[Checked::velocity].known())
    add_units(motion, Checked::velocity, "velocities", place(Checked::velocity, "velocity"),
              {{1e-3, "1000 times too large: mm/s called m/s", "mm/s"},
               {1e3, "1000 times too small: m/s called mm/s", "m/s"},
               {1e-2, "100 times too large: cm/s called m/s", "cm/s"},
               {1e2, "100 times too small: m/s called cm/s", "m/s"},
               {0.514444, "1.94 times too large: knots called m/s", "knots"}},
              out);
  if (motion[Checked::position].known())
    add_units(motion, Checked::position, "positions", place(Checked::position, "position"),
              {{1e-3, "1000 times too large: mm called m", "mm"},
               {1e3, "1000 times too small: m called mm", "m"},
               {1e-2, "100 times too large: cm called m", "cm"},
               {0.3048, "3.28 times too large: ft called m", "ft"}},
              out);
}

void add_depth(const CheckMotion& motion, std::vector<CheckRepair>& out) {
  const CheckSeries& depth = motion[Checked::depth];
  if (!depth.known()) return;
  const std::string place = fmt::format("log description, channels.{}.columns.depth", depth.channel);
  const auto add = [&](double factor, const std::string& text, const std::string& what) {
    out.push_back({fmt::format("unit depth {:.4g}", factor), depth.channel, text, place + ": " + what, false,
                   [factor](CheckMotion& m) { scale_series(m, Checked::depth, factor); }});
  };
  add(-1, "its depth has the wrong sign: it grows upwards", "`sign: -1` (or without it, if it stands there)");
  const auto pressure = [&](double per_metre, const char* unit) {
    add(1 / per_metre,
        fmt::format("its depth is {:.4g} times too large: a pressure in {} called a depth in m", per_metre,
                    unit),
        fmt::format("`unit: {}, density: 1000, surface: ...` (the pressure at the surface)", unit));
  };
  pressure(9810, "Pa");
  // Absolute pressures begin at that of the air; depths in cm do not.
  std::vector<double> values;
  for (Eigen::Index k = 0; k < depth.values.cols(); ++k)
    if (std::isfinite(depth.values(0, k))) values.push_back(depth.values(0, k));
  if (!values.empty() && *std::min_element(values.begin(), values.end()) > 900)
    pressure(98.1, "mbar");
  else
    add(1e-2, "its depth is 100 times too large: cm (or a pressure in mbar) called m", "`unit: cm` (or mbar)");
  pressure(9.81, "kPa");
  pressure(0.0981, "bar");
  pressure(1.4228, "psi");
  add(1e-3, "its depth is 1000 times too large: mm called m", "`unit: mm`");
  add(0.3048, "its depth is 3.28 times too large: ft called m", "`unit: ft`");
}

/// Of a position, whose horizontal axes need not be north and east, to the heading.
void add_heading(const CheckMotion& motion, std::vector<CheckRepair>& out) {
  const CheckSeries &attitude = motion[Checked::attitude], &velocity = motion[Checked::velocity],
                    &position = motion[Checked::position];
  if (!velocity.known() || !position.known()) return;
  const Eigen::MatrixXd measured = slope_of_rows(position.values);
  double along = 0, across = 0;
  for (Eigen::Index k = 0; k < measured.cols(); ++k) {
    const Vec3 a = rotation_at(attitude, k) * velocity.values.col(k), b = measured.col(k);
    if (!a.allFinite() || !b.allFinite()) continue;
    along += a.head<2>().dot(b.head<2>());
    across += a.x() * b.y() - a.y() * b.x();
  }
  double off = std::atan2(across, along);
  constexpr double least_off = 10 / degrees_per_radian, near_right = 3 / degrees_per_radian;
  // Nearly a right angle is one, of other axes: the rest is the sensors' own error.
  if (const double right = std::round(off / (pi / 2)) * (pi / 2); std::abs(off - right) < near_right)
    off = right;
  if (std::abs(off) < least_off) return;
  const double shown = off * degrees_per_radian;
  out.push_back(
      {"heading", attitude.channel,
       fmt::format("its heading and the axes of {} are {:.0f} deg apart: add {:.0f} deg to the heading, or "
                   "turn the positions back by as much",
                   position.channel, std::abs(shown), shown),
       fmt::format("log description, channels.{}.attitude: `world: [0, 0, {:.0f}]`; or channels.{}.vectors, "
                   "`to: position`: `axes: [0, 0, {:.0f}]`",
                   attitude.channel, shown, position.channel, -shown),
       false, [off](CheckMotion& m) {
         const Mat3 R = turn_about_z(off);
         map_attitude(m, [&](const Mat3& R_nb) { return Mat3(R * R_nb); });
       }});
}

/// The four numbers of a quaternion by another order: true[i] = read[order[i]], w x y z.
Mat3 reordered(const Mat3& R, const std::array<int, 4>& order) {
  const Quat q(R);
  const std::array<double, 4> read = {q.w(), q.x(), q.y(), q.z()};
  std::array<double, 4> right{};
  for (std::size_t i = 0; i < 4; ++i) right[i] = read[static_cast<std::size_t>(order[i])];
  return Quat(right[0], right[1], right[2], right[3]).normalized().toRotationMatrix();
}

Mat3 from_angles(double roll, double pitch, double yaw) {
  return quaternion_from_euler(Vec3(roll, pitch, yaw)).toRotationMatrix();
}

void add_attitude(const CheckMotion& motion, std::vector<CheckRepair>& out) {
  const CheckSeries& attitude = motion[Checked::attitude];
  if (!attitude.known()) return;
  const std::string place = fmt::format("log description, channels.{}.attitude", attitude.channel);
  const Mat3 E = east_north_up(), F = forward_left_up(), one = Mat3::Identity();
  const auto add = [&](const std::string& group, const std::string& text, const std::string& remedy, auto map,
                       bool may_be_mounting = false) {
    out.push_back({group, attitude.channel, text, place + ": " + remedy, may_be_mounting,
                   [map](CheckMotion& m) { map_attitude(m, map); }});
  };
  const auto frames = [&](const Mat3& W, const Mat3& B) {
    return [W, B](const Mat3& R) { return Mat3(W * R * B); };
  };
  add("attitude ENU FLU", "its attitude is of FLU axes in ENU, called FRD in NED (or the other way round)",
      "`axes: FLU in ENU` (or FRD in NED, if that stands there)", frames(E, F));
  add("attitude FLU", "its attitude is of FLU body axes called FRD (or the other way round)",
      "`axes: FLU in NED` or `FRD in ENU` (body axes FLU for FRD)", frames(one, F), true);
  add("attitude ENU", "its attitude is in ENU, called NED (or the other way round)",
      "`axes: FRD in ENU` or `FLU in NED` (world axes ENU for NED)", frames(E, one));
  // What the file has is turned by E and F where the description says FLU in ENU.
  for (const bool is_ros : {false, true}) {
    const Mat3 W = is_ros ? E : one, B = is_ros ? F : one;
    const auto in_file = [W, B](auto map) {
      return [W, B, map](const Mat3& R) { return Mat3(W * Mat3(map(Mat3(W * R * B))) * B); };
    };
    add("quaternion order wxyz", "its quaternions have the order w x y z, and are read as x y z w",
        "`order: wxyz`", in_file([](const Mat3& R) {
          return reordered(R, {1, 2, 3, 0});
        }));
    add("quaternion order xyzw", "its quaternions have the order x y z w, and are read as w x y z",
        "`order: xyzw`", in_file([](const Mat3& R) {
          return reordered(R, {3, 0, 1, 2});
        }));
    add("conjugate", "its attitude turns world to body axes, not body to world",
        "the conjugate of the quaternion: negative x, y, z",
        in_file([](const Mat3& R) { return Mat3(R.transpose()); }));
    const auto angles = [&](const std::string& group, const std::string& text, const std::string& remedy,
                            auto map) {
      add(group, text, remedy, in_file([map](const Mat3& R) {
            const Vec3 a = euler_from_quaternion(Quat(R));
            return Mat3(map(a.x(), a.y(), a.z()));
          }));
    };
    angles("roll and pitch", "its roll and pitch are swapped", "`from`: roll before pitch",
           [](double r, double p, double y) { return from_angles(p, r, y); });
    angles("roll sign", "its roll has the wrong sign", "the sign of the roll column",
           [](double r, double p, double y) { return from_angles(-r, p, y); });
    angles("pitch sign", "its pitch has the wrong sign", "the sign of the pitch column",
           [](double r, double p, double y) { return from_angles(r, -p, y); });
    angles("heading sign", "its heading turns the wrong way", "the sign of the heading column",
           [](double r, double p, double y) { return from_angles(r, p, -y); });
    angles("heading from east", "its heading counts from east to north, not from north to east",
           "heading = 90 deg - yaw",
           [](double r, double p, double y) { return from_angles(r, p, pi / 2 - y); });
    angles("radians called degrees", "its angles are 57.3 times too small: rad called deg", "`unit: rad`",
           [](double r, double p, double y) {
             return from_angles(degrees_per_radian * r, degrees_per_radian * p, degrees_per_radian * y);
           });
  }
}

/// Slips of several channels at once.
void add_frames(const CheckMotion& motion, std::vector<CheckRepair>& out) {
  const CheckSeries &attitude = motion[Checked::attitude], &position = motion[Checked::position];
  const Mat3 E = east_north_up(), F = forward_left_up();
  const auto turn = [E, F](CheckMotion& m, bool body) {
    map_attitude(m, [&](const Mat3& R) { return Mat3(E * R * F); });
    turn_vector(m, Checked::position, E);
    if (!body) return;
    for (const Checked kind : {Checked::rate, Checked::acceleration, Checked::velocity})
      turn_vector(m, kind, F);
  };
  if (attitude.known() && position.known())
    out.push_back(
        {"world ENU", attitude.channel,
         fmt::format("its attitude (FLU in ENU) and {} (ENU) are called FRD in NED and NED (or the other "
                     "way round)",
                     position.channel),
         fmt::format("log description: channels.{}.attitude: `axes: FLU in ENU`; channels.{}.vectors: "
                     "`axes: ENU`",
                     attitude.channel, position.channel),
         false, [turn](CheckMotion& m) { turn(m, false); }});
  if (attitude.known())
    out.push_back(
        {"all ENU FLU", attitude.channel,
         "it and the other sensors are in FLU and ENU (ROS), called FRD and NED (or the other way round)",
         "log description: `axes: FLU in ENU` of attitudes, `axes: FLU` of velocities, rates, "
         "accelerations, `axes: ENU` of positions",
         false, [turn](CheckMotion& m) { turn(m, true); }});
  const CheckSeries &rate = motion[Checked::rate], &acceleration = motion[Checked::acceleration];
  if (!rate.known() || !acceleration.known() || rate.channel != acceleration.channel) return;
  for (const Mat3& R : signed_permutations()) {
    if (R.determinant() < 0) continue;
    const bool is_flu = R == F;
    out.push_back(
        {fmt::format("imu {}", axes_text(R)), rate.channel,
         is_flu
             ? "its rates and accelerations are forward, left, up and called forward, right, down (or "
               "the other way round)"
             : fmt::format("its rates and accelerations have other axes: [x, y, z] should be {}", axes_text(R)),
         is_flu ? fmt::format("log description, channels.{}.vectors: `axes: FLU` of both", rate.channel)
                : fmt::format("robot file, `attitude` of the sensor; or log description, "
                              "channels.{}.vectors: `axes` of both, turned by {}",
                              rate.channel, rows_text(R)),
         true, [R](CheckMotion& m) {
           turn_vector(m, Checked::rate, R);
           turn_vector(m, Checked::acceleration, R);
         }});
  }
}

}  // namespace

std::vector<CheckRepair> repairs_of_values(const CheckMotion& motion) {
  std::vector<CheckRepair> repairs;
  for (const VectorKind& of : vector_kinds)
    if (motion[of.kind].known()) add_vector_axes(motion, of, repairs);
  add_vector_units(motion, repairs);
  add_depth(motion, repairs);
  add_attitude(motion, repairs);
  if (motion[Checked::attitude].known()) add_heading(motion, repairs);
  add_frames(motion, repairs);
  return repairs;
}

void shift_channel(CheckMotion& motion, const std::string& channel, double late, double rate) {
  for (CheckSeries& series : motion.series)
    if (series.known() && series.channel == channel) series.values = earlier_by(series.values, late, rate);
  if (motion.commands.known() && motion.commands.channel == channel)
    motion.commands.inputs = earlier_by(motion.commands.inputs, late, rate);
}

}  // namespace fathom::identify::internal
