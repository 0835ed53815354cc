#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "fathom/base/thread_pool.hpp"
#include "fathom/identify/vehicle/prediction.hpp"
#include "fathom/identify/vehicle/statistics.hpp"
#include "fathom/model/structure.hpp"

namespace fathom::identify {

/// A model and how well it is known.
struct UncertainModel {
  model::Robot robot;
  model::Environment environment;
  model::Structure structure;
  /// In the order of the structure. A parameter with an infinite variance is taken as exact: nothing is known
  /// of how wrong it may be.
  model::ParameterVector parameters;
  PredictionOptions prediction;
  double delay_sigma = 0;  ///< s
  /// Of the wrench that the model leaves unexplained; none: the water does nothing else.
  std::optional<ResidualStatistics> residual = {};
};

struct BandOptions {
  int members = 64;
  std::uint64_t seed = 1;
  double level = 0.95;  ///< share of the measurements that the band shall hold
};

/// What a band needs to know of one recording, besides the recording.
struct BandOf {
  Vec3 current_n = Vec3::Zero();                                 ///< m/s
  Eigen::Matrix2d current_covariance = Eigen::Matrix2d::Zero();  ///< of north and east
  Mat6X widening = {};  ///< factor of each velocity's half width; empty: 1 throughout
};

/// Where measured velocities are expected.
struct Band {
  Mat6X low, high;  ///< NaN where nothing is predicted; zero width for held velocities
  /// 1 where band and measurement can be compared.
  std::vector<char> compared;
  Vec6 coverage;              ///< share of the compared samples inside, per velocity; NaN for held ones
  double step = 0;            ///< s, of the simulations
  bool has_residual = false;  ///< the members are pushed by the unexplained wrench
  std::size_t redrawn = 0;    ///< draws of parameters that no body has
  std::size_t shrunk = 0;     ///< members that had to be drawn nearer to the estimate
  std::size_t ran_away = 0;   ///< members that left 100 m/s; left out where they did
};

/// Models drawn from an estimate's distribution, to simulate recordings with (docs/identification.md). Each
/// member has its own parameters and delay; for each recording it gets an initial velocity, a current and a
/// random wrench with the statistics of the residual. The band is mean +- t times the members' standard
/// deviation with the measurement's own in quadrature; t is Student's for a further draw. Members are simulated
/// with the longest step that is short against the vehicle's own time constants. Deterministic for a seed,
/// whatever the pool.
class Ensemble {
 public:
  Ensemble(const UncertainModel& uncertain, const BandOptions& options);
  ~Ensemble();

  Band band(const Recording& recording, const BandOf& of, WorkerPool& pool) const;

 private:
  struct Member;
  UncertainModel uncertain_;
  BandOptions options_;
  std::vector<Member> members_;
  std::size_t redrawn_ = 0, shrunk_ = 0;
};

/// The band of one recording, in the current of the model's prediction.
Band band(const UncertainModel& uncertain, const Recording& recording, const BandOptions& options,
          WorkerPool& pool);

}  // namespace fathom::identify
