#include "fathom/simulate/contact.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/geometry/spectrum.hpp"
#include "fathom/simulate/internal/findings.hpp"

namespace fathom::simulate {
namespace {

using internal::check_positive;

void check_tank(Findings& findings, const Tank& tank) {
  constexpr const char* names[] = {"north", "east"};
  for (int i = 0; i < 2; ++i)
    if (!(tank.max_n[i] > tank.min_n[i]))
      add_error(findings, "tank",
                fmt::format("reaches from {} to {} m {}, must have some width", tank.min_n[i], tank.max_n[i],
                            names[i]),
                "min_n before max_n");
  if (!(tank.max_n.z() > 0))
    add_error(findings, "tank.max_n", fmt::format("has its floor at z = {}, must be > 0", tank.max_n.z()),
              "z is depth, positive down, from the surface");
  if (!(tank.min_n.z() <= 0))
    add_error(findings, "tank.min_n", fmt::format("has z = {}, must be <= 0", tank.min_n.z()),
              "the water begins at the surface, z = 0");
}

void check(const ContactShape& shape, const ContactBody& body, const Tank& tank, const ContactSpec& spec) {
  Findings findings;
  check_tank(findings, tank);
  if (shape.is_box() && !(shape.size.allFinite() && shape.size.minCoeff() > 0))
    add_error(findings, "shape.size",
              fmt::format("= [{}, {}, {}], must be positive and finite", shape.size.x(), shape.size.y(),
                          shape.size.z()),
              "m; or give a radius");
  if (!shape.is_box()) check_positive(findings, "shape.radius", shape.radius, "m");
  check_positive(findings, "mass_point", body.mass_point, "kg");
  check_positive(findings, "mass_light", body.mass_light, "kg");
  check_positive(findings, "mass_heavy", body.mass_heavy, "kg");
  if (!(std::isfinite(body.buoyancy) && body.buoyancy >= 0))
    add_error(findings, "buoyancy", fmt::format("= {}, must be finite and >= 0", body.buoyancy), "N");
  if (spec.stiffness) check_positive(findings, "stiffness", *spec.stiffness, "N/m^1.5");
  check_positive(findings, "design_speed", spec.design_speed, "m/s");
  check_positive(findings, "design_penetration", spec.design_penetration, "m");
  check_positive(findings, "friction_speed", spec.friction_speed, "m/s");
  check_positive(findings, "ripple", spec.ripple, "m");
  if (!(spec.restitution >= 0.1 && spec.restitution <= 1))
    add_error(findings, "restitution", fmt::format("= {}, must be 0.1 to 1", spec.restitution),
              "less would need tiny steps");
  if (!(std::isfinite(spec.friction) && spec.friction >= 0))
    add_error(findings, "friction", fmt::format("= {}, must be finite and >= 0", spec.friction),
              "0.2 for plastic");
  if (!findings.empty()) throw InputError(findings);
}

ContactBody body_of(const model::Robot& robot, const dynamics::Vehicle& vehicle) {
  const Mat3 M = vehicle.M().topLeftCorner<3, 3>();
  const Vec3 masses = symmetric_eigenvalues(M);
  // How lightly the body gives way at a point, in the worst direction: the largest eigenvalue of J M^-1 J'.
  const ContactShape shape = ContactShape::of(robot.hull());
  double most_mobile = 0;
  for (int k = 0; k < 8; ++k) {
    const Vec3 signs(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
    const Vec3 point = shape.centre_b + (shape.is_box() ? Vec3(signs.cwiseProduct(shape.size) / 2)
                                                        : Vec3(shape.radius / std::sqrt(3.0) * signs));
    Eigen::Matrix<double, 3, 6> J;
    J << Mat3::Identity(), -skew(point);
    const Mat3 mobility = J * vehicle.M_inverse() * J.transpose();
    most_mobile = std::max(most_mobile, symmetric_eigenvalues(mobility)[2]);
  }
  const model::Environment& environment = vehicle.environment();
  return {1 / most_mobile, masses[0], masses[2],
          environment.density() * robot.hull().volume.value * environment.gravity()};
}

/// x - ln(1 + x), to rounding also for small x.
double compression(double x) {
  if (x < 1e-3) return x * x * (1.0 / 2 - x * (1.0 / 3 - x * (1.0 / 4 - x / 5)));
  return x - std::log1p(x);
}
double rebound(double y) { return y * y * (1.0 / 2 + y / 3); }

/// Work of one impact per k: (5/2) of it is delta^(5/2) m / k; docs/water.md eq. 18.
double impact_work(double damping, double speed) {
  if (damping * speed < 1e-6) return speed * speed / 2;
  return compression(damping * speed) / (damping * damping);
}

template <class Rising>
double root_of_rising(const Rising& function) {
  double low = 0, high = 1;
  while (function(high) < 0) high *= 2;
  for (int k = 0; k < 100; ++k) {
    const double middle = (low + high) / 2;
    (function(middle) < 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// 1 + x where the point goes in; where it goes out less than 1 but never negative: a wall does not hold on to
/// what leaves it. Once differentiable; docs/water.md eq. 16.
double hunt_crossley(double x) { return x >= 0 ? 1 + x : 1 / (1 - x); }

struct WallPlane {
  Wall wall;
  int axis;
  double side;  ///< +1: the wall is where the axis grows
};
constexpr WallPlane planes[] = {
    {Wall::north, 0, 1}, {Wall::south, 0, -1}, {Wall::east, 1, 1}, {Wall::west, 1, -1}, {Wall::floor, 2, 1}};

double plane_offset(const Tank& tank, const WallPlane& plane) {
  return plane.side > 0 ? tank.max_n[plane.axis] : -tank.min_n[plane.axis];
}

void keep_deepest(WallState& state, double penetration, double speed) {
  if (penetration > state.penetration) state = {penetration, speed};
}

}  // namespace

std::string_view to_string(Wall wall) {
  constexpr std::string_view names[] = {"north", "south", "east", "west", "floor", "surface"};
  return names[static_cast<std::size_t>(wall)];
}

double damping_of_restitution(double restitution, double speed) {
  if (restitution >= 1) return 0;
  // compression(x) / x^2 falls with x and rebound(e x) / x^2 rises: one crossing.
  const auto excess = [restitution](double x) { return (rebound(restitution * x) - compression(x)) / (x * x); };
  return root_of_rising(excess) / speed;
}

ContactShape ContactShape::of(const model::Hull& hull) {
  ContactShape shape;
  shape.centre_b = hull.centre_of_buoyancy.value;
  if (hull.size)
    shape.size = hull.size->value;
  else
    shape.radius = std::cbrt(3 / (4 * M_PI) * hull.volume.value);
  return shape;
}

Contact::Contact(const model::Robot& robot, const dynamics::Vehicle& vehicle, const Tank& tank,
                 const ContactSpec& spec)
    : Contact(ContactShape::of(robot.hull()), body_of(robot, vehicle), tank, spec) {}

Contact::Contact(const ContactShape& shape, const ContactBody& body, const Tank& tank, const ContactSpec& spec)
    : shape_(shape), body_(body), tank_(tank), spec_(spec) {
  check(shape, body, tank, spec);
  damping_ = damping_of_restitution(spec.restitution, spec.design_speed);
  stiffness_ = spec.stiffness.value_or(2.5 * body.mass_heavy * impact_work(damping_, spec.design_speed) /
                                       std::pow(spec.design_penetration, 2.5));
}

Vec3 Contact::point_b(int k) const {
  if (!shape_.is_box()) return shape_.centre_b;
  const Vec3 signs(k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5);
  return shape_.centre_b + signs.cwiseProduct(shape_.size);
}

ContactLoad Contact::load(const dynamics::State& state) const {
  ContactLoad load;
  const Mat3 R_nb = state.q_nb.toRotationMatrix();
  const Vec3 v_b = state.nu_b.head<3>(), omega_b = state.nu_b.tail<3>();
  WallState& surface = load.walls[static_cast<std::size_t>(Wall::surface)];
  for (int k = 0; k < points(); ++k) {
    const Vec3 centre_b = point_b(k), centre_n = state.p_nb_n + R_nb * centre_b;
    keep_deepest(surface, shape_.radius - centre_n.z(), -R_nb.row(2).dot(v_b + omega_b.cross(centre_b)));
    for (const WallPlane& plane : planes) {
      const double penetration = plane.side * centre_n[plane.axis] + shape_.radius - plane_offset(tank_, plane);
      const Vec3 into_b = plane.side * R_nb.row(plane.axis).transpose();
      const Vec3 touch_b = centre_b + shape_.radius * into_b, v_touch_b = v_b + omega_b.cross(touch_b);
      const double speed = into_b.dot(v_touch_b);
      keep_deepest(load.walls[static_cast<std::size_t>(plane.wall)], penetration, speed);
      if (penetration <= 0) continue;
      // docs/water.md eqs. 15, 16 and 19
      const double normal = stiffness_ * penetration * std::sqrt(penetration) * hunt_crossley(damping_ * speed);
      const Vec3 slip_b = v_touch_b - speed * into_b;
      const Vec3 force_b =
          -normal * (into_b + spec_.friction / std::hypot(slip_b.norm(), spec_.friction_speed) * slip_b);
      load.contact_b.head<3>() += force_b;
      load.contact_b.tail<3>() += touch_b.cross(force_b);
    }
  }

  // docs/water.md eqs. 20 to 22
  if (surface.penetration > -3 * spec_.ripple) {
    const Vec3 down_b = R_nb.row(2).transpose();
    const Emerged out = emerged(down_b, -(state.p_nb_n + R_nb * shape_.centre_b).z());
    load.emerged = out.share;
    load.lost_buoyancy_b.head<3>() = body_.buoyancy * out.share * down_b;
    load.lost_buoyancy_b.tail<3>() =
        body_.buoyancy * (out.share * shape_.centre_b + out.moment_b).cross(down_b);
  }
  return load;
}

/// The height of a random point of a box above the water is that of its centre plus three independent uniform
/// numbers, one per edge; share and lift are the distribution of their sum and its integral.
Contact::Emerged Contact::emerged(const Vec3& down_b, double height) const {
  Emerged out{0, 0, Vec3::Zero()};
  if (!shape_.is_box()) {
    const double r = shape_.radius, cap = std::clamp(height + r, 0.0, 2 * r);
    out.share = cap * cap * (3 * r - cap) / (4 * r * r * r);
    out.lift = height >= r ? height : cap * cap * cap * (4 * r - cap) / (16 * r * r * r);
    return out;  // the centroid is right above the centre: no moment about it
  }
  const Vec3 slope = shape_.size.cwiseProduct(down_b);
  const double ripple = spec_.ripple * spec_.ripple;
  const Vec3 width = (slope.array().square() + ripple * (1 - down_b.array().square()).max(0)).sqrt();
  if (height >= width.sum() / 2) {
    out.share = 1;
    out.lift = height;
    return out;
  }
  const double volume = width.prod();
  Vec3 by_width = Vec3::Zero();
  for (int k = 0; k < 8; ++k) {
    const Vec3 signs(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
    const double above = height + signs.dot(width) / 2;
    if (above <= 0) continue;
    const double cube = signs.prod() * above * above * above / (6 * volume);
    out.share += cube;
    out.lift += cube * above / 4;
    by_width += cube / 2 * signs;
  }
  by_width -= out.lift * width.cwiseInverse();
  for (int i = 0; i < 3; ++i)
    out.moment_b[i] = -by_width[i] * (shape_.size[i] * shape_.size[i] - ripple) * down_b[i] / width[i];
  return out;
}

double Contact::energy(const dynamics::State& state) const {
  double sum = 0;
  for (int k = 0; k < points(); ++k) {
    const Vec3 p_n = state.p_nb_n + state.q_nb * point_b(k);
    for (const WallPlane& plane : planes) {
      const double penetration = plane.side * p_n[plane.axis] + shape_.radius - plane_offset(tank_, plane);
      if (penetration > 0) sum += 0.4 * stiffness_ * penetration * penetration * std::sqrt(penetration);
    }
  }
  const Vec3 down_b = state.q_nb.conjugate() * Vec3::UnitZ();
  return sum + body_.buoyancy * emerged(down_b, -(state.p_nb_n + state.q_nb * shape_.centre_b).z()).lift;
}

double Contact::stable_step(double speed) const {
  // Linearised at the deepest point of an impact: on a whole face, on the point that gives way most, and for
  // the friction of a corner that has the whole vehicle behind it but can turn aside lightly.
  struct Impact {
    double depth, force;
  };
  const auto impact = [&](double stiffness, double mass) -> Impact {
    const double depth = std::pow(2.5 * mass * impact_work(damping_, std::abs(speed)) / stiffness, 0.4);
    return {depth, stiffness * depth * std::sqrt(depth)};
  };
  const auto normal_rate = [&](double stiffness, double mass) {
    const Impact hit = impact(stiffness, mass);
    return std::hypot(std::sqrt(1.5 * hit.force / (hit.depth * mass)), damping_ * hit.force / mass);
  };
  const double face = normal_rate((shape_.is_box() ? 4 : 1) * stiffness_, body_.mass_light);
  const double point = normal_rate(stiffness_, body_.mass_point);
  const double friction =
      spec_.friction / spec_.friction_speed * impact(stiffness_, body_.mass_heavy).force / body_.mass_point;
  return 2.78 / std::max({face, point, friction});
}

ContactMonitor::ContactMonitor(double release) : release_(release) {
  if (!(std::isfinite(release) && release >= 0))
    reject("release", fmt::format("= {}, must be finite and >= 0", release),
           "m of clearance that end a contact");
}

std::span<const ContactEvent> ContactMonitor::update(double t, const ContactLoad& load) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < wall_count; ++k) {
    Track& track = tracks_[k];
    const WallState now = load.walls[k], before = track.last;
    const bool has_before = started_ && std::isfinite(before.penetration);
    const auto crossing = [&](double level) {
      const double change = now.penetration - before.penetration;
      if (!has_before || change == 0) return t;
      return last_time_ + std::clamp((level - before.penetration) / change, 0.0, 1.0) * (t - last_time_);
    };
    if (!track.touching && now.penetration > 0) {
      track.touching = true;
      track.event = {crossing(0),
                     static_cast<Wall>(k),
                     true,
                     std::max(has_before ? before.speed : now.speed, 0.0),
                     now.penetration,
                     0};
      track.event.began = track.event.time;
      events_[count++] = track.event;
    } else if (track.touching && now.penetration < -release_) {
      track.touching = false;
      track.event.begins = false;
      track.event.time = crossing(-release_);
      events_[count++] = track.event;
    } else if (track.touching) {
      track.event.peak = std::max(track.event.peak, now.penetration);
    }
    track.last = now;
  }
  last_time_ = t;
  started_ = true;
  return {events_.data(), count};
}

}  // namespace fathom::simulate
