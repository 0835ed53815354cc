#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "fathom/exchange/format.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::exchange {

/// What one side knows and the other cannot hold: listed, never dropped silently.
struct Loss {
  std::string key;     ///< of the robot file, or tag and line of the file that was read
  std::string what;    ///< what is lost, with its number where it has one
  std::string remedy;  ///< what to do about it; may be empty
};

struct ExportedFile {
  std::string name;  ///< relative to the folder that is written
  std::string text;
};

struct Exported {
  std::vector<ExportedFile> files;  ///< the first is the one that a simulator is given
  std::vector<Loss> losses;
};

struct ExportOptions {
  model::Environment environment{};
};

/// The robot as another program reads it, in its frames, signs and units.
Exported export_robot(const model::Robot& robot, Format format, const ExportOptions& options = {});

/// Writes the files into a folder, each atomically. Returns their paths, in the same order.
std::vector<std::filesystem::path> write_exported(const Exported& exported,
                                                  const std::filesystem::path& folder);

}  // namespace fathom::exchange
