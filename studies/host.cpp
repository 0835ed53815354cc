#include "studies/host.hpp"

#include "fathom/model_file/catalogue.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::studies {

model::Robot Host::robot(const std::string& name) const {
  return model::read_robot(model::find_robot_file(name, robot_folders));
}

}  // namespace fathom::studies
