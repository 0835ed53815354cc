#pragma once
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace fathom::filter {

/// What has to be done to the samples of a channel before two channels can be compared.
enum class MotionForm {
  as_it_is,  ///< rates of a gyro, velocities of a DVL
  slope,     ///< depth or position: its derivative counts
  speed,     ///< position, 3 rows: the length of its derivative counts
  turning,   ///< q_nb, w first: the angular rate in b counts
  moving,    ///< p_n and q_nb, 7 rows: the velocity in b counts
};

/// What one channel shows of a motion. Series with the same `quantity` show the same thing.
struct MotionSeries {
  std::string channel, quantity;
  MotionForm form = MotionForm::as_it_is;
  std::vector<double> t;   ///< s, on the clock of the channel; never falling
  Eigen::MatrixXd values;  ///< a column per sample; a column with NaN is no sample
};

struct AlignmentOptions {
  double most = 2;          ///< s: offsets between two channels are sought from -most to most
  double drift_from = 100;  ///< s of shared motion from which on a drift is sought too
};

/// How much later one channel shows what another shows: `to` less `from`.
struct PairOffset {
  std::string from, to, quantity;
  double seconds = 0, sigma = 0;  ///< at Alignment::t0
  double drift = 0, drift_sigma = 0;
  bool has_drift = false;
  double correlation = 0;  ///< of all rows together
  std::string why_not;     ///< empty where the offset is known
};

/// A channel's clock: where it shows t, the reference shows t - seconds - drift (t - t0), the drift where it is
/// no chance.
struct ChannelOffset {
  std::string channel;
  double seconds = 0, sigma = 0;
  std::optional<double> drift, drift_sigma;  ///< s/s, where the log is long enough
  std::string why_not;                       ///< empty where the channel is aligned

  /// More than three sigmas off zero, else 0.
  double certain_drift() const { return drift && std::abs(*drift) > 3 * *drift_sigma ? *drift : 0; }
  double at_reference(double t, double t0) const { return t - seconds - certain_drift() * (t - t0); }
};

struct Alignment {
  double t0 = 0;                        ///< s: the middle of the log
  std::vector<ChannelOffset> channels;  ///< in the order of the series
  std::vector<PairOffset> pairs;
  /// Of the loops that pairs close, and their number. Errors that pairs share make it small; large is trouble.
  double chi_square = 0;
  int loops = 0;

  /// Would pairs that agree have such a chi-square less than once in a thousand times?
  bool contradicts_itself() const;
};

/// One offset per channel relative to `reference`, from every two series of one quantity: docs/filters.md eqs.
/// 21 to 26. Throws InputError: no such reference, series that do not fit together, times that fall or are no
/// numbers. What cannot be aligned is said in why_not.
Alignment align_clocks(const std::vector<MotionSeries>& series, const std::string& reference,
                       const AlignmentOptions& options = {});

}  // namespace fathom::filter
