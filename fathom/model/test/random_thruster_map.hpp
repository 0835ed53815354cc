#pragma once
#include <algorithm>
#include <cmath>

#include "fathom/base/random.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::model::test {

inline DeadBand random_dead_band(const Command& range, RandomStream& random) {
  const double share = random.uniform() < 0.3 ? 0 : random.uniform(0, 0.3);
  return {range.neutral - share * (range.neutral - range.min),
          range.neutral + share * (range.max - range.neutral)};
}

/// The integral of a square: rises everywhere, though its slope may touch zero, and bends as it likes.
inline std::array<double, 5> random_rising(double length, RandomStream& random) {
  const double a = random.normal(), b = random.normal() / length, c = random.normal() / (length * length);
  const double scale = 30 / length;
  return {scale * a * a, scale * a * b, scale * (2 * a * c + b * b) / 3, scale * b * c / 2, scale * c * c / 5};
}

inline std::vector<double> random_row(const std::vector<double>& commands, double neutral, double size,
                                      RandomStream& random) {
  std::vector<double> row;
  for (const double command : commands) {
    const double step = random.uniform() < 0.2 ? 0 : size * random.uniform();  // sometimes level
    row.push_back(row.empty() ? 0 : row.back() + step);
    (void)command;
  }
  double at_neutral = 0;
  for (std::size_t k = 0; k < commands.size(); ++k)
    if (commands[k] == neutral) at_neutral = row[k];
  for (double& x : row) x -= at_neutral;
  if (row.front() == row.back()) row.back() += size;
  return row;
}

/// Over the whole range and through neutral.
inline std::vector<double> random_commands(const Command& range, RandomStream& random) {
  std::vector<double> commands = {range.min, range.neutral, range.max};
  for (int k = static_cast<int>(random.uniform(0, 12)); k > 0; --k)
    commands.push_back(random.uniform(range.min, range.max));
  std::sort(commands.begin(), commands.end());
  commands.erase(std::unique(commands.begin(), commands.end()), commands.end());
  return commands;
}

inline Command random_range(RandomStream& random) {
  const double kind = random.uniform();
  if (kind < 0.3) return {CommandUnit::normalized, -random.uniform(0.2, 1), random.uniform(0.2, 1), 0};
  if (kind < 0.6) return {CommandUnit::pwm_us, random.uniform(1000, 1400), random.uniform(1600, 2000), 1500};
  if (kind < 0.8)
    return {CommandUnit::volt, random.uniform(-24, -3), random.uniform(3, 24), random.uniform(-2, 2)};
  return {CommandUnit::newton, random.uniform(-100, -3), random.uniform(3, 100), 0};
}

inline PolynomialPair random_pair(const Command& command, double half, RandomStream& random) {
  PolynomialPair pair;
  pair.dead_band = random_dead_band(command, random);
  pair.forward = random_rising(half, random);
  pair.reverse = random_rising(half, random);
  pair.reverse[1] *= -1;
  pair.reverse[3] *= -1;
  return pair;
}

inline LinearQuadratic random_quadratic(const Command& command, double half, RandomStream& random) {
  LinearQuadratic law;
  law.forward = {random.uniform(0, 3) / half, random.uniform(0, 30) / (half * half)};
  if (random.uniform() < 0.5)
    law.reverse = LinearQuadratic::Gains{random.uniform(0, 3) / half, 5 / (half * half)};
  if (random.uniform() < 0.3) law.reverse = LinearQuadratic::Gains{30 / half, -15 / (4 * half * half)};
  if (random.uniform() < 0.5) law.dead_band = random_dead_band(command, random);
  if (law.reverse && law.reverse->quadratic < 0) {  // concave: must still rise at the far end
    const double length = command.neutral - command.min;
    law.reverse->quadratic = -0.4 * law.reverse->linear / length;
  }
  return law;
}

inline ForceTable random_table(const Command& command, RandomStream& random) {
  ForceTable table;
  table.commands = random_commands(command, random);
  double voltage = 10;
  for (int k = static_cast<int>(random.uniform(1, 4)); k > 0; --k) {
    table.voltages.push_back(voltage += random.uniform(1, 4));
    table.forces.push_back(random_row(table.commands, command.neutral, 5, random));
  }
  return table;
}

inline LinearShaft random_linear_shaft(const Command& command, double half, RandomStream& random) {
  LinearShaft shaft{100 / half, std::nullopt};
  if (random.uniform() < 0.5) shaft.dead_band = random_dead_band(command, random);
  return shaft;
}

inline PowerShaft random_power_shaft(double half, RandomStream& random) {
  if (random.uniform() >= 0.5) return {-20 * std::pow(half, 0.5), -0.5, 60};
  const double exponent = random.uniform(0.3, 1.0);
  return {100 / std::pow(half, exponent), exponent, -random.uniform(0, 3)};
}

inline TableShaft random_table_shaft(const Command& command, RandomStream& random) {
  TableShaft shaft;
  shaft.commands = random_commands(command, random);
  shaft.speeds = random_row(shaft.commands, command.neutral, 30, random);
  return shaft;
}

/// Without a shaft: its commands are speeds.
inline Propeller random_propeller(RandomStream& random) {
  Propeller law;
  if (random.uniform() < 0.5)
    law.thrust = ThrustCoefficients{random.uniform(1e-4, 1e-2), -random.uniform(0, 1e-2)};
  else
    law.thrust = OpenWater{random.uniform(0.05, 0.3), random.uniform(0.1, 0.6), -random.uniform(0, 0.5)};
  if (std::holds_alternative<ThrustCoefficients>(law.thrust) && random.uniform() < 0.5)
    law.reverse = ThrustCoefficients{random.uniform(1e-4, 1e-2), -random.uniform(0, 1e-2)};
  return law;
}

/// A good map of any kind, except one that needs a motor.
inline ThrusterMap random_map(RandomStream& random) {
  ThrusterMap map;
  map.command = random_range(random);
  const double half = std::min(map.command.max - map.command.neutral, map.command.neutral - map.command.min);
  const int kind = static_cast<int>(random.uniform(0, 7));
  if (kind == 0) {
    map.law = random_pair(map.command, half, random);
  } else if (kind == 1) {
    map.law = random_quadratic(map.command, half, random);
  } else if (kind == 2) {
    map.law = random_table(map.command, random);
  } else {
    Propeller law = random_propeller(random);
    if (kind == 3) map.command = {CommandUnit::rad_s, -random.uniform(10, 300), random.uniform(10, 300), 0};
    if (kind == 4) law.shaft = random_linear_shaft(map.command, half, random);
    if (kind == 5) law.shaft = random_power_shaft(half, random);
    if (kind == 6) law.shaft = random_table_shaft(map.command, random);
    map.law = law;
  }
  if (random.uniform() < 0.3) map.current = std::array<double, 3>{random.uniform(), 0.3, 0.01};
  return map;
}

inline void random_motor(Thruster& thruster, RandomStream& random) {
  ThrusterMap map;
  map.command = {CommandUnit::volt, -random.uniform(5, 24), random.uniform(5, 24), 0};
  map.law = Propeller{ThrustCoefficients{random.uniform(1e-4, 1e-2), -random.uniform(0, 1e-2)}, DirectShaft{}};
  thruster.map = map;
  thruster.transient =
      Transient{DcMotor{random.uniform(1e-4, 1e-2), random.uniform(0.01, 0.1), random.uniform(0.1, 1),
                        random.uniform(0.01, 0.1), random.uniform(0, 1e-3), random.uniform(1e-6, 1e-4)},
                "", false};
}

inline AxialFlow random_flow(RandomStream& random) {
  return {random.uniform(), std::exp(random.uniform(-5, 1)), random.uniform() < 0.5 ? 0 : random.uniform()};
}

}  // namespace fathom::model::test
