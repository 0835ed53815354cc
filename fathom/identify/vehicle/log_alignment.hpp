#pragma once
#include <string>
#include <vector>

#include "fathom/filter/clock_alignment.hpp"
#include "fathom/log/dataset.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::identify {

/// What the channels of a log show of the motion, by the names of their columns (docs/log-files.md): angular
/// rate, velocity in b, vertical speed, speed. A robot, if there is one, says where its sensors are and how
/// late: without it they are at the origin, in its axes, and a latency counts as an offset. Channels of
/// different vehicles (`rov.imu`, `auv.imu`) share nothing.
std::vector<filter::MotionSeries> shared_motion(const log::Dataset& dataset, const model::Robot* robot);

/// The channel that the others are brought to where nobody names one: a gyro, for commands are usually on its
/// clock, else an attitude, else the first.
std::string usual_reference(const std::vector<filter::MotionSeries>& series);

/// The dataset with times as the reference would show them. Channels that are not aligned keep theirs.
log::Dataset with_aligned_clocks(const log::Dataset& dataset, const filter::Alignment& alignment);

}  // namespace fathom::identify
