// fathom_file_echo KIND FILE MODELS: reads FILE as a file of that kind, with the robots of the folder MODELS,
// and prints what is wrong with it. tests/schema_case.py compares that with the schema of the kind, which
// fathom_file_echo schema KIND prints; fathom_file_echo words KIND prints the fuzz dictionary of the kind.
#include <cstdio>
#include <string_view>

#include "fathom/assembly/assembly_file.hpp"
#include "fathom/base/error.hpp"
#include "fathom/excite/any_problem.hpp"
#include "fathom/identify/tank/tank_campaign.hpp"
#include "fathom/log/description.hpp"
#include "fathom/loop/scenario.hpp"
#include "fathom/model/arm.hpp"
#include "fathom/model/geometric_prior.hpp"
#include "fathom/model_file/arm_file.hpp"
#include "fathom/model_file/hull_file.hpp"
#include "fathom/model_file/schema.hpp"
#include "fathom/trajectory/trajectory_file.hpp"

namespace {

bool read(std::string_view kind, const char* file, const char* models) {
  if (kind == "problem")
    fathom::excite::read_any_problem(file, {{models}, {std::filesystem::path(models) / ".." / "arms"}});
  else if (kind == "hull")
    fathom::model::read_hull_file(file);
  else if (kind == "arm")
    fathom::model::read_arm(file);
  else if (kind == "towing")
    fathom::identify::read_towing_campaign(file);
  else if (kind == "decay")
    fathom::identify::read_decay_campaign(file);
  else if (kind == "description")
    fathom::log::read_description(file);
  else if (kind == "scenario")
    fathom::loop::read_scenario(file, {models, std::filesystem::path(models) / ".." / "assemblies"});
  else if (kind == "trajectory")
    fathom::trajectory::read_trajectory(file);
  else
    return false;
  return true;
}

fathom::fields::Json schema(std::string_view kind) {
  if (kind == "robot") return fathom::model::robot_schema();
  if (kind == "arm") return fathom::model::arm_schema();
  if (kind == "assembly") return fathom::assembly::assembly_schema();
  if (kind == "description") return fathom::log::description_schema();
  if (kind == "scenario") return fathom::loop::scenario_schema();
  if (kind == "trajectory") return fathom::trajectory::trajectory_schema();
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3) {
    const fathom::fields::Json found = schema(argv[2]);
    if (found.is_null()) return 1;
    std::puts(found.dump(2).c_str());
    return 0;
  }
  if (argc != 4) return 1;
  try {
    return read(argv[1], argv[2], argv[3]) ? 0 : 1;
  } catch (const fathom::InputError& error) {
    std::printf("%s\n", error.what());
    return 2;
  }
}
