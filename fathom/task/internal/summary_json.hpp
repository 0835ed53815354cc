#pragma once
#include "fathom/task/internal/json.hpp"
#include "fathom/task/logs.hpp"

// Members of what several summaries hold.
namespace fathom::task {

template <class Visit>
void members(Visit& visit, LogSummary::Drop& s) {
  visit("why", s.why);
  visit("samples", s.samples);
}

template <class Visit>
void members(Visit& visit, LogSummary::Sensor& s) {
  visit("name", s.name);
  visit("used", s.used);
  visit("missing", s.missing);
  visit("outliers", s.outliers);
  visit("innovation_rms", s.innovation_rms);
}

template <class Visit>
void members(Visit& visit, LogSummary& s) {
  visit("name", s.name);
  visit("samples", s.samples);
  visit("usable", s.usable);
  visit("interval_s", s.interval_s);
  visit("dropped", s.dropped);
  visit("sensors", s.sensors);
  visit("warnings", s.warnings);
  visit("jerk", s.jerk);
  visit("angular_jerk", s.angular_jerk);
}

}  // namespace fathom::task
