#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "fathom/task/context.hpp"

// Files that ship with the program, in share/fathom beside it, and the data that do not.
namespace fathom::cli {

/// Where tasks look up shipped files by name.
task::SearchPaths search_paths();

/// Where robots are looked up by name: $FATHOM_MODELS if set, then share/fathom/models beside the program.
std::vector<std::filesystem::path> robot_folders();

/// The scenarios in share/fathom/scenarios beside the program.
std::vector<std::string> scenario_names();

/// Where arms are looked up by name, and an arm by name or path (what holds a '/' or ends in .yaml or .urdf).
/// Throws InputError that names the nearest.
std::vector<std::filesystem::path> arm_folders();
std::filesystem::path find_arm_file(const std::string& name_or_path);

/// The same for problems of excitation, in share/fathom/problems.
std::vector<std::string> problem_names();
std::filesystem::path find_problem_file(const std::string& name_or_path);

/// share/fathom beside the program's bin; empty where the system does not say where the program is.
std::filesystem::path share_folder();
/// Of a study in share/fathom/studies beside the program.
std::filesystem::path study_folder(const std::string& name);

/// Where data are that the repository does not hold: $FATHOM_DATA, or shared/data beside the project.
std::filesystem::path data_folder();

}  // namespace fathom::cli
