#pragma once
#include <span>
#include <string>
#include <vector>

#include "fathom/identify/vehicle/validation.hpp"
#include "fathom/report/page.hpp"

namespace fathom::report::internal {

struct NamedValidation {
  std::string name;
  const identify::Validation* validation;
};

/// R^2 over the logs of each validation, one group of boxes for each of `velocities` in [u v w p q r].
Boxes r2_boxes(std::string title, const std::vector<NamedValidation>& validations,
               std::span<const int> velocities);

}  // namespace fathom::report::internal
