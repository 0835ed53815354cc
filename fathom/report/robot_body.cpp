#include "fathom/report/robot_body.hpp"

namespace fathom::report {

Body robot_body(std::string name, const model::Robot& robot) {
  Body body{.name = std::move(name)};
  if (robot.hull().size) body.size = robot.hull().size->value;
  for (const model::Thruster& thruster : robot.thrusters())
    body.thrusters.push_back({thruster.position_b.value, thruster.axis_b()});
  return body;
}

}  // namespace fathom::report
