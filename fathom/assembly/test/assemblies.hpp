#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "fathom/assembly/assembly.hpp"
#include "fathom/base/error.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::assembly::test {

inline std::filesystem::path assemblies_folder() {
  return std::filesystem::path(FATHOM_SOURCE_DIR) / "data/assemblies";
}

inline model::Connector connector(const std::string& name, const Vec3& position_b, const Vec3& attitude_rpy) {
  model::Connector result;
  result.name = name;
  result.position_b.value = position_b;
  result.attitude_rpy.value = attitude_rpy;
  return result;
}

/// A body without a box: it is in the way only of what is in the very same place.
inline Module module(const std::string& name) {
  static const model::Robot robot = model::test::small_robot();
  return {name, robot, "", {}, std::nullopt};
}

/// What is wrong with a specification; a text that no message equals if nothing.
inline std::string error_text(const AssemblySpec& spec) {
  try {
    Assembly::make(spec);
  } catch (const InputError& error) {
    return error.what();
  }
  return "(it is an assembly)";
}

}  // namespace fathom::assembly::test
