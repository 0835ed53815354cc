#pragma once
#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"
#include "fathom/model/structure.hpp"

namespace fathom::model::internal {

/// The robot's total matrices at the body origin, as far as they have the form of docs/model.md eq. 10; also
/// their derivative by one of its numbers.
struct Totals {
  Mat6 M = Mat6::Zero(), linear = Mat6::Zero();
  QuadraticDrag quadratic;
  double weight = 0, buoyancy = 0;   // N
  Vec3 first_moment = Vec3::Zero();  // N m
};

/// What the dry body and its volume give, without added mass.
Totals totals_of(const Hull& hull, const Environment& environment);
Totals totals_of(const RobotSpec& spec, const Environment& environment);
/// An element's linear damping, moved to the body origin.
Mat6 linear_at_origin(const DragElement& element);

/// How large the parts are that a value is the sum of: its rounding is relative to that.
Totals sizes_of(const RobotSpec& spec, const Environment& environment);
double size_of(const Term& term, const Totals& sizes);

/// Linear in `totals`.
double value_of(const Term& term, const Totals& totals);
Eigen::VectorXd values_of(const Structure& structure, const Totals& totals);

}  // namespace fathom::model::internal
