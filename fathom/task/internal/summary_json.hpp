#pragma once
#include "fathom/task/internal/json.hpp"
#include "fathom/task/logs.hpp"

// Keys of what several summaries hold.
namespace fathom::task {

FATHOM_JSON(LogSummary::Drop, why, samples)
FATHOM_JSON(LogSummary::Sensor, name, used, missing, outliers, innovation_rms)
FATHOM_JSON(LogSummary::ConstantError, name, unit, value, sigma, prior_sigma)
FATHOM_JSON(LogSummary, name, samples, usable, interval_s, dropped, sensors, constant_errors, contradictions,
            warnings, jerk, angular_jerk, current)

}  // namespace fathom::task
