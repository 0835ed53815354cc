#include "fathom/identify/arm/drive_gain.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/solve/least_squares.hpp"

namespace fathom::identify {

using Eigen::Index;

std::vector<DriveGain> drive_gains(const ArmRun& run, const model::Arm& arm, double rest_speed) {
  if (!run.prepared() || run.wanted_effort.size() == 0 || run.wanted_torque.size() == 0)
    reject(run.place(), 0, "", "says nothing of what its controller wanted",
           "columns wanted_effort and wanted_torque, or gains by hand");
  std::vector<DriveGain> gains;
  for (Index j = 0; j < run.q.cols(); ++j) {
    std::vector<Index> moving;
    for (Index k = 0; k < run.samples(); ++k)
      if (std::abs(run.dq(k, j)) > rest_speed) moving.push_back(k);
    const auto count = static_cast<Index>(moving.size());
    Eigen::MatrixXd A(count, 4);
    const Eigen::VectorXd speed = run.dq.col(j)(moving), effort = run.wanted_effort.col(j)(moving);
    A << run.wanted_torque.col(j)(moving), speed, speed.cwiseSign(), Eigen::VectorXd::Ones(count);
    solve::Rows rows(4);
    rows.add(A, effort);
    const solve::LinearFit fit = solve::ordinary(rows);
    if (count < 20 || fit.rank < 4 || !(fit.x[0] > 0))
      reject(run.place(), 0, "",
             fmt::format("joint {}: its wanted torque does not tell a gain",
                         in_quotes(arm.joints()[static_cast<std::size_t>(j)].name)),
             "give gains by hand");
    const double gain = 1 / fit.x[0];
    gains.push_back(
        {gain, gain * gain * std::sqrt(fit.covariance(0, 0)), std::sqrt(fit.rss / static_cast<double>(count))});
  }
  return gains;
}

model::Arm with_drives(const model::Arm& arm, const Eigen::VectorXd& gains, const std::string& source) {
  if (gains.size() != static_cast<Index>(arm.size()))
    reject("gains", fmt::format("has {} numbers, the arm has {} joints", gains.size(), arm.size()));
  model::ArmSpec spec = arm.spec();
  for (std::size_t k = 0; k < spec.joints.size(); ++k) {
    const double gain = gains[static_cast<Index>(k)];
    if (!(gain > 0) || !std::isfinite(gain))
      reject("gains", fmt::format("of {} = {}, must be above 0", in_quotes(spec.joints[k].name), gain));
    model::Actuator drive;
    drive.transmission = model::Gear{1};
    drive.motor.k_t = gain;
    drive.source = source;
    spec.joints[k].actuator = drive;
  }
  return model::Arm::make(std::move(spec));
}

}  // namespace fathom::identify
