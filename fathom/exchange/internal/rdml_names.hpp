#pragma once
#include <array>

namespace fathom::exchange::internal {

// Attributes of RDML's hydrodynamics block: SNAME's derivatives, so negative for a hull that behaves.
inline constexpr std::array<const char*, 6> rdml_added_mass = {"Xdu", "Ydv", "Zdw", "Kdp", "Mdq", "Ndr"};
inline constexpr std::array<const char*, 6> rdml_linear = {"Xu", "Yv", "Zw", "Kp", "Mq", "Nr"};
inline constexpr std::array<const char*, 6> rdml_quadratic = {"Xuu", "Yvv", "Zww", "Kpp", "Mqq", "Nrr"};

}  // namespace fathom::exchange::internal
