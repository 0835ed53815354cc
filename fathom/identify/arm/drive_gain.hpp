#pragma once
#include <vector>

#include "fathom/identify/arm/arm_run.hpp"

namespace fathom::identify {

/// How many N m a unit of a joint's effort makes, such as an ampere of its motor. Links are shared by joints,
/// so that motion in ampere alone shows such gains but relative to each other (Gautier and Briot 2014); one
/// absolute number must come from somewhere.
struct DriveGain {
  double gain = 0, sigma = 0;  ///< N m per unit; sigma as if residuals were independent
  double residual = 0;         ///< rms of what the fit leaves, in units of the effort
};

/// From what a controller itself wanted: effort = torque / gain + friction that it compensates for, viscous and
/// dry, + a constant. It is the maker's number, not a measurement of the motor. `run` is prepared and has
/// wanted_effort and wanted_torque; throws InputError where it has not, or a joint that never wants torque.
std::vector<DriveGain> drive_gains(const ArmRun& run, const model::Arm& arm, double rest_speed = 0.02);

/// The arm with a drive on every joint: a gear of ratio 1 whose motor makes `gains` N m per ampere. Inertia and
/// friction of such a motor are those seen at the joint. Throws InputError for another number of gains, or one
/// that is not positive.
model::Arm with_drives(const model::Arm& arm, const Eigen::VectorXd& gains, const std::string& source);

}  // namespace fathom::identify
