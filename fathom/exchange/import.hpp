#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fathom/exchange/export.hpp"
#include "fathom/exchange/format.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::exchange {

/// Where a number of a robot stands in the file that it was read from.
struct Place {
  std::string file;
  int line = 0;
  std::string tag;  ///< as the file names it: xDotU
};

/// A model as another program's files state it, in Fathom's frames and signs, and not yet checked: what is
/// wrong with it is for lint to say. Matrices are as in the file: an asymmetric one stays so.
struct Imported {
  Format format = Format::gz_sim;
  model::RobotSpec spec;
  std::map<std::string, Place> places;     ///< by the key of a robot file: hull.added_mass[0][0]
  std::optional<Mat6X> allocation_b;       ///< tau_b = B f, where a file states it beside the poses
  std::optional<double> density, gravity;  ///< where the file says them
  std::vector<Loss> losses;                ///< what the files hold and a robot file cannot
};

/// Reads a model with the files that it names. Which format it is, the file itself tells. Throws InputError,
/// with lines: no XML, no model in it, numbers that are none, a format that cannot be told.
Imported import_model(const std::filesystem::path& path);
/// The same from text; `file` is the name that messages carry. Other files are looked for beside it.
Imported parse_model(const std::string& text, const std::string& file);

}  // namespace fathom::exchange
