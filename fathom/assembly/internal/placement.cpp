#include "fathom/assembly/internal/placement.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/fields/yaml_values.hpp"

namespace fathom::assembly::internal {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

/// What a walk over the couplings of a specification finds.
class Walk {
 public:
  explicit Walk(const AssemblySpec& spec)
      : spec_(spec),
        tree_at_(spec.modules.size()),
        by_(spec.modules.size(), none),
        depth_(spec.modules.size()) {
    result_.poses.resize(spec.modules.size());
    result_.cluster_of.assign(spec.modules.size(), none);
  }

  Placement run() {
    const std::vector<std::size_t> chords = grow_tree();
    for (std::size_t module = 0; module < spec_.modules.size(); ++module)
      if (result_.cluster_of[module] == none) collect_cluster(module);
    is_contradicted_.resize(result_.clusters.size());
    for (const std::vector<std::size_t>& cluster : result_.clusters) place_cluster(cluster);
    for (const std::size_t k : chords)
      if (result_.findings.size() < most_findings && !is_contradicted_[cluster_with(k)]) close_loop(k);
    return std::move(result_);
  }

 private:
  /// Couplings in the order of the file: one that joins what is joined already closes a loop, so that of the
  /// couplings of a loop the last is the one that is told. By sets with a common representative.
  std::vector<std::size_t> grow_tree() {
    std::vector<std::size_t> chords, above(spec_.modules.size());
    std::iota(above.begin(), above.end(), std::size_t{0});
    const auto representative = [&](std::size_t module) {
      while (above[module] != module) module = above[module] = above[above[module]];
      return module;
    };
    for (std::size_t k = 0; k < spec_.couplings.size(); ++k) {
      const auto& [a, b] = spec_.couplings[k].ends;
      const std::size_t set_a = representative(a.module), set_b = representative(b.module);
      if (set_a == set_b) {
        chords.push_back(k);
        continue;
      }
      above[set_b] = set_a;
      tree_at_[a.module].push_back(k);
      tree_at_[b.module].push_back(k);
    }
    return chords;
  }
  std::size_t other_end(std::size_t coupling, std::size_t module) const {
    const auto& ends = spec_.couplings[coupling].ends;
    return ends[0].module == module ? ends[1].module : ends[0].module;
  }
  std::size_t cluster_with(std::size_t coupling) const {
    return result_.cluster_of[spec_.couplings[coupling].ends[0].module];
  }
  Pose mated(const Coupling& coupling) const {
    return mated_pose(connector_at(spec_, coupling.ends[0]).pose(),
                      connector_at(spec_, coupling.ends[1]).pose(), coupling.turn);
  }
  bool closes(const Misfit& gap) const {
    return gap.distance <= spec_.tolerance.distance && gap.angle <= spec_.tolerance.angle;
  }
  std::string tolerance_text() const {
    return "at most " + gap_text({spec_.tolerance.distance, spec_.tolerance.angle});
  }

  void collect_cluster(std::size_t first) {
    const std::size_t number = result_.clusters.size();
    std::vector<std::size_t> members = {first};
    result_.cluster_of[first] = number;
    for (std::size_t k = 0; k < members.size(); ++k)
      for (const std::size_t coupling : tree_at_[members[k]])
        if (const std::size_t next = other_end(coupling, members[k]); result_.cluster_of[next] == none) {
          result_.cluster_of[next] = number;
          members.push_back(next);
        }
    std::sort(members.begin(), members.end());
    result_.clusters.push_back(std::move(members));
  }

  void place_cluster(const std::vector<std::size_t>& cluster) {
    const auto placed = std::find_if(cluster.begin(), cluster.end(),
                                     [&](std::size_t m) { return spec_.modules[m].pose.has_value(); });
    const bool has_first = cluster.front() == 0;  // whose frame is the assembly's, unless it is placed itself
    result_.is_placed.push_back(has_first || placed != cluster.end());
    const std::size_t root = has_first || placed == cluster.end() ? cluster.front() : *placed;
    result_.poses[root] = spec_.modules[root].pose.value_or(Pose());
    std::vector<std::size_t> reached = {root};
    for (std::size_t k = 0; k < reached.size(); ++k)
      for (const std::size_t coupling : tree_at_[reached[k]]) {
        const std::size_t next = other_end(coupling, reached[k]);
        if (next == root || by_[next] != none) continue;
        by_[next] = coupling;
        depth_[next] = depth_[reached[k]] + 1;
        place_next(reached[k], coupling, next);
        reached.push_back(next);
      }
  }

  void place_next(std::size_t from, std::size_t k, std::size_t next) {
    const Coupling& coupling = spec_.couplings[k];
    const bool is_forward = coupling.ends[0].module == from;
    const Pose step = is_forward ? mated(coupling) : mated(coupling).inverse();
    Pose& pose = result_.poses[next];
    pose = result_.poses[from] * step;
    const std::optional<Pose>& given = spec_.modules[next].pose;
    if (!given) return;
    const End &here = coupling.ends[is_forward ? 1 : 0], &there = coupling.ends[is_forward ? 0 : 1];
    const Misfit gap = misfit(*given, pose, connector_at(spec_, here).pose());
    if (closes(gap)) return;  // the couplings then hold exactly
    add_error(result_.findings, fmt::format("couplings[{}]", k),
              fmt::format("{} does not close: {}, as {} is placed, is {} from {}; {}", in_quotes(coupling.name),
                          end_name(spec_, here), spec_.modules[next].name, gap_text(gap),
                          end_name(spec_, there), tolerance_text()),
              fmt::format("leave out position and attitude of {}: they follow from the coupling",
                          spec_.modules[next].name));
    pose = *given;  // so that one slip is told once
    is_contradicted_[result_.cluster_of[next]] = true;
  }

  void close_loop(std::size_t k) {
    const Coupling& coupling = spec_.couplings[k];
    const std::size_t a = coupling.ends[0].module, b = coupling.ends[1].module;
    const Misfit gap = misfit(result_.poses[a].inverse() * result_.poses[b], mated(coupling),
                              connector_at(spec_, coupling.ends[1]).pose());
    if (closes(gap)) return;
    add_error(result_.findings, fmt::format("couplings[{}]", k),
              fmt::format("{} does not close the loop {}: {} is {} from {}; {}", in_quotes(coupling.name),
                          loop_text(a, b), end_name(spec_, coupling.ends[1]), gap_text(gap),
                          end_name(spec_, coupling.ends[0]), tolerance_text()),
              "look at the connectors and turn_deg of the loop, or leave one of its couplings out");
  }

  /// The modules from a to b along the tree, and a again.
  std::string loop_text(std::size_t a, std::size_t b) const {
    std::vector<std::size_t> from_a = {a}, from_b = {b};
    const auto climb = [&](std::vector<std::size_t>& path) {
      path.push_back(other_end(by_[path.back()], path.back()));
    };
    while (from_a.back() != from_b.back())
      climb(depth_[from_a.back()] >= depth_[from_b.back()] ? from_a : from_b);
    from_b.pop_back();
    from_a.insert(from_a.end(), from_b.rbegin(), from_b.rend());
    from_a.push_back(a);
    constexpr std::size_t most = 12;
    std::string text;
    for (std::size_t k = 0; k < from_a.size(); ++k) {
      if (from_a.size() > most && k == most / 2) {
        text += " - ...";
        k = from_a.size() - most / 2;
      }
      text += (k ? " - " : "") + spec_.modules[from_a[k]].name;
    }
    return text;
  }

  const AssemblySpec& spec_;
  std::vector<std::vector<std::size_t>> tree_at_;  // couplings of the tree, by module
  std::vector<std::size_t> by_;                    // the coupling by which a module was reached
  std::vector<std::size_t> depth_;
  std::vector<bool> is_contradicted_;  // by cluster: where a module is placed, it cannot be
  Placement result_;
};

}  // namespace

std::string end_name(const AssemblySpec& spec, const End& end) {
  return fmt::format("{}.{}", spec.modules[end.module].name, connector_at(spec, end).name);
}

std::string gap_text(const Misfit& gap) {
  const double mm = 1e3 * gap.distance;
  return fmt::format("{:.{}f} mm and {:.2f} degrees", mm, mm < 10 ? 2 : 1, gap.angle / degree);
}

Placement place(const AssemblySpec& spec) { return Walk(spec).run(); }

}  // namespace fathom::assembly::internal
