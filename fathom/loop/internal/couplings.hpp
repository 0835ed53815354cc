#pragma once
#include <memory>
#include <span>
#include <vector>

#include "fathom/log/sink.hpp"
#include "fathom/loop/internal/moving_group.hpp"
#include "fathom/loop/scenario.hpp"
#include "fathom/loop/statistics.hpp"

namespace fathom::loop::internal {

/// The couplings of a scenario under way: which are closed, who hangs together, what goes through them. Only
/// closing and opening allocate.
class Couplings {
 public:
  /// Closes those that are closed from the start. All must outlive it.
  Couplings(const Scenario& scenario, std::span<const std::unique_ptr<VehicleLoop>> vehicles, log::Sink& sink,
            std::vector<Event>& events);

  /// At the end of a step: what is due opens, what meets closes. True where others hang together than before.
  bool update(double t);
  /// What those that are closed carry at t.
  void log(double t);

  /// Every vehicle is in one, by itself or with those that it hangs together with.
  struct Group {
    std::vector<std::size_t> vehicles,
        couplings;  ///< increasing; the second in the order of the cluster's links
    std::unique_ptr<MovingGroup> moving;
  };
  const std::vector<Group>& groups() const { return groups_; }
  std::vector<CouplingStatistics> statistics() const;

 private:
  struct Live {
    const CouplingScenario* scenario = nullptr;
    bool closed = false, armed = true;
    std::size_t openings = 0;  // of opens_at, done
    Pose held = {};            // of the second vehicle in the first, as they met
    std::size_t channel = 0;
    CouplingStatistics statistics = {};
  };

  assembly::Meeting meeting(const Live& coupling) const;
  bool meets(Live& coupling, double t) const;
  bool is_free(const CouplingEnd& end) const;
  std::size_t open_due(double t);
  Vec6 load_of(const Live& coupling, double t) const;
  void close(std::span<const std::size_t> closing, double t);
  void collide(const Group& group, std::span<const std::size_t> closed, double t);
  void regroup();
  std::unique_ptr<MovingGroup> make_moving(const Group& group);

  const Scenario* scenario_;
  std::vector<VehicleLoop*> vehicles_;
  log::Sink* sink_;
  std::vector<Event>* events_;
  std::vector<Live> couplings_;
  std::vector<Group> groups_;
};

}  // namespace fathom::loop::internal
