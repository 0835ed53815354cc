#include <functional>
#include <utility>

#include "studies/modular/parts.hpp"
#include "studies/reproduce.hpp"

namespace fathom::studies {

void reproduce_modular(Study& study, const Host& host) {
  const std::pair<const char*, std::function<void()>> parts[] = {
      {"Table 3.4", [&] { study_peaks(study, host); }},
      {"case B", [&] { study_case_b(study, host); }},
      {"printed constraint", [&] { study_printed_constraint(study, host); }},
      {"spheres at rest", [&] { study_rest(study, host); }},
      {"decays", [&] { study_decay_fit(study, host); }},
      {"manoeuvre", [&] { study_manoeuvre(study, host); }},
      {"connected vehicles", [&] { study_connected(study, host); }},
      {"warping", [&] { study_warp(study); }},
  };
  double done = 0;
  for (const auto& [name, part] : parts) {
    host.progress(done, name);
    part();
    throw_if(host.pool.stop());
    done += 1.0 / std::size(parts);
  }
}

}  // namespace fathom::studies
