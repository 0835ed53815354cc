#pragma once
#include <cstdint>

#include "fathom/consistency/base_parameters.hpp"
#include "fathom/dynamics/arm_regressor.hpp"

namespace fathom::consistency {

/// How an arm is held while it shows its parameters.
struct ArmSetting {
  enum class Base {
    fixed,       ///< and as `down_b` has it
    moving,      ///< turned and shaken in every direction
    with_wrench  ///< likewise, and the wrench on it measured
  } base = Base::fixed;
  Vec3 down_b = Vec3::UnitZ();
  dynamics::Medium medium = dynamics::Medium::water;
  std::size_t states = 200;
  std::uint64_t seed = 1;
};

/// Rows of the regressor at random motions within the joints' ranges, each row at length one so that none
/// drowns others.
solve::Rows random_arm_rows(const model::Arm& arm, const dynamics::ArmColumns& columns,
                            const ArmSetting& setting);

/// What any motion can show of an arm's parameters, and in which combination.
BaseParameters arm_base_parameters(const model::Arm& arm, const dynamics::ArmColumns& columns,
                                   const ArmSetting& setting = {});

}  // namespace fathom::consistency
