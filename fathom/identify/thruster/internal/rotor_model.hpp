#pragma once
#include <array>
#include <map>
#include <utility>

#include <Eigen/Core>

#include "fathom/identify/thruster/step_law.hpp"

namespace fathom::identify::internal {

/// The last two ways that each rotor took, with the numbers that drove it. Derivatives by differences change
/// one number at a time, and most numbers, those of flow, scales and instruments, drive no rotor.
class RotorMemory {
 public:
  using Rotor = std::pair<std::size_t, int>;  ///< the run, and which goal it follows there
  using Numbers = std::array<double, 8>;

  /// The way under these numbers; `drive` makes it where it is not remembered.
  template <class Drive>
  const Eigen::VectorXd& way(const Rotor& rotor, const Numbers& numbers, const Drive& drive) {
    std::array<Way, 2>& ways = model_[rotor];
    if (ways[0].numbers == numbers && ways[0].speeds.size() > 0) return ways[0].speeds;
    std::swap(ways[0], ways[1]);  // the later one first
    if (ways[0].numbers != numbers || ways[0].speeds.size() == 0) ways[0] = {numbers, drive()};
    return ways[0].speeds;
  }

 private:
  struct Way {
    Numbers numbers{};
    Eigen::VectorXd speeds;
  };
  std::map<Rotor, std::array<Way, 2>> model_;
};

/// A first-order lag behind goals that are held and come `delay` late; steady before the first.
Eigen::VectorXd lagged(const Eigen::VectorXd& times, const Eigen::VectorXd& goal, double delay,
                       double time_constant);

/// A first-order lag of an input that goes straight from row to row; steady before the first. `dt`: to the row
/// before.
Eigen::VectorXd smoothed(const Eigen::VectorXd& dt, const Eigen::VectorXd& input, double time_constant);

/// Speeds of a motor under volts that are held and come `numbers.delay` late.
Eigen::VectorXd motor_speeds(const Eigen::VectorXd& times, const Eigen::VectorXd& volts,
                             const StepNumbers& numbers);

/// A rotor whose load is partly quadratic (`numbers.bend`, at the speed `most`), and whose brakes are not its
/// drive (`numbers.slowing`).
Eigen::VectorXd bent(const Eigen::VectorXd& times, const Eigen::VectorXd& goal, const StepNumbers& numbers,
                     double most);

}  // namespace fathom::identify::internal
