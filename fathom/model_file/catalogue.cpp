#include "fathom/model_file/catalogue.hpp"

#include "fathom/base/search_path.hpp"

namespace fathom::model {

std::filesystem::path find_robot_file(const std::string& name_or_path,
                                      const std::vector<std::filesystem::path>& folders) {
  return find_file({"robot", folders, "FATHOM_MODELS"}, name_or_path);
}

std::filesystem::path find_arm_file(const std::string& name_or_path,
                                    const std::vector<std::filesystem::path>& folders) {
  return find_file({"arm", folders, "", ".urdf"}, name_or_path);
}

}  // namespace fathom::model
