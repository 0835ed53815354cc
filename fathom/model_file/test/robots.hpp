#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include "fathom/base/search_path.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::model::test {

/// Every robot file that ships with Fathom. A folder that has lost its robots must not pass for one without
/// faults.
inline std::vector<std::filesystem::path> all_robot_files() {
  const auto files = list_files({FATHOM_ROBOTS_DIR});
  if (files.size() < 8) throw std::runtime_error("fewer than 8 robots in " FATHOM_ROBOTS_DIR);
  return files;
}

inline std::vector<Robot> all_robots() {
  std::vector<Robot> robots;
  for (const auto& file : all_robot_files()) robots.push_back(read_robot(file));
  return robots;
}

/// A small valid file. Line 4 has the mass, 9 the added mass, 12 and 13 the damping.
inline const std::string& small_file() {
  static const std::string text = R"(format: fathom-robot-1
name: small
hull:
  mass: 11.5
  inertia: [0.16, 0.17, 0.18]
  centre_of_mass: [0, 0, 0.02]
  volume: 0.0115
  centre_of_buoyancy: [0, 0, 0]
  added_mass: [6.36, 7.12, 18.68, 0.189, 0.135, 0.222]
damping:
  - name: hull
    linear: [4, 6, 5, 0.07, 0.08, 0.09]
    quadratic: [18, 21, 36, 1.5, 1.6, 1.7]
)";
  return text;
}

inline Robot small_robot() { return parse_robot(small_file(), "small.yaml"); }

/// `text` with its one `from` replaced.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("the text has no " + from);
  if (text.find(from, at + 1) != std::string::npos) throw std::logic_error("the text has several " + from);
  return text.replace(at, from.size(), to);
}

/// small_file() with one change.
inline std::string changed(const std::string& from, const std::string& to) {
  return with(small_file(), from, to);
}

/// What reading `text` as bad.yaml complains about; a text that no message equals if nothing.
inline std::string error_text(const std::string& text) {
  try {
    parse_robot(text, "bad.yaml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "(it loads)";
}

/// Every key and every form of value that a robot file knows.
inline const std::string& rich_file() {
  static const std::string text = R"(# every form
format: fathom-robot-1
name: rich
title: "A title: with a colon"
notes: >-
  Folded
  text.
hull:
  source: tank test
  mass: {value: 20.5, unit: kg, source: "scale, \"3 May\"", sigma: 0.05}
  inertia:
    value: [[0.5, 0.01, -0.02], [0.01, 0.6, 0.03], [-0.02, 0.03, 0.7]]
    unit: kg m^2
    assumed: a box
  centre_of_mass: [0.01, -0.02, 0.03]
  volume: {value: 0.0205, unit: m^3}
  centre_of_buoyancy: {value: [0, 0, -1.0e-2], unit: m, sigma: [1.0e-3, 2.0e-3, 3.0e-3]}
  sname_added_mass:
    value: [-5, -6, -7, -0.1, -0.2, -0.3]
    unit: SI
    sigma: [0.5, 0.6, 0.7, 0.01, 0.02, 0.03]
  size: {value: [0.8, 0.5, 0.4], unit: m, assumed: a ruler}
damping:
  - name: hull
    assumed: by eye
    linear:
      - [4, 0.5, 0, 0, 0, 0]
      - [0.25, 6, 0, 0, 0, 0]
      - [0, 0, 5, 0, 0, 0]
      - [0, 0, 0, 0.07, 0, 0]
      - [0, 0, 0, 0, 0.08, 0]
      - [0, 0, 0, 0, 0, 0.09]
    quadratic: {value: [18, 21, 36, 1.5, 1.6, 1.7], source: CFD, sigma: [1, 2, 3, 0.1, 0.2, 0.3]}
  - name: skid
    position: [0, 0, 0.2]
    attitude_deg: [0, 10, -90]
    sname_linear: [-1, -2, -3, 0, 0, 0]
    sname_quadratic:
      u: [-6, 0, 0, 0, 0, 0]
      w:
        - [0, 0, 0, 0, 0, 0]
        - [0, 0, 0, 0, 0, 0]
        - [0, 0, -9, 0, 1, 0]
        - [0, 0, 0, 0, 0, 0]
        - [0, 0, 1, 0, -2, 0]
        - [0, 0, 0, 0, 0, 0]
  - {name: bare, attitude: [0.1, 0.2, 0.3]}
thrusters:
  - name: port
    source: drawing
    position: [-0.15, -0.12, 0]
    direction: [2, 0, 0]
    force: [-35, 45]
  - name: starboard
    position: {value: [-0.15, 0.12, 0], unit: m, sigma: [0.01, 0.01, 0.01], source: ruler}
    direction: {value: [1, 0, 0], assumed: straight}
    force: {value: [0, 45.5], unit: N, sigma: [0, 2]}
    map: pair
    transient: lag
  - name: quadratic
    position: [0, 0, 0.1]
    direction: [0, 1, 0]
    map:
      source: bench
      command: {unit: pwm_us, range: [1100, 1900], neutral: 1500}
      linear_quadratic: {dead_band: [1472, 1528], forward: [0.03, 2.5e-4], reverse: [0.02, 2.0e-4]}
      current: [0.5, 0.3, 0.01]
    transient: {assumed: quick, first_order: {time_constant: 0.1}}
  - name: motor
    position: [0, 0, 0.2]
    direction: [0, 1, 0]
    map: {command: {unit: volt, range: [-12, 12]}, propeller: {T_ww: 1.0e-3, T_wu: -0.01}}
    transient: {dc_motor: {inertia: 1.0e-3, k_t: 0.1, resistance: 0.5, k_q: 0.1, k_f1: 1.0e-3, Q_ww: 1.0e-5}}
  - name: open
    position: [0, 0, 0.3]
    direction: [0, 1, 0]
    map:
      command: {unit: pwm_us, range: [1100, 1900], neutral: 1500}
      propeller: {diameter: 0.1, alpha0: 0.4, alpha1: -0.2, shaft: {power: [3, 0.5, -1]}}
  - name: geared
    position: [0, 0, 0.4]
    direction: [0, 1, 0]
    map:
      command: {unit: newton, range: [-12, 12]}
      propeller: {T_ww: 1.0e-3, shaft: {linear: 20, dead_band: [-1, 1]}}
  - name: sampled
    position: [0, 0, 0.5]
    direction: [0, 1, 0]
    map:
      command: {unit: volt, range: [-12, 12]}
      propeller: {T_ww: 1.0e-3, shaft: {table: {commands: [-12, 0, 12], speeds: [-90, 0, 100]}}}
  - name: measured
    position: [0, 0, 0.6]
    direction: [0, 1, 0]
    map:
      command: {unit: pwm_us, range: [1100, 1900], neutral: 1500}
      table:
        commands: [1100, 1450, 1550, 1900]
        voltages: [12, 16]
        forces: [[-30, 0, 0, 35], [-40, 0, 0, 50]]
thruster_maps:
  pair:
    command: {unit: normalized}
    polynomial_pair: {dead_band: [-0.1, 0.1], forward: [40, 20, 0, 0, 0], reverse: [40, -20, 0, 0, 0]}
thruster_transients:
  lag: {first_order: {time_constant: 0.2}}
sensors:
  - name: imu
    kind: imu
    source: data sheet
    position: [0.1, 0.2, 0.3]
    attitude: [0, 0, 3.0]
    rate_hz: 100
    noise: {acceleration: 0.05, rate: 5.0e-3}
  - {name: eye, kind: usbl, assumed: ""}
  - name: log
    kind: dvl
    quantisation: {velocity: 1.0e-3}
    bias: {velocity: {value: 2.0e-3, unit: m/s, source: tank}}
    bias_walk: {velocity: {value: 1.0e-4, unit: m/s/sqrt(s), sigma: 1.0e-5}}
    latency: {value: 0.1, unit: s, assumed: half a ping}
    drop_out: {probability: 0.02, mean_length: 4}
    beams: {tilt_deg: 25, azimuth_deg: [0, 120, 240], per_beam: true}
    altitude: [0.3, 50]
  - {name: shallow, kind: depth, latency: 0.01, drop_out: 0.1}
connectors:
  - {name: bow, assumed: the nose, position: [0.4, 0, 0]}
  - name: stern
    position: {value: [-0.4, 0, 0], unit: m, source: drawing, sigma: [1.0e-3, 1.0e-3, 1.0e-3]}
    attitude_deg: [0, 0, 180]
  - {name: port, position: [0, -0.25, 0], attitude: [0, 0, -1.5]}
)";
  return text;
}

}  // namespace fathom::model::test
