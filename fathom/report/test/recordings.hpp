#pragma once
#include <string>

#include "fathom/identify/vehicle/recording.hpp"

namespace fathom::report::test {

/// Level at one place, with velocities of noise.
inline identify::Recording recording_of(const std::string& name, Eigen::Index samples = 20) {
  identify::Recording recording;
  recording.name = name;
  recording.track.dt = 0.1;
  recording.track.nu_b = Mat6X::Random(6, samples);
  recording.track.p_nb_n.setZero(3, samples);
  recording.track.q_nb.setZero(4, samples);
  recording.track.q_nb.row(3).setOnes();
  recording.usable.assign(static_cast<std::size_t>(samples), 1);
  return recording;
}

}  // namespace fathom::report::test
