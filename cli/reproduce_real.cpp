#include "cli/interrupt.hpp"
#include "cli/real_studies.hpp"
#include "cli/reproduce.hpp"
#include "cli/robots.hpp"

namespace fathom::cli {

void reproduce_real(Study& study, const CommonOptions& options) {
  ThreadCrew crew(options.threads, was_interrupted);
  Progress progress("real vehicles");
  const auto with = [&](const char* folder, const char* rows, auto&& part) {
    const std::filesystem::path data = data_folder() / folder;
    std::error_code error;
    if (std::filesystem::is_directory(data, error)) return part(data);
    study.skip_all(rows, "no data");
  };
  with("auv_pool_wrench", "auv.", [&](const auto& data) { study_pool_auv(study, data, crew, progress); });
  with("rov_tank_teleop", "rov.", [&](const auto& data) { study_tank_rov(study, data); });
}

}  // namespace fathom::cli
