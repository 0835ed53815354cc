#include "fathom/model/geometric_prior.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/model/shape_drag.hpp"

namespace fathom::model {
namespace {

/// How far off such guesses are, one sigma; docs/prior.md says which vehicles it was seen on.
struct Spread {
  double inertia_share, inertia_sigma;       ///< of an evenly filled shape: what is heavy sits in the middle
  double added_translation, added_rotation;  ///< relative
};
Spread spread_of(HullKind kind) {
  switch (kind) {
    case HullKind::closed: return {0.9, 0.25, 0.4, 0.6};
    case HullKind::open_frame: return {0.6, 0.15, 0.6, 0.8};
  }
  return {};
}
constexpr double coupling_sigma = 0.25;  ///< sigma of an entry off the diagonal, by the root of the product
constexpr double righting_arm = 0.06;    ///< of the height, and its sigma
constexpr double off_middle = 0.02;      ///< sigma of both centres, of length and width
constexpr double trim = 0.01;            ///< sigma of the volume of a trimmed vehicle
constexpr double weighing = 0.01;        ///< sigma of a mass that says none
constexpr double damping_ratio = 0.06;   ///< xi of Nielsen 2019, eq. 4.4: 0.02 to 0.10
constexpr double linear_share = 0.16;    ///< s/m or s: Nielsen 2019, eq. 4.3

std::string from_geometry(const std::string& equation) {
  return fmt::format("from geometry (docs/prior.md {})", equation);
}

template <class T>
Value<T> guess(const T& value, const T& sigma, const std::string& equation) {
  return {value, from_geometry(equation), false, sigma};
}

/// What the description gives, with a source.
template <class T>
Value<T> as_given(Value<T> value) {
  if (value.source.empty()) {
    value.source = "as the hull file gives it";
    value.assumed = true;
  }
  return value;
}

/// Couplings that the mirror image about the x-z plane allows.
bool may_couple(int i, int j) { return (i + j) % 2 == 0; }

/// Off the diagonal nothing is known but its order of magnitude.
Mat6 with_couplings(const Vec6& sigma, const Vec6& value) {
  Mat6 sigmas = sigma.asDiagonal();
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      if (i != j && may_couple(i, j)) sigmas(i, j) = coupling_sigma * std::sqrt(value[i] * value[j]);
  return sigmas;
}

/// The sigmas of H' M H, entry by entry, for a symmetric M whose entries err each by itself.
Mat6 sigma_elsewhere(const Mat6& sigma, const Mat6& H) {
  Mat6 variance = Mat6::Zero();
  for (int i = 0; i < 6; ++i)
    for (int j = i; j < 6; ++j) {
      Mat6 change = H.row(i).transpose() * H.row(j);
      if (i != j) change += H.row(j).transpose() * H.row(i);
      variance += (sigma(i, j) * change).cwiseAbs2();
    }
  return variance.cwiseSqrt();
}

class Prior {
 public:
  Prior(const HullDescription& given, const Environment& environment)
      : given_(given),
        environment_(environment),
        spread_(spread_of(given.kind)),
        size_(size_of(given.hull.shape)) {}

  Robot make() {
    RobotSpec spec;
    spec.name = given_.name;
    spec.title = given_.title;
    spec.notes = given_.notes;
    spec.hull.symmetry.port_starboard = is_upright();
    fill_dry(spec.hull);
    fill_added_mass(spec.hull);
    spec.damping.push_back(drag(spec.hull));
    spec.thrusters = given_.thrusters;
    spec.sensors = given_.sensors;
    spec.command_path = given_.command_path;
    return Robot::make(std::move(spec));
  }

  double displaced() const {
    return environment_.density() *
           (given_.volume ? given_.volume->value : given_.mass.value / environment_.density());
  }

 private:
  /// Is the shape its own mirror image about the body's x-z plane?
  bool is_upright() const {
    const Pose& pose = given_.hull.pose;
    const Vec3 y = pose.q_pc * Vec3::UnitY();
    return std::abs(pose.p_pc_p.y()) < 1e-12 && std::abs(std::abs(y.y()) - 1) < 1e-12;
  }
  Mat3 R_bc() const { return given_.hull.pose.q_pc.toRotationMatrix(); }

  void fill_dry(Hull& hull) const {
    const Vec3 middle_b = given_.hull.pose.p_pc_p, size_b = R_bc().cwiseAbs() * size_;
    hull.mass = as_given(given_.mass);
    if (!hull.mass.sigma) hull.mass.sigma = weighing * hull.mass.value;
    const double neutral = hull.mass.value / environment_.density();
    hull.volume = given_.volume ? as_given(*given_.volume) : guess(neutral, trim * neutral, "eq. 3");
    const Vec3 off = off_middle * size_b;
    hull.centre_of_mass =
        given_.centre_of_mass ? as_given(*given_.centre_of_mass) : guess(middle_b, off, "eq. 3");
    const double arm = righting_arm * size_b.z();
    const Vec3 above = hull.centre_of_mass.value - Vec3(0, 0, arm);
    hull.centre_of_buoyancy = given_.centre_of_buoyancy ? as_given(*given_.centre_of_buoyancy)
                                                        : guess(above, Vec3(off.x(), off.y(), arm), "eq. 3");
    hull.size = guess(size_b, Vec3(Vec3::Zero()), "eq. 1");
    hull.inertia = given_.inertia ? as_given(*given_.inertia) : inertia();
  }

  /// Eq. 2: an evenly filled shape, less what is nearer to the middle.
  Value<Mat3> inertia() const {
    const Vec3 solid = given_.mass.value * gyration_of(given_.hull.shape);
    const Mat3 R = R_bc();
    Mat3 sigma = Mat3::Constant(0.05 * solid.maxCoeff());
    sigma.diagonal() = spread_.inertia_sigma * (R.cwiseAbs2() * solid);
    Mat3 value = R * Mat3((spread_.inertia_share * solid).asDiagonal()) * R.transpose();
    value = 0.5 * (value + value.transpose()).eval();
    return guess(value, sigma, "eqs. 1 and 2");
  }

  /// Of what the shape holds, what the vehicle displaces: the rest of an open frame lets the water through.
  double filling() const {
    return given_.kind == HullKind::closed
               ? 1
               : std::min(1.0, displaced() / (environment_.density() * volume_of(given_.hull.shape)));
  }

  void fill_added_mass(Hull& hull) {
    added_ = filling() * added_mass_of_shape(given_.hull.shape, environment_.density());  // eq. 10
    Vec6 sigma;
    sigma.head<3>() = spread_.added_translation * added_.head<3>();
    // Thrusters and fins turn with a body of revolution, whose own surface moves no water.
    const double appendages = 0.1 * displaced() * size_.squaredNorm() / 12;
    sigma.tail<3>() = (spread_.added_rotation * added_.tail<3>()).cwiseMax(appendages);
    Vec6 order = added_;
    order.tail<3>() = added_.tail<3>().cwiseMax(appendages);
    const Mat6 H = twist_transform(given_.hull.pose);
    Mat6 at_origin = H.transpose() * added_.asDiagonal() * H;
    at_origin = 0.5 * (at_origin + at_origin.transpose()).eval();
    hull.added_mass = guess(at_origin, sigma_elsewhere(with_couplings(sigma, order), H), "eqs. 4 to 10");
  }

  DragElement drag(const Hull& hull) const {
    const ShapeDrag quadratic = quadratic_drag_of(given_.hull.shape, given_.kind, environment_.density());
    DragElement element;
    element.name = "hull";
    element.position_b.value = given_.hull.pose.p_pc_p;
    element.attitude_rpy.value = euler_from_quaternion(given_.hull.pose.q_pc);
    QuadraticDrag value, sigma;
    const Mat6 sigmas = with_couplings(quadratic.sigma, quadratic.value);
    for (int j = 0; j < 6; ++j) {
      value.by_speed[static_cast<std::size_t>(j)](j, j) = quadratic.value[j];
      sigma.by_speed[static_cast<std::size_t>(j)].col(j) = sigmas.col(j);
    }
    element.quadratic = guess(value, sigma, "eqs. 11 and 12; Nielsen 2019, eq. 4.2");
    const Vec6 linear = linear_drag(hull, quadratic.value);
    Vec6 linear_sigma = linear;
    linear_sigma.tail<3>() = linear.tail<3>().cwiseMax(quadratic.sigma.tail<3>());  // at 1 rad/s
    element.linear = guess(Mat6(linear.asDiagonal()), with_couplings(linear_sigma, linear),
                           "eqs. 13 to 15; Nielsen 2019, eqs. 4.3, 4.4 and 4.6");
    return element;
  }

  Vec6 linear_drag(const Hull& hull, const Vec6& quadratic) const {
    Vec6 linear;
    linear.head<3>() = linear_share * quadratic.head<3>();
    const double arm = hull.centre_of_mass.value.z() - hull.centre_of_buoyancy.value.z();
    const double righting = std::max(0.0, arm * hull.mass.value * environment_.gravity());
    const Vec3 moments = (R_bc().transpose() * hull.inertia.value * R_bc()).diagonal();
    for (int i = 0; i < 2; ++i)
      linear[3 + i] = 2 * damping_ratio * moments[i] * std::sqrt(righting / (moments[i] + added_[3 + i]));
    // Eq. 4.6 with pitch for roll, as the thesis' Table 4.1 has it: a body of revolution has no q44.
    linear[5] = linear[4] * quadratic[5] / quadratic[4];
    return linear;
  }

  const HullDescription& given_;
  const Environment& environment_;
  Spread spread_;
  Vec3 size_;
  Vec6 added_ = Vec6::Zero();  ///< about the middle of the shape, in its axes
};

void check_description(const HullDescription& description, const Environment& environment) {
  Findings findings;
  if (!(description.mass.value > 0 && std::isfinite(description.mass.value)))
    add_error(findings, "mass", fmt::format("= {} kg, must be positive", description.mass.value));
  try {
    check_shape(description.hull.shape);
  } catch (const InputError& error) {
    findings.insert(findings.end(), error.findings().begin(), error.findings().end());
  }
  if (!findings.empty()) throw InputError(findings);
  const double volume =
      description.volume ? description.volume->value : description.mass.value / environment.density();
  const double holds = volume_of(description.hull.shape);
  if (!(volume > 0 && volume <= 1.05 * holds))
    reject(description.volume ? "volume" : "mass",
           fmt::format("makes it displace {:.4g} m^3, but the shape holds {:.4g} m^3", volume, holds),
           "dimensions of the whole hull, in m; volume in m^3 if it is not trimmed to float");
  constexpr double emptiest = 1e-4;  // displaced by the volume inside; of a bare frame it is some per cent
  if (volume < emptiest * holds)
    reject("shape", fmt::format("holds {:.4g} m^3, but the vehicle displaces {:.4g} m^3 alone", holds, volume),
           "millimetres? Fathom wants m");
}

}  // namespace

Robot geometric_prior(const HullDescription& description, const Environment& environment) {
  check_description(description, environment);
  return Prior(description, environment).make();
}

Findings warnings_about(const HullDescription& description, const Environment& environment) {
  const double share =
      (description.volume ? description.volume->value : description.mass.value / environment.density()) /
      volume_of(description.hull.shape);
  if (description.kind == HullKind::open_frame || share > 0.6) return {};
  return {
      {Severity::warning, "", 0, "kind",
       fmt::format("is closed, but the vehicle displaces only {:.0f} % of what the shape holds", 100 * share),
       "open_frame, if water goes through it"}};
}

}  // namespace fathom::model
