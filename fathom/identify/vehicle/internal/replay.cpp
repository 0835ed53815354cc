#include "fathom/identify/vehicle/internal/replay.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/geometry/rotation.hpp"

namespace fathom::identify::internal {

using Eigen::Index;

Vec6 between(const Mat6X& wrench, double place) {
  const Index k = std::clamp<Index>(static_cast<Index>(place), 0, std::max<Index>(wrench.cols() - 2, 0));
  const double share = place - static_cast<double>(k);
  if (share == 0) return wrench.col(k);
  return wrench.col(k) + share * (wrench.col(k + 1) - wrench.col(k));
}

double lag_of(double delay, double dt) {
  const double lag = delay / dt, whole = std::round(lag);
  return std::abs(lag - whole) < 1e-9 ? whole : lag;
}

dynamics::State measured_state(const Recording& recording, Index k, model::Dof dof, bool measured_tilt) {
  dynamics::State state;
  state.q_nb = recording.track.attitude(k).normalized();
  state.nu_b = recording.track.nu_b.col(k);
  if (dof == model::Dof::six || measured_tilt) return state;
  state.q_nb = quaternion_from_euler({0, 0, euler_from_quaternion(state.q_nb).z()});
  for (int i = 0; i < 6; ++i)
    if (!model::is_free(dof, i)) state.nu_b[i] = 0;
  return state;
}

namespace {

using Eigen::Index;

CommandedPiece piece_of(const Recording& recording, Index first, Index count) {
  CommandedPiece piece{&recording, first, {}};
  const filter::Track& track = recording.track;
  CommandedRun& run = piece.run;
  run.name = recording.name;
  run.t0 = track.t(first);
  run.dt = track.dt;
  run.nu_c = track.nu_b.middleCols(first, count);
  run.down_b.resize(3, count);
  for (Index k = 0; k < count; ++k) run.down_b.col(k) = track.attitude(first + k).conjugate() * Vec3::UnitZ();
  for (Index k = 0; k < recording.size(); ++k) run.command_t.push_back(track.t(k));
  run.commands = recording.asked.size() > 0 ? recording.asked : recording.tau_b;
  return piece;
}

}  // namespace

Mat6X CommandedPiece::late(const Mat6X& series, Index samples) const {
  const Index from = std::max<Index>(0, first - samples), missing = from - (first - samples);
  Mat6X out(6, run.size());
  out.rightCols(run.size() - missing) = series.middleCols(from, run.size() - missing);
  out.leftCols(missing).colwise() = series.col(from).eval();
  return out;
}

std::list<CommandedPiece> pieces_of(std::span<const Recording> recordings, double shortest, double longest) {
  std::list<CommandedPiece> pieces;
  for (const Recording& recording : recordings)
    for (const SampleRange& range : usable_ranges(recording.usable)) {
      const Index first = range.first, all = range.size();
      const double seconds = static_cast<double>(all) * recording.track.dt;
      const auto count = std::max<Index>(1, static_cast<Index>(std::floor(seconds / longest)));
      if (seconds >= shortest)
        for (Index k = 0; k < count; ++k)
          pieces.push_back(
              piece_of(recording, first + k * all / count, (k + 1) * all / count - k * all / count));
    }
  return pieces;
}

}  // namespace fathom::identify::internal
