#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "fathom/geometry/types.hpp"
#include "fathom/log/dataset.hpp"

namespace fathom::loop {

// Which column holds what in the channels of a vehicle, for those who write rows and those who read them;
// docs/scenario-file.md has it for people.

/// <vehicle>.state and <vehicle>.reference: position in n, attitude, twist in b.
struct PoseAndTwist {
  static constexpr std::size_t position = 0, attitude = 3, twist = 7, width = 13;
  static std::vector<Column> columns();
  /// The first `width` of `row`, filled.
  static std::span<double> put(std::span<double> row, const Quat& q_nb, const Vec3& p_n, const Vec6& nu_b);
  static Vec3 position_in(std::span<const double> row);
  static Quat attitude_in(std::span<const double> row);
};

/// <vehicle>.thrusters: the command of each of n, then the force of each.
struct CommandsAndForces {
  static constexpr std::size_t command(std::size_t k) { return k; }
  static constexpr std::size_t force(std::size_t k, std::size_t n) { return n + k; }
  static constexpr std::size_t width(std::size_t n) { return 2 * n; }
};

/// <vehicle>.control: the wrench that is asked for, and whether the thrusters cannot give it.
struct Demand {
  static constexpr std::size_t wrench = 0, saturated = 6, width = 7;
  static std::vector<Column> columns();
};

/// <vehicle>.tether: the pull on the vehicle in n, and the tension.
struct Pull {
  static constexpr std::size_t force = 0, tension = 3, width = 4;
  static std::vector<Column> columns();
};

/// <coupling>.load: the wrench on the first vehicle from the second.
struct Load {
  static constexpr std::size_t wrench = 0, width = 6;
  static std::vector<Column> columns();
};

}  // namespace fathom::loop
