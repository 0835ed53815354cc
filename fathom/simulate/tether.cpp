#include "fathom/simulate/tether.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/simulate/internal/findings.hpp"

namespace fathom::simulate {
namespace {

using internal::check_finite;
using internal::check_not_negative;
using internal::check_positive;

/// From slack to taut with two continuous derivatives, by strain; docs/water.md eq. 8.
struct Stretch {
  double value, slope;
};
Stretch stretch(double strain, double width) {
  if (strain <= 0) return {0, 0};
  if (strain >= width) return {strain - width / 2, 1};
  const double s = strain / width;
  return {width * s * s * s * (1 - s / 2), s * s * (3 - 2 * s)};
}

/// The integral of stretch().value over strain.
double stretch_energy(double strain, double width) {
  if (strain <= 0) return 0;
  if (strain >= width) return 0.15 * width * width + (strain - width) * strain / 2;
  const double s = strain / width;
  return width * width * s * s * s * s * (0.25 - 0.1 * s);
}

/// Elastic tension with damping that never pushes and stays once differentiable; docs/water.md eq. 9.
double damped(double elastic, double viscous) {
  if (viscous >= 0) return elastic + viscous;
  return elastic > 0 ? elastic * elastic / (elastic - viscous) : 0;
}

/// Length along the parabola (chord u, 4 sag u (1-u)) from its start to u.
double parabola_arc(double chord, double sag, double u) {
  const auto antiderivative = [chord](double q) {
    return (q * std::hypot(chord, q) + (chord > 0 ? chord * chord * std::asinh(q / chord) : 0)) / 2;
  };
  if (sag < 1e-9 * chord) return chord * u;
  return (antiderivative(4 * sag) - antiderivative(4 * sag * (1 - 2 * u))) / (8 * sag);
}

template <class Rising>
double bisect(const Rising& function, double target, double low, double high) {
  for (int k = 0; k < 80; ++k) {
    const double middle = (low + high) / 2;
    (function(middle) < target ? low : high) = middle;
  }
  return low;  // the side below: never longer than the target
}

/// The radius of Runge-Kutta's region of stability in the direction of a mode with this damping ratio.
double rk4_radius(double damping_ratio) {
  const double zeta = std::min(damping_ratio, 1.0);
  const std::complex<double> direction(-zeta, std::sqrt(1 - zeta * zeta));
  double radius = 0;
  for (double r = 0.01; r < 4; r += 0.01) {
    const std::complex<double> z = r * direction;
    if (std::abs(1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0)))) > 1 + 1e-12) break;
    radius = r;
  }
  return radius;
}

Vec3 read3(const double* at) { return {at[0], at[1], at[2]}; }
void write3(double* at, const Vec3& value) { std::copy(value.data(), value.data() + 3, at); }

}  // namespace

void check(const TetherSpec& spec) {
  Findings findings;
  check_finite(findings, "anchor_n", spec.anchor_n, "m");
  check_finite(findings, "attachment_b", spec.attachment_b, "m");
  check_positive(findings, "length", spec.length, "m");
  check_positive(findings, "diameter", spec.diameter, "m, not mm");
  check_positive(findings, "mass_per_length", spec.mass_per_length, "kg/m, dry");
  check_positive(findings, "axial_stiffness", spec.axial_stiffness, "N, modulus times area");
  check_not_negative(findings, "damping_ratio", spec.damping_ratio, "0.2 is a good number");
  check_not_negative(findings, "drag_normal", spec.drag_normal, "1.2 for a cylinder");
  check_not_negative(findings, "drag_tangential", spec.drag_tangential, "0.01 for a smooth line");
  check_not_negative(findings, "added_mass", spec.added_mass, "1 for a cylinder");
  check_positive(findings, "slack_strain", spec.slack_strain, "1e-3 is a good number");
  if (spec.segments < 2 || spec.segments > 10000)
    add_error(findings, "segments", fmt::format("= {}, must be 2 to 10000", spec.segments),
              "10 is a good number");
  if (spec.damping_ratio > 1)
    add_error(findings, "damping_ratio", fmt::format("= {}, must be <= 1", spec.damping_ratio),
              "more would only need a smaller step");
  if (findings.empty() && spec.diameter > spec.length / spec.segments)
    add_error(findings, "diameter",
              fmt::format("= {} m is more than the length of a segment, {} m", spec.diameter,
                          spec.length / spec.segments),
              "m, not mm?");
  if (!findings.empty()) throw InputError(findings);
}

Tether::Tether(const TetherSpec& spec, const model::Environment& environment)
    : spec_(spec), density_(environment.density()) {
  check(spec);
  segment_length_ = spec.length / spec.segments;
  displaced_mass_ = density_ * M_PI / 4 * spec.diameter * spec.diameter * segment_length_;
  added_mass_ = spec.added_mass * displaced_mass_;
  node_mass_ = spec.mass_per_length * segment_length_ + added_mass_;
  net_weight_ = (spec.mass_per_length - displaced_mass_ / segment_length_) * environment.gravity();
  damping_ = spec.damping_ratio * std::sqrt(spec.axial_stiffness / segment_length_ * node_mass_);
  wave_radius_ = rk4_radius(spec.damping_ratio);
  drag_radius_ = rk4_radius(1);
}

double Tether::stable_step(double speed) const {
  // docs/water.md eq. 14
  const double fastest_wave =
      2 / segment_length_ * std::sqrt(spec_.axial_stiffness / (node_mass_ / segment_length_));
  const double drag = density_ * spec_.diameter * segment_length_ *
                      std::max(spec_.drag_normal, M_PI * spec_.drag_tangential) * std::abs(speed) / node_mass_;
  return 1 / std::hypot(fastest_wave / wave_radius_, drag / drag_radius_);
}

void Tether::check_size(std::size_t got) const {
  if (got == static_cast<std::size_t>(size())) return;
  reject("tether state", fmt::format("has {} numbers, {} segments need {}", got, spec_.segments, size()),
         "6 per inner node");
}

void Tether::initial(std::span<double> x, const Vec3& attachment_n) const {
  check_size(x.size());
  const Vec3 chord_n = attachment_n - spec_.anchor_n;
  const double distance = chord_n.norm();
  const double heavier = spec_.mass_per_length * segment_length_ / displaced_mass_ - 1;
  const Vec3 down = Vec3::UnitZ() * (heavier < 0 ? -1 : 1);
  const Vec3 along = distance > 0 ? Vec3(chord_n / distance) : Vec3::UnitX();
  Vec3 sag = down - down.dot(along) * along;
  const bool neutral = std::abs(heavier) < 0.1;
  if (neutral || sag.norm() < 1e-6) sag = along.cross(Vec3::UnitZ());
  if (sag.norm() < 1e-6) sag = Vec3::UnitY() - along.y() * along;  // neutral and vertical
  sag.normalize();

  double depth = 0;
  if (distance < spec_.length)
    depth = bisect([&](double s) { return parabola_arc(distance, s, 1); }, spec_.length, 0, spec_.length);
  for (int k = 1; k < spec_.segments; ++k) {
    double u = static_cast<double>(k) / spec_.segments;
    if (depth > 0) {
      const double whole = parabola_arc(distance, depth, 1);
      u = bisect([&](double v) { return parabola_arc(distance, depth, v); }, u * whole, 0, 1);
    }
    double* node = x.data() + 6 * (k - 1);
    write3(node, spec_.anchor_n + u * chord_n + 4 * depth * u * (1 - u) * sag);
    write3(node + 3, Vec3::Zero());
  }
}

Tether::Segment Tether::segment(const Vec3& p0, const Vec3& v0, const Vec3& p1, const Vec3& v1,
                                const CurrentField::Instant& water) const {
  Segment result;
  const Vec3 d = p1 - p0;
  // Smooth where nodes of a slack line meet; docs/water.md eq. 7.
  const double length = std::sqrt(d.squaredNorm() + 1e-12 * segment_length_ * segment_length_);
  const Vec3& axis = result.axis_n = d / length;
  const Stretch taut = stretch((length - segment_length_) / segment_length_, spec_.slack_strain);
  result.tension =
      damped(spec_.axial_stiffness * taut.value, damping_ * taut.slope * axis.dot(v1 - v0));  // eqs. 8 and 9

  const Vec3 v = (v0 + v1) / 2;  // Morison's drag, docs/water.md eq. 10
  const Vec3 past = water.at((p0 + p1) / 2, v).velocity_n - v;
  const Vec3 tangential = axis.dot(past) * axis, normal = past - tangential;
  result.drag_n = density_ / 2 * spec_.diameter * segment_length_ *
                  (spec_.drag_normal * normal.norm() * normal +
                   M_PI * spec_.drag_tangential * tangential.norm() * tangential);
  return result;
}

TetherLoad Tether::derivative(std::span<const double> x, const Vec3& attachment_n,
                              const Vec3& attachment_velocity_n, const CurrentField::Instant& water,
                              std::span<double> dx) const {
  check_size(x.size());
  check_size(dx.size());
  TetherLoad load;
  const Vec3 weight_n(0, 0, net_weight_ * segment_length_);
  // What accelerating water does to a node, as to a hull; docs/water.md eq. 11.
  const auto water_inertia = [&](const Vec3& p, const Vec3& v) -> Vec3 {
    const model::Current current = water.at(p, v);
    return (displaced_mass_ + added_mass_) * current.acceleration_n + displaced_mass_ * current.convective_n;
  };

  Vec3 p0 = spec_.anchor_n, v0 = Vec3::Zero(),
       force_n = Vec3::Zero();  // on the node p0, from its side of the anchor
  for (int k = 0; k < spec_.segments; ++k) {
    const bool last = k + 1 == spec_.segments;
    const double* node = x.data() + 6 * k;
    const Vec3 p1 = last ? attachment_n : read3(node);
    const Vec3 v1 = last ? attachment_velocity_n : read3(node + 3);
    const Segment s = segment(p0, v0, p1, v1, water);
    const Vec3 pull_n = s.tension * s.axis_n;
    force_n += pull_n + s.drag_n / 2;
    if (k == 0) {
      load.anchor_n = force_n + (weight_n + water_inertia(p0, v0)) / 2;
    } else {
      force_n += weight_n + water_inertia(p0, v0);
      double* rate = dx.data() + 6 * (k - 1);
      write3(rate, v0);
      write3(rate + 3, force_n / node_mass_);
    }
    force_n = -pull_n + s.drag_n / 2;
    load.tension_max = std::max(load.tension_max, s.tension);
    load.tension_vehicle = s.tension;
    p0 = p1;
    v0 = v1;
  }
  load.vehicle_n = force_n + (weight_n + water_inertia(p0, v0)) / 2;
  return load;
}

double Tether::energy(std::span<const double> x, const Vec3& attachment_n) const {
  check_size(x.size());
  double sum = 0;
  Vec3 p0 = spec_.anchor_n;
  for (int k = 0; k < spec_.segments; ++k) {
    const bool last = k + 1 == spec_.segments;
    const double* node = x.data() + 6 * k;
    const Vec3 p1 = last ? attachment_n : read3(node);
    const double length = std::sqrt((p1 - p0).squaredNorm() + 1e-12 * segment_length_ * segment_length_);
    sum += spec_.axial_stiffness * segment_length_ *
           stretch_energy((length - segment_length_) / segment_length_, spec_.slack_strain);
    if (!last) sum += node_mass_ / 2 * read3(node + 3).squaredNorm() - net_weight_ * segment_length_ * p1.z();
    p0 = p1;
  }
  return sum;
}

PointMotion point_motion(const Quat& q_nb, const Vec3& p_nb_n, const Vec6& nu_b, const Vec3& point_b) {
  return {p_nb_n + q_nb * point_b, q_nb * (nu_b.head<3>() + nu_b.tail<3>().cross(point_b))};
}

Vec6 point_wrench(const Quat& q_nb, const Vec3& force_n, const Vec3& point_b) {
  const Vec3 force_b = q_nb.conjugate() * force_n;
  Vec6 wrench;
  wrench << force_b, point_b.cross(force_b);
  return wrench;
}

}  // namespace fathom::simulate
