#pragma once
#include <bit>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "fathom/model/robot.hpp"

namespace fathom::model::test {

/// Compares two robots bit by bit and keeps the first difference.
class Comparison {
 public:
  const std::string& difference() const { return difference_; }

  template <class T>
  void plain(const std::string& key, const T& a, const T& b) {
    if (!(a == b)) report(key);
  }
  void numbers(const std::string& key, double a, double b) {
    if (std::bit_cast<std::uint64_t>(a) != std::bit_cast<std::uint64_t>(b))
      report(fmt::format("{} ({:.17g} and {:.17g})", key, a, b));
  }
  template <class A, class B>
  void numbers(const std::string& key, const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
    for (Eigen::Index i = 0; i < a.rows(); ++i)
      for (Eigen::Index j = 0; j < a.cols(); ++j)
        numbers(fmt::format("{}[{}][{}]", key, i, j), a(i, j), b(i, j));
  }
  void numbers(const std::string& key, const QuadraticDrag& a, const QuadraticDrag& b) {
    for (std::size_t j = 0; j < 6; ++j) numbers(fmt::format("{}.{}", key, j), a.by_speed[j], b.by_speed[j]);
  }
  void numbers(const std::string& key, const ForceRange& a, const ForceRange& b) {
    numbers(key + ".min", a.min, b.min);
    numbers(key + ".max", a.max, b.max);
  }
  template <class T>
  void values(const std::string& key, const Value<T>& a, const Value<T>& b) {
    numbers(key, a.value, b.value);
    plain(key + ".source", a.source, b.source);
    plain(key + ".assumed", a.assumed, b.assumed);
    plain(key + ".sigma", a.sigma.has_value(), b.sigma.has_value());
    if (a.sigma && b.sigma) numbers(key + ".sigma", *a.sigma, *b.sigma);
  }
  template <class T>
  void optional_values(const std::string& key, const std::optional<Value<T>>& a,
                       const std::optional<Value<T>>& b) {
    plain(key, a.has_value(), b.has_value());
    if (a && b) values(key, *a, *b);
  }

 private:
  void report(const std::string& text) {
    if (difference_.empty()) difference_ = text;
  }
  std::string difference_;
};

inline void compare(Comparison& c, const Hull& a, const Hull& b) {
  c.values("mass", a.mass, b.mass);
  c.values("inertia", a.inertia, b.inertia);
  c.values("centre_of_mass", a.centre_of_mass, b.centre_of_mass);
  c.values("volume", a.volume, b.volume);
  c.values("centre_of_buoyancy", a.centre_of_buoyancy, b.centre_of_buoyancy);
  c.values("added_mass", a.added_mass, b.added_mass);
  c.optional_values("size", a.size, b.size);
  c.plain("port_starboard", a.symmetry.port_starboard, b.symmetry.port_starboard);
  c.plain("fore_aft", a.symmetry.fore_aft, b.symmetry.fore_aft);
  c.plain("top_bottom", a.symmetry.top_bottom, b.symmetry.top_bottom);
}

inline void compare(Comparison& c, const DragElement& a, const DragElement& b) {
  c.plain("drag name", a.name, b.name);
  c.values(a.name + ".position", a.position_b, b.position_b);
  c.values(a.name + ".attitude", a.attitude_rpy, b.attitude_rpy);
  c.values(a.name + ".linear", a.linear, b.linear);
  c.values(a.name + ".quadratic", a.quadratic, b.quadratic);
}

inline void compare(Comparison& c, const Thruster& a, const Thruster& b) {
  c.plain("thruster name", a.name, b.name);
  c.values(a.name + ".position", a.position_b, b.position_b);
  c.values(a.name + ".direction", a.direction_b, b.direction_b);
  c.optional_values(a.name + ".force", a.force, b.force);
  c.plain(a.name + ".map", a.map, b.map);  // of numbers, none of them NaN
  c.plain(a.name + ".transient", a.transient, b.transient);
  c.plain(a.name + ".map_name", a.map_name, b.map_name);
  c.plain(a.name + ".transient_name", a.transient_name, b.transient_name);
}

inline void compare(Comparison& c, const Sensor& a, const Sensor& b) {
  c.plain("sensor name", a.name, b.name);
  c.plain(a.name + ".kind", a.kind, b.kind);
  c.values(a.name + ".position", a.position_b, b.position_b);
  c.values(a.name + ".attitude", a.attitude_rpy, b.attitude_rpy);
  c.optional_values(a.name + ".rate_hz", a.rate_hz, b.rate_hz);
  for (const ChannelTable& table : channel_tables) {
    const ByChannel &left = a.*table.values, &right = b.*table.values;
    const std::string key = fmt::format("{}.{}", a.name, table.key);
    c.plain(key, left.size(), right.size());
    for (const auto& [channel, value] : left)
      if (right.contains(channel))
        c.values(key + '.' + channel, value, right.at(channel));
      else
        c.plain(key + '.' + channel, true, false);
  }
  c.optional_values(a.name + ".latency", a.latency, b.latency);
  c.plain(a.name + ".drop_out", a.drop_out.has_value(), b.drop_out.has_value());
  if (a.drop_out && b.drop_out) {
    c.numbers(a.name + ".drop_out", a.drop_out->probability, b.drop_out->probability);
    c.plain(a.name + ".drop_out.mean_length", a.drop_out->mean_length, b.drop_out->mean_length);
  }
  c.plain(a.name + ".beams", a.beams.has_value(), b.beams.has_value());
  if (a.beams && b.beams) {
    c.numbers(a.name + ".beams.tilt_deg", a.beams->tilt_deg, b.beams->tilt_deg);
    c.plain(a.name + ".beams.azimuth_deg", a.beams->azimuth_deg, b.beams->azimuth_deg);
    c.plain(a.name + ".beams.per_beam", a.beams->per_beam, b.beams->per_beam);
  }
  c.plain(a.name + ".altitude", a.altitude.has_value(), b.altitude.has_value());
  if (a.altitude && b.altitude) {
    c.numbers(a.name + ".altitude.min", a.altitude->min, b.altitude->min);
    c.numbers(a.name + ".altitude.max", a.altitude->max, b.altitude->max);
  }
  c.plain(a.name + ".source", a.source, b.source);
  c.plain(a.name + ".assumed", a.assumed, b.assumed);
}

inline void compare(Comparison& c, const Connector& a, const Connector& b) {
  c.plain("connector name", a.name, b.name);
  c.values(a.name + ".position", a.position_b, b.position_b);
  c.values(a.name + ".attitude", a.attitude_rpy, b.attitude_rpy);
}

inline void compare(Comparison& c, const IdentifiedParameters& a, const IdentifiedParameters& b) {
  c.plain("identified.structure", a.structure, b.structure);
  c.numbers("identified.density", a.density, b.density);
  c.numbers("identified.gravity", a.gravity, b.gravity);
  c.plain("identified.source", a.source, b.source);
  c.plain("number of identified parameters", a.parameters.size(), b.parameters.size());
  if (a.parameters.size() != b.parameters.size()) return;
  for (std::size_t k = 0; k < a.parameters.size(); ++k) {
    c.plain(a.parameters[k].name, a.parameters[k].name, b.parameters[k].name);
    c.plain(a.parameters[k].name + ".unit", a.parameters[k].unit, b.parameters[k].unit);
    c.plain(a.parameters[k].name + ".group", a.parameters[k].group, b.parameters[k].group);
  }
  c.numbers("identified", a.parameters.values(), b.parameters.values());
  c.numbers("covariance", a.parameters.covariance(), b.parameters.covariance());
}

inline void compare(Comparison& c, const CommandPath& a, const CommandPath& b) {
  c.plain("command_path.by", name_of(a.by), name_of(b.by));
  c.optional_values("command_path.dead_band", a.dead_band, b.dead_band);
  c.optional_values("command_path.gain", a.gain, b.gain);
  c.optional_values("command_path.saturation", a.saturation, b.saturation);
}

/// The first thing in which two robots differ, in any bit; "" if in nothing.
inline std::string difference(const Robot& a, const Robot& b) {
  Comparison c;
  c.plain("name", a.name(), b.name());
  c.plain("title", a.spec().title, b.spec().title);
  c.plain("notes", a.spec().notes, b.spec().notes);
  compare(c, a.hull(), b.hull());
  const auto lists = [&](const char* what, const auto& left, const auto& right) {
    c.plain(std::string("number of ") + what, left.size(), right.size());
    for (std::size_t k = 0; k < std::min(left.size(), right.size()); ++k) compare(c, left[k], right[k]);
  };
  lists("drag elements", a.damping(), b.damping());
  lists("thrusters", a.thrusters(), b.thrusters());
  lists("sensors", a.sensors(), b.sensors());
  lists("connectors", a.connectors(), b.connectors());
  c.plain("command_path", a.command_path().has_value(), b.command_path().has_value());
  if (a.command_path() && b.command_path()) compare(c, *a.command_path(), *b.command_path());
  c.plain("identified", a.identified().has_value(), b.identified().has_value());
  if (a.identified() && b.identified()) compare(c, *a.identified(), *b.identified());
  return c.difference();
}

}  // namespace fathom::model::test
