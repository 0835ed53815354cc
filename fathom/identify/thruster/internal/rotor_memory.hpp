#pragma once
#include <array>
#include <map>
#include <utility>

#include <Eigen/Core>

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

}  // namespace fathom::identify::internal
