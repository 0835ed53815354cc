#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "fathom/model/thruster_map.hpp"

namespace fathom::identify {

/// Steady force over command, in any order: a bollard test at one supply voltage.
struct BollardTest {
  std::vector<double> commands;
  std::vector<double> forces;  ///< N, as long as commands
};

/// The force of one side over u = |command - neutral|, both as magnitudes: 0 up to the edge of the dead band,
/// then c_1 x + .. + c_5 x^5 with x = u - edge, which never falls for u up to `reach`.
struct SideLaw {
  int degree = 1;
  double edge = 0, reach = 0;
  std::array<double, 5> c{};
  double force(double u) const;
};

/// Least squares over edge and coefficients. The polynomial is written in Bernstein's form over [edge, reach],
/// where it does not fall if its coefficients do not: their increments are non-negative
/// (solve/non_negative.hpp). The edge is searched on a grid that is refined. Throws InputError unless 1 <=
/// degree <= 5, `u` and `forces` are finite and as many, and the largest u is above 0.
SideLaw fit_side(const Eigen::Ref<const Eigen::VectorXd>& u, const Eigen::Ref<const Eigen::VectorXd>& forces,
                 int degree);

struct StaticThrustOptions {
  int folds = 10;       ///< of the cross-validation: every tenth point in order of command is held out
  int resamples = 200;  ///< behind the bands
  int block = 5;        ///< most neighbours whose residuals stay together, where these are correlated
  std::uint64_t seed = 1;
};

/// One side with what speaks for its law.
struct SideChoice {
  struct Tried {
    int degree = 1;
    double error = 0;           ///< N, root of the mean square of points held out; NaN where none could be
    double mean_square = 0;     ///< N^2
    double standard_error = 0;  ///< N^2, of the mean square, from its spread over folds
  };
  SideLaw law;
  std::vector<Tried> tried;   ///< degrees from 1 on
  double rmse = 0;            ///< N, over all points
  double full_force = 0;      ///< N, largest magnitude of this side
  Eigen::VectorXd u, forces;  ///< the points, in order of u
  Eigen::VectorXd low, high;  ///< N, 95 % band of the law at each of them

  const Tried& chosen() const { return tried[static_cast<std::size_t>(law.degree - 1)]; }
};

struct StaticThrust {
  SideChoice forward, reverse;
  model::ThrusterMap map;  ///< LinearQuadratic where degree 2 will do on both sides, else PolynomialPair
};

/// Chooses, for each side, the lowest degree whose error on points held out is within one standard error of the
/// least (Breiman et al. 1984, section 3.4.3). The bands are those of the moving-block bootstrap, edge
/// included, widened by what the law misses of a smooth curve through the points. Throws InputError for fewer
/// than 6 points on a side, numbers that are not finite, commands outside the range, or a force that never
/// rises.
StaticThrust identify_static_thrust(const BollardTest& test, const model::Command& command,
                                    const StaticThrustOptions& options = {});

}  // namespace fathom::identify
