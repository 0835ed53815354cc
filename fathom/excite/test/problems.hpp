#pragma once
#include <Eigen/Core>

#include "fathom/base/random.hpp"
#include "fathom/excite/problem.hpp"
#include "fathom/trajectory/basis.hpp"
#include "fathom/trajectory/bezier.hpp"

// Small problems, each solved in a few milliseconds.
namespace fathom::excite::test {

Problem
tank();  ///< defender-like, 4-DoF, vehicle-23: 24 s and 16 s, the first nearly holding z; A-optimal spline
Problem pool();   ///< bluerov2-heavy, 6-DoF, vehicle-24: 40 s, within the thrusters' limits
Problem pond();   ///< defender-like, 3-DoF: 25 s and 15 s at a depth that is held, not back to the start
Problem board();  ///< tank() with a board to keep in view, a tether and the thrusters' limits

Problem with_bezier(Problem problem, int degree, int parts);
Problem with_thruster_errors(Problem problem);
Problem with_criterion(Problem problem, Criterion criterion);

/// Free numbers about the start, within no limits.
Eigen::VectorXd random_numbers(const Problem& problem, const trajectory::Basis& basis, RandomStream& random);

/// The most by which a path leaves the box limits at many times, borders of segments included; negative inside.
double box_excess(const Problem& problem, const trajectory::Bezier& path);

}  // namespace fathom::excite::test
