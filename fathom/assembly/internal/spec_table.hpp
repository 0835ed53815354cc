#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fathom/assembly/assembly.hpp"
#include "fathom/fields/codec.hpp"

namespace fathom::assembly::internal {

/// An entry of `modules`; its file is read later.
struct ModuleEntry {
  std::string name;
  fields::Later robot, connectors;
  std::optional<Vec3> position;  ///< without it the couplings place the module
  Quat attitude = Quat::Identity();
};
/// An entry of `couplings`; its ends are found when all modules are known.
struct CouplingEntry {
  std::optional<std::string> name;
  fields::Later between;
  double turn = 0;  ///< rad
};
struct AssemblyEntry {
  bool one_cluster = false;
  Tolerance tolerance;
  std::vector<ModuleEntry> modules;
  std::vector<CouplingEntry> couplings;
};
/// A file with several robots.
struct AssemblyFile {
  std::string name, title, notes;
  AssemblyEntry assembly;
};

}  // namespace fathom::assembly::internal

namespace fathom::fields {

template <>
const Keys& Table<assembly::internal::AssemblyFile>::fields();

}  // namespace fathom::fields
