#pragma once
#include <string>
#include <vector>

#include <Eigen/Core>

#include "fathom/log/number_table.hpp"
#include "fathom/model/arm.hpp"

namespace fathom::identify {

struct ArmRun;

/// One number of a log that its neighbours contradict; the row that has it is left out.
struct RunOutlier {
  int line = 0;        ///< of the file; 0 where the run came from memory
  double time = 0;     ///< s
  std::string signal;  ///< "position of joint 'elbow'"
  std::string unit;
  double value = 0, expected = 0;  ///< what its neighbours say instead
  std::string reason;              ///< why it cannot be
};

}  // namespace fathom::identify

namespace fathom::identify::internal {

/// A sample, or a few in a row, that leave a series and come back to it.
struct Spike {
  Eigen::Index at = 0;
  double expected = 0;
};

/// Finds samples that leave a smooth series and come back within `longest` samples: both jumps exceed four
/// times the steps around them and twenty sigmas of the series' noise. A motion cannot do that, however fast it
/// is; a jump that stays is none. At the ends, samples are found that are off all of the rest. `times` must
/// rise.
std::vector<Spike> motion_spikes(const Eigen::VectorXd& times, const Eigen::VectorXd& series,
                                 Eigen::Index longest);

/// Finds samples of a noisy series that leave their neighbours on both sides by more than `sigmas` of what
/// samples nearby do, and by more than `share` of the range of the whole series. Steps are none.
std::vector<Spike> noise_spikes(const Eigen::VectorXd& series, double sigmas, double share);

/// Throws InputError, with the line, where the clock goes back, or jumps ahead while the joints move on as over
/// one sample. Equal times are repeated rows, and a pause is a gap: neither is an error.
/// `all`: of every row of the table; `times` and `q`: of the rows that were kept.
void check_clock(const log::NumberTable& table, const Eigen::VectorXd& all, const Eigen::VectorXd& times,
                 const Eigen::MatrixXd& q, const std::vector<Eigen::Index>& kept);

/// Takes rows with outliers out of a run, and lists them in run.outliers. `lines`: of each row, or empty.
/// Throws InputError where more than a twentieth of the rows would go, or a position within its range jumps by
/// half a turn and stays.
void take_out_outliers(ArmRun& run, const model::Arm& arm, const std::vector<int>& lines,
                       const std::string& file);

/// Marks the samples of each joint that repeat the one before although the joint moves: a reader that is faster
/// than its sensor hands out the last value again. Slow joints, whose counter stands still, are not marked, nor
/// are rests of more than a tenth of a second.
Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic> held_samples(const Eigen::VectorXd& times,
                                                                const Eigen::MatrixXd& series);

}  // namespace fathom::identify::internal
