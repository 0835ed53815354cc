#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "fathom/assembly/assembly.hpp"
#include "fathom/assembly/cluster_survey.hpp"
#include "fathom/model/environment.hpp"

namespace fathom::cli {

/// What `fathom assemble` has found out.
struct Assembled {
  const assembly::Assembly& assembly;
  std::filesystem::path file;
  model::Environment environment;
  assembly::SurveyOptions options;
  std::vector<assembly::ClusterSurvey> clusters;
};

/// The wrench on a module that --push asks for: "A: X=10, N=2".
assembly::Push push_of(const std::string& text, const assembly::Assembly& assembly);
/// The attitude that --pose asks for: "roll=90, pitch=10", in degrees.
Quat pose_of(const std::string& text);

/// "A.starboard": a connector of a module.
std::string end_text(const assembly::Assembly& assembly, const assembly::End& end);
/// Of X Y Z K M N those that cannot be pushed.
std::vector<std::string> unreachable_axes(const dynamics::Reach& reach);

std::string assemble_text(const Assembled& assembled);
nlohmann::ordered_json assemble_summary(const Assembled& assembled);

}  // namespace fathom::cli
