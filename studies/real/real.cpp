#include "studies/real/parts.hpp"
#include "studies/reproduce.hpp"

namespace fathom::studies {

void reproduce_real(Study& study, const Host& host) {
  run_or_skip(study, host.data / "auv_pool_wrench", {"auv."},
              [&](const std::filesystem::path& data) { study_pool_auv(study, data, host); });
  run_or_skip(study, host.data / "rov_tank_teleop", {"rov."},
              [&](const std::filesystem::path& data) { study_tank_rov(study, data, host); });
}

}  // namespace fathom::studies
