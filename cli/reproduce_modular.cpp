#include <functional>
#include <utility>

#include "cli/interrupt.hpp"
#include "cli/modular/studies.hpp"
#include "cli/progress.hpp"
#include "cli/reproduce.hpp"

namespace fathom::cli {

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
