#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "fathom/task/context.hpp"

// Files that ship with the program, in share/fathom beside it, and the data that do not.
namespace fathom::cli {

/// Where tasks look up shipped files by name.
task::SearchPaths search_paths();

/// Where robots are looked up by name: $FATHOM_MODELS if set, then share/fathom/robots beside the program.
std::vector<std::filesystem::path> robot_folders();

/// Names of the scenarios, and of the problems of excitation, that ship with the program.
std::vector<std::string> scenario_names();
std::vector<std::string> problem_names();

/// share/fathom beside the program's bin; empty where the system does not say where the program is.
std::filesystem::path share_folder();
/// Of a study in share/fathom/studies beside the program.
std::filesystem::path study_folder(const std::string& name);

/// Where data are that the repository does not hold: $FATHOM_DATA, or shared/data beside the project.
std::filesystem::path data_folder();

}  // namespace fathom::cli
