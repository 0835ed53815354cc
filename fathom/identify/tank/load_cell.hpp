#pragma once
#include <string>
#include <vector>

#include <Eigen/Core>

namespace fathom::identify {

/// One of the cells between carriage and bracket. It measures along a line that leans by `angle` from the path;
/// its sign says whether a pull counts for the carriage or against it.
struct LoadCell {
  std::string name;
  double sign = 1;
  double angle = 0;        ///< rad
  double angle_sigma = 0;  ///< rad, of the same angle in every run
  double gain = 1;         ///< true over indicated; for a torque, the lever in m
  double gain_sigma = 0;   ///< of the same gain in every run
};

/// f = sum s_i g_i cos(angle_i) (f_i - z_i) (docs/tank-tests.md eq. 2; Nielsen 2019, eqs. 4.14 and 5.14), with
/// the zeros z_i taken before the run.
struct PathForce {
  Eigen::VectorXd force;     ///< N
  std::vector<double> zero;  ///< N, of each cell
  double zero_variance = 0;  ///< N^2, of the zero of the force: the same error in the whole run
};
/// `readings`: a column for each cell. `at_rest`: how many of the first samples are before the run; none: the
/// zeros are taken as 0, exactly. Throws InputError for an angle of a right angle or more, numbers that are not
/// finite, columns that are not as many as cells, or 1 to 7 samples at rest.
PathForce path_force(const std::vector<LoadCell>& cells, const Eigen::Ref<const Eigen::MatrixXd>& readings,
                     Eigen::Index at_rest);

/// N, what one sigma of each angle, then of each gain, does to the mean force over [from, from + count): errors
/// that all runs share, which no number of runs makes smaller.
std::vector<double> shared_errors(const std::vector<LoadCell>& cells,
                                  const Eigen::Ref<const Eigen::MatrixXd>& readings, const PathForce& force,
                                  Eigen::Index from, Eigen::Index count);

}  // namespace fathom::identify
