#pragma once
#include <string>

#include "fathom/model/robot.hpp"
#include "fathom/report/page.hpp"

namespace fathom::report {

/// What a scene draws of a robot: its hull and its thrusters. Its motion is still to come.
Body robot_body(std::string name, const model::Robot& robot);

}  // namespace fathom::report
