#pragma once
#include <string>
#include <vector>

#include "fathom/assembly/held_arms.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/report/page.hpp"

namespace fathom::report {

/// What a page about a vehicle with its arms held is made of.
struct HeldArmsPage {
  const model::VehicleWithArms* robot;
  const assembly::HeldArms* held;
  std::vector<double> efforts;  ///< N m, N: that hold each joint, level and still, through all arms
  Vec6 wrench_b;                ///< that the vehicle needs for its arms, level and still
  model::Environment environment = model::Environment();
  std::vector<FileLink> files = {};
  std::string footer = {};
};

/// The page that `fathom assemble` writes of a vehicle with arms: where they are, what holding them takes of
/// each joint, what they weigh on the vehicle, and the whole as one body.
Page held_arms_page(const HeldArmsPage& page);

}  // namespace fathom::report
