#include "fathom/identify/metrics.hpp"

#include "studies/modular/parts.hpp"
#include "studies/modular/pendulum.hpp"

namespace fathom::studies {

/// Eqs. 6.3 and 6.4: pendulums of 0.25 and 0.30 m over 5 s, 50 samples each; ||d|| sample by sample, warped
/// with both ends fixed, and with an open end.
void study_warp(Study& study) {
  using Ends = identify::WarpOptions::Ends;
  const auto theta = [](double length) { return Pendulum{.length = length}.swing(5, 50); };
  const Eigen::RowVectorXd a = theta(0.25), b = theta(0.30);
  study.set("warp.none", (a - b).norm());
  study.set("warp.closed", identify::warp(a, b, {.window = 1}).distance);
  study.set("warp.open_end", identify::warp(a, b, {.window = 1, .ends = Ends::open_end}).distance);
}

}  // namespace fathom::studies
