#include <functional>
#include <utility>

#include "fathom/model/catalogue.hpp"
#include "fathom/model/robot_file.hpp"

#include "cli/interrupt.hpp"
#include "cli/modular/pendulum.hpp"
#include "cli/modular/studies.hpp"
#include "cli/progress.hpp"
#include "cli/reproduce.hpp"
#include "cli/robots.hpp"

namespace fathom::cli {

model::Robot modular_robot(const std::string& name) {
  return model::read_robot(model::find_robot_file(name, robot_folders()));
}

void study_warp(Study& study) {
  const WarpExample example = warp_example();
  study.set("warp.none", example.none);
  study.set("warp.closed", example.closed);
  study.set("warp.open_end", example.open_end);
}

void reproduce_modular(Study& study, const CommonOptions& options) {
  Progress progress("modular");
  ThreadCrew crew(options.threads, was_interrupted);
  const std::pair<const char*, std::function<void()>> parts[] = {
      {"Table 3.4", [&] { study_peaks(study); }},
      {"case B", [&] { study_case_b(study); }},
      {"printed constraint", [&] { study_printed_constraint(study); }},
      {"spheres at rest", [&] { study_rest(study); }},
      {"decays", [&] { study_decay_fit(study, options.seed, crew); }},
      {"manoeuvre", [&] { study_manoeuvre(study); }},
      {"connected vehicles", [&] { study_connected(study, options.seed, crew); }},
      {"warping", [&] { study_warp(study); }},
  };
  double done = 0;
  for (const auto& [name, part] : parts) {
    progress.at(done, name);
    part();
    throw_if_interrupted();
    done += 1.0 / std::size(parts);
  }
}

}  // namespace fathom::cli
