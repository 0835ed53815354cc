#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "fathom/assembly/cluster.hpp"
#include "fathom/assembly/mating.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::assembly {

/// A robot in an assembly.
struct Module {
  std::string name;
  model::Robot robot;
  std::string robot_file;                    ///< as it was found; empty where there is none
  std::vector<model::Connector> connectors;  ///< its robot's, and those that the assembly gives it
  std::optional<Pose> pose = {};             ///< in the assembly's frame, where the file says
};

/// One end of a coupling: a connector of a module.
struct End {
  std::size_t module = 0, connector = 0;
};

struct Coupling {
  std::string name;
  std::array<End, 2> ends;
  double turn = 0;  ///< rad, about the x axis of the first connector (mating.hpp)
};

/// How well poses must close.
struct Tolerance {
  double distance = 1e-3;  ///< m
  double angle = 1e-2;     ///< rad
};

/// An assembly before it is checked: plain data to fill.
struct AssemblySpec {
  std::string name, title, notes;
  std::vector<Module> modules;
  std::vector<Coupling> couplings;
  Tolerance tolerance;
  bool one_cluster = false;  ///< the file says that all modules hang together
};

/// A checked assembly: where each module sits follows from the couplings.
class Assembly {
 public:
  /// Throws InputError that lists everything wrong with `spec`; what does not close is told with the coupling's
  /// name and the gap in mm and degrees.
  static Assembly make(AssemblySpec spec);

  const AssemblySpec& spec() const { return spec_; }
  const std::string& name() const { return spec_.name; }
  const std::vector<Module>& modules() const { return spec_.modules; }
  const std::vector<Coupling>& couplings() const { return spec_.couplings; }
  /// Of each module in the assembly's frame: that of the first module, unless the file places it elsewhere.
  /// Clusters without a placed module have their own first module's frame as the assembly's.
  const std::vector<Pose>& poses() const { return poses_; }
  /// Modules that hang together, by index, in the order of the file.
  const std::vector<std::vector<std::size_t>>& clusters() const { return clusters_; }
  std::size_t cluster_of(std::size_t module) const { return cluster_of_[module]; }
  /// The couplings of a cluster, by index.
  std::vector<std::size_t> couplings_of(std::size_t cluster) const;

  /// The constrained dynamics of a cluster: its bodies in the order of clusters()[cluster], its links in that
  /// of couplings_of(cluster).
  Cluster cluster(std::size_t cluster, const model::Environment& environment = model::Environment(),
                  model::Dof dof = model::Dof::six) const;

 private:
  explicit Assembly(AssemblySpec spec) : spec_(std::move(spec)) {}
  AssemblySpec spec_;
  std::vector<Pose> poses_;
  std::vector<std::vector<std::size_t>> clusters_;
  std::vector<std::size_t> cluster_of_;
};

}  // namespace fathom::assembly
