#pragma once
#include <array>
#include <span>
#include <string_view>

namespace fathom::model {

/// Which velocities of [u v w p q r] are free. The others are held at zero by something outside the model (a
/// pilot, a controller, weight low in the hull); the force that holds them is not part of the model.
enum class Dof {
  three = 3,  ///< planar: surge, sway, yaw
  four = 4,   ///< surge, sway, heave, yaw
  six = 6,
};

inline constexpr std::array<std::string_view, 6> velocity_names = {"u", "v", "w", "p", "q", "r"};
inline constexpr std::array<std::string_view, 6> dof_names = {"surge", "sway", "heave", "roll", "pitch", "yaw"};

/// Of entry i of [u v w p q r].
constexpr std::string_view velocity_name(int i) { return velocity_names[static_cast<std::size_t>(i)]; }
constexpr std::string_view dof_name(int i) { return dof_names[static_cast<std::size_t>(i)]; }

/// Positions of the free velocities in [u v w p q r].
std::span<const int> free_indices(Dof dof);
bool is_free(Dof dof, int index);

}  // namespace fathom::model
