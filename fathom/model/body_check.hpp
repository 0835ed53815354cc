#pragma once
#include <string>

#include "fathom/model/checker.hpp"

// What nature forbids of a body in water, whether it is a vehicle's hull or a link of an arm.
namespace fathom::model {

struct BodyPlace {
  std::string key;             ///< hull, or joints[2].link
  std::string what;            ///< vehicle, or link
  bool may_displace_no_water;  ///< an arm in air
};
/// Mass, volume and inertia that no body has; added mass that gives energy away.
void check_body(Checker& check, const Hull& hull, const BodyPlace& place);

/// A body of positive density has principal moments with I1 + I2 >= I3.
void check_inertia(Checker& check, const Mat3& inertia, const std::string& key);

/// Damping that generates energy, numbers that are none.
void check_damping_element(Checker& check, const DragElement& element, const std::string& key);

void check_pose(Checker& check, const Value<Vec3>& position_b, const Value<Vec3>& attitude_rpy,
                const std::string& key);

}  // namespace fathom::model
