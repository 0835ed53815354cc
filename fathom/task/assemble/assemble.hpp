#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "fathom/assembly/assembly.hpp"
#include "fathom/assembly/cluster_survey.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/model/vehicle_with_arms.hpp"
#include "fathom/task/context.hpp"
#include "fathom/task/result.hpp"

namespace fathom::task {

/// Options of assemble() and assemble_arms(); keys are the flags of `fathom assemble`.
struct AssembleOptions {
  std::string assembly = {};              ///< name or path of an assembly, or path of a vehicle with arms
  std::string origin = "centre_of_mass";  ///< of the merged robot, or first_module
  double density = model::fresh_water;    ///< kg/m^3
  std::vector<std::string> push = {};  ///< "MODULE: X=10, N=2", N and N m in the module's axes; all act at once
  std::string pose = {};               ///< "roll=90, pitch=10", deg: another attitude to tell the loads in
  std::vector<std::string> fail = {};  ///< MODULE-THRUSTER of each thruster that gives no force
};

/// The numbers of docked robots, as summary.json has them.
struct AssembleSummary {
  struct Placement {
    Vec3 position, attitude_deg;
  };
  struct Module {
    std::string name, robot, file;
    Vec3 position, attitude_deg;
    double mass = 0;
    std::size_t thrusters = 0;
    std::string merged_into;
  };
  struct Coupling {
    std::string name;
    std::array<std::string, 2> between;  ///< MODULE.CONNECTOR
    double turn_deg = 0;
    bool in_loop = false;
  };
  struct Merged {
    double mass = 0, net_weight = 0;
    Vec3 centre_of_mass, centre_of_buoyancy;
    Mat6 M;
    std::vector<Placement> module_poses;
    std::vector<std::string> thrusters;
    Mat6X allocation;
    std::vector<std::string> losses;
  };
  struct AtRest {
    double roll_deg = 0, pitch_deg = 0, righting_moment = 0;
    bool any_attitude = false;
  };
  struct Reach {
    int rank = 0;
    std::vector<std::string> unreachable;
    std::optional<ByName<std::array<double, 2>>> alone;
  };
  struct Case {
    std::string name, what;
    bool weight_and_buoyancy = false;
    Vec6 acceleration;
    ByName<Vec6> loads;  ///< by coupling
  };
  struct Cluster {
    std::string name;
    std::vector<std::string> modules;
    std::size_t loops = 0;
    Merged merged;
    AtRest at_rest;
    Reach reach;
    IfAny<std::vector<std::string>> failed;
    IfAny<Reach> reach_after;
    std::vector<Case> cases;
  };

  std::string command, assembly, file;
  double density = 0;
  std::vector<Module> modules;
  std::vector<Coupling> couplings;
  std::vector<Cluster> clusters;
  std::vector<std::string> files;
};

/// The numbers of a vehicle with its arms held, as summary.json has them.
struct HeldArmsSummary {
  struct Joint {
    double held_at = 0, effort = 0;  ///< rad, m; N m, N
  };
  struct Arm {
    std::string name, arm;
    ByName<Joint> joints;
  };

  std::string command, name, vehicle;
  std::vector<Arm> arms;
  Vec6 wrench_for_arms;  ///< that the vehicle needs for its arms, level and still
  double mass = 0, volume = 0;
  std::vector<std::string> losses, files = {};
};

/// The robots that docked robots, or a vehicle with its arms held, are taken as.
template <class Summary, class Source>
struct AssembleResult : ResultOf<AssembleResult<Summary, Source>, Summary> {
  std::vector<model::Robot> robots = {};           ///< one for each cluster
  std::vector<std::filesystem::path> inputs = {};  ///< files that were read
  /// What the numbers come from, for pictures; nothing in a result that was loaded.
  std::optional<Source> evidence = {};

  static constexpr bool has_page = true;

  report::Document report() const;
  /// Returns the robots.
  std::vector<ResultFile> files() const;
  static AssembleResult load(const std::filesystem::path& folder);
};
struct DockedRobots {
  assembly::Assembly assembly;
  std::vector<assembly::ClusterSurvey> clusters;
};
struct ArmedVehicle {
  model::VehicleWithArms robot;
  model::Environment environment;
};
using DockedResult = AssembleResult<AssembleSummary, DockedRobots>;
using HeldArmsResult = AssembleResult<HeldArmsSummary, ArmedVehicle>;
template <>
report::Document DockedResult::report() const;
template <>
report::Document HeldArmsResult::report() const;

/// Merges docked robots into one for each cluster, and finds how they lie in the water, what their thrusters
/// can do and what their couplings carry (docs/assemblies.md). Throws InputError.
DockedResult assemble(const AssembleOptions& options, const Context& context = {});
/// The same of an assembly that is in memory; `options.assembly` is the file that it is from, if any.
DockedResult assemble(const assembly::Assembly& assembly, const AssembleOptions& options,
                      const Context& context = {});
/// Takes a vehicle with its arms held as one robot, and finds what holding them takes. Throws InputError, also
/// for options that only docked robots have.
HeldArmsResult assemble_arms(const AssembleOptions& options, const Context& context = {});

}  // namespace fathom::task
