#pragma once
#include <functional>
#include <list>
#include <ranges>
#include <span>
#include <vector>

#include "fathom/dynamics/regressor.hpp"
#include "fathom/identify/vehicle/recording.hpp"
#include "fathom/model/structure.hpp"

namespace fathom::identify {

struct RegressionOptions {
  /// s, of the Gaussian that both sides of the equation see. Longer than what the smoother and the thrusters'
  /// lag blur, shorter than the vehicle takes to change its speed.
  double blur = 0.4;
  /// s; samples whose commands would reach back beyond the log's beginning are left out.
  double most_delay = 1;
  /// Takes roll, pitch and their rates for zero where the structure lacks them, as a prediction in 4-DoF does.
  bool level = false;
};

/// What a pass over the rows takes for granted.
struct Nuisance {
  double delay = 0;                      ///< s, from command to wrench
  Vec3 current_n = Vec3::Zero();         ///< m/s
  Vec3 attitude_error_b = Vec3::Zero();  ///< rad: what the attitude sensor adds, as a turn of the body
  double split = 0;                      ///< of Recording::nu_split_b, added to the twist

  bool operator==(const Nuisance&) const = default;
};

/// Some rows of h * (Y theta) = h * tau, sample after sample, `rows` each.
struct RowBlock {
  Eigen::MatrixXd Y;
  Eigen::VectorXd tau;
  Eigen::VectorXd tau_by_delay;
  std::vector<double> t;          ///< s, of each sample
  std::size_t recording = 0;      ///< that it is of
  Eigen::Index first_sample = 0;  ///< counted over all recordings
  bool begins = false;            ///< nothing usable lies between it and the block before
};

/// The equation of motion along recordings, blurred alike on both sides: h * tau = h * (Y theta), where the
/// rate of nu is never formed: h * nu_dot = h' * nu (docs/identification.md). Rows are made block by block, so
/// that memory does not grow with the log; those of the last suppositions are kept where they are small. Not
/// for several threads at once.
class Regression {
 public:
  /// Keeps references to the recordings. Throws InputError where no sample is usable, or the blur is below half
  /// a step.
  Regression(const model::Structure& structure, std::span<const Recording> recordings,
             const RegressionOptions& options = {});
  /// A temporary that owns its recordings would leave them dangling.
  template <std::ranges::range Recordings>
  requires(!std::ranges::borrowed_range<Recordings>)
      Regression(const model::Structure& structure, Recordings&& recordings,
                 const RegressionOptions& options = {})
  = delete;

  const model::Structure& structure() const { return regressor_.structure(); }
  std::span<const Recording> recordings() const { return recordings_; }
  const RegressionOptions& options() const { return options_; }
  Eigen::Index rows() const { return static_cast<Eigen::Index>(free_.size()); }  ///< of one sample
  std::span<const int> free() const { return free_; }
  Eigen::Index samples() const { return samples_; }
  double sample_interval() const;  ///< s, between samples of a run; that of the first recording

  Eigen::Index samples_of(std::size_t recording) const;
  /// What pass() does to the wrench, of any series on the clock of a recording (a row each): h * series `delay`
  /// [s] before each sample, and its slope by the delay.
  void blur(std::size_t recording, const Eigen::Ref<const Eigen::MatrixXd>& series, double delay,
            Eigen::Ref<Eigen::MatrixXd> value, Eigen::Ref<Eigen::MatrixXd> by_delay) const;

  /// Throws InputError for a delay that is not within 0 and most_delay.
  void pass(const Nuisance& nuisance, const std::function<void(const RowBlock&)>& take) const;
  /// The same for several suppositions side by side: `take` gets a block of each.
  void pass(std::span<const Nuisance> nuisances,
            const std::function<void(std::span<const RowBlock>)>& take) const;

 private:
  /// Samples of a recording without a gap: the first grid index of the window's middle, and how many.
  struct Run {
    std::size_t recording;
    Eigen::Index first, count;
  };
  struct Scratch;
  /// Blocks that a pass has made.
  struct Kept {
    Nuisance nuisance;
    std::vector<RowBlock> blocks;
  };
  std::vector<Kept*> kept_for(std::span<const Nuisance> nuisances) const;
  void find_runs();
  void find_pattern();
  void fill(const Run& run, Eigen::Index begin, Eigen::Index count, const Nuisance& nuisance, Scratch& scratch,
            RowBlock& block) const;
  /// Puts the columns that an acceleration enters into the rows of `count` samples.
  void add_accelerations(Eigen::Index count, Eigen::Index stride, const Eigen::VectorXd& rate, Scratch& scratch,
                         RowBlock& block) const;
  void features(const Recording& recording, Eigen::Index first, Eigen::Index count, const Nuisance& nuisance,
                Scratch& scratch) const;

  dynamics::VehicleRegressor regressor_;
  std::span<const Recording> recordings_;
  RegressionOptions options_;
  std::vector<int> free_;
  struct Place {
    int row, column;
  };
  std::vector<Place> pattern_;          // where Y can differ from zero
  std::vector<Eigen::Index> inertial_;  // columns that acceleration enters
  std::vector<Run> runs_;
  Eigen::Index samples_ = 0;
  mutable std::list<Kept> kept_;  // the last used at the end
};

}  // namespace fathom::identify
