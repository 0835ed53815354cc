#pragma once
#include <array>
#include <string>
#include <string_view>

// The folder is `export`; that word is C++'s own, so the namespace is `exchange`.
namespace fathom::exchange {

/// Where a model can go; the first three are also where it can come from.
enum class Format {
  gz_sim,         ///< SDF with the plug-ins of Gazebo Sim
  uuv_simulator,  ///< URDF with UUV Simulator's tags, and its thruster manager's files
  rdml,           ///< URDF with the hydrodynamics block of RDML
  urdf,           ///< inertias alone
  stonefish,      ///< a scenario of Stonefish
  matlab,         ///< a function in the style of Fossen's toolbox
};

struct FormatFacts {
  Format format;
  std::string_view name;   ///< as the command line has it: gz-sim
  std::string_view title;  ///< as people call it: Gazebo Sim
};

inline constexpr std::array<FormatFacts, 6> formats = {{
    {Format::gz_sim, "gz-sim", "Gazebo Sim"},
    {Format::uuv_simulator, "uuv-simulator", "UUV Simulator"},
    {Format::rdml, "rdml", "RDML"},
    {Format::urdf, "urdf", "URDF"},
    {Format::stonefish, "stonefish", "Stonefish"},
    {Format::matlab, "matlab", "MATLAB in Fossen's style"},
}};

const FormatFacts& facts_of(Format format);
/// By its name. Throws InputError with the names that there are.
Format format_from(const std::string& name);

}  // namespace fathom::exchange
