#include "fathom/report/internal/r2_boxes.hpp"

namespace fathom::report::internal {
namespace {

FiveNumbers five(const identify::Spread& s) {
  return {s.least, s.low_quartile, s.median, s.high_quartile, s.most};
}

}  // namespace

Boxes r2_boxes(std::string title, const std::vector<NamedValidation>& validations,
               std::span<const int> velocities) {
  Boxes boxes{.title = std::move(title), .label = "R\u00b2 of the forward simulation"};
  for (const int i : velocities) boxes.groups.emplace_back(model::dof_name(i));
  for (const auto& [name, validation] : validations) {
    boxes.names.push_back(name);
    auto& list = boxes.values.emplace_back();
    for (const int i : velocities) list.push_back(five(validation->r2(i)));
  }
  boxes.note = "Whiskers: all logs. Box: quartiles. Number: median.";
  return boxes;
}

}  // namespace fathom::report::internal
