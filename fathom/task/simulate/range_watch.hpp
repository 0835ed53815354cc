#pragma once
#include <vector>

#include "fathom/identify/vehicle/statistics.hpp"
#include "fathom/log/sink.hpp"
#include "fathom/loop/scenario.hpp"
#include "fathom/task/simulate/simulate.hpp"

namespace fathom::task::internal {

/// Hands every row on, and watches where identified vehicles leave the range of
/// the logs that they were identified from.
class RangeWatch : public log::Sink {
 public:
  RangeWatch(const loop::Scenario& scenario, log::Sink& next);
  std::size_t open(const log::ChannelInfo& info) override;
  void append(std::size_t channel, double t, std::span<const double> values) override;
  void close(std::size_t channel) override { next_->close(channels_[channel].number); }

  /// Returns what vehicle k of the scenario left; nothing of one that was not
  /// identified.
  IfAny<std::vector<SimulateSummary::Beyond>> beyond(std::size_t vehicle) const;

 private:
  enum class Kind { other, state, thrusters, water };
  struct Channel {
    std::size_t number;  ///< what next_ calls it
    Kind kind = Kind::other;
    std::size_t watched = 0;
  };
  struct Watched {
    std::size_t vehicle;
    std::string name;
    Mat6X allocation;
    identify::RangeMonitor monitor;
    std::vector<double> commands = {};
    Vec6 tau_b = Vec6::Zero();
    Vec3 water_n = Vec3::Zero();
    std::size_t samples = 0;
  };
  static void take(Watched& watched, Kind kind, std::span<const double> values);

  log::Sink* next_;
  std::vector<Watched> watched_;
  std::vector<Channel> channels_;
};

}  // namespace fathom::task::internal
