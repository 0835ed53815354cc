#pragma once
#include <span>
#include <vector>

#include "fathom/assembly/cluster.hpp"
#include "fathom/simulate/ode.hpp"
#include "fathom/simulate/plant.hpp"

namespace fathom::simulate {

/// Plants that couplings hold together, as one differential equation: their state vectors one behind the other.
/// Each plant gives the acceleration that it would have alone, with its own thrusters, tether, walls and water;
/// the cluster makes them rigid (docs/assemblies.md eq. 5). project() takes drift away after each step. Not for
/// two threads at once.
class CoupledPlants : public Ode {
 public:
  /// The plants, in the order of the cluster's bodies, must outlive it. Throws InputError unless there is one
  /// for each body.
  CoupledPlants(std::vector<const Plant*> plants, assembly::Cluster cluster);

  Eigen::Index size() const override { return begin_.back(); }
  void derivative(double t, const Eigen::VectorXd& x, Eigen::VectorXd& dx) const override;
  void project(Eigen::VectorXd& x) const override;

  std::size_t count() const { return plants_.size(); }
  const Plant& plant(std::size_t k) const { return *plants_[k]; }
  const assembly::Cluster& cluster() const { return cluster_; }
  /// Where the state of plant k begins in x, and how long it is.
  Eigen::Index begin(std::size_t k) const { return begin_[k]; }
  Eigen::Index size(std::size_t k) const { return begin_[k + 1] - begin_[k]; }

  /// What each coupling carries at x: cluster().links() in their order, assembly::Cluster::loads.
  void loads(double t, const Eigen::VectorXd& x, std::span<Vec6> out) const;

  /// As Plant::stable_step, of the stiffest.
  double stable_step(const Eigen::VectorXd& x, double ahead) const;

  /// The largest misfit that project() has found.
  const assembly::Misfit& largest_drift() const { return drift_; }

 private:
  /// Rates of all plants alone, in dx; their accelerations in alone_.
  void free_rates(double t, const Eigen::VectorXd& x, Eigen::VectorXd& dx) const;

  std::vector<const Plant*> plants_;
  assembly::Cluster cluster_;
  std::vector<Eigen::Index> begin_;  // one more than plants
  // Scratch, so that a step does not allocate.
  struct Own {
    Eigen::VectorXd x, dx;
  };
  Own& own(std::size_t k) const { return own_[own_of_[k]]; }
  mutable std::vector<Own> own_;     // one for all plants of a size: it stays in the nearest cache
  std::vector<std::size_t> own_of_;  // by plant
  mutable std::vector<Vec6> alone_, together_;
  mutable std::vector<dynamics::State> states_;
  mutable Eigen::VectorXd rates_;
  mutable assembly::Cluster::Workspace workspace_;
  mutable assembly::Misfit drift_;
};

}  // namespace fathom::simulate
