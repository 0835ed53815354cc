#include "fathom/simulate/coupled_plants.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"

namespace fathom::simulate {

CoupledPlants::CoupledPlants(std::vector<const Plant*> plants, assembly::Cluster cluster)
    : plants_(std::move(plants)), cluster_(std::move(cluster)), begin_{0}, workspace_(cluster_.workspace()) {
  if (plants_.size() != cluster_.size())
    refuse("plants", fmt::format("has {} entries, the cluster {} bodies", plants_.size(), cluster_.size()));
  for (const Plant* plant : plants_) {
    begin_.push_back(begin_.back() + plant->size());
    own_x_.emplace_back(plant->size());
    own_dx_.emplace_back(plant->size());
  }
  alone_.resize(plants_.size());
  together_.resize(plants_.size());
  states_.resize(plants_.size());
  rates_.resize(size());
}

void CoupledPlants::free_rates(double t, const Eigen::VectorXd& x, Eigen::VectorXd& dx) const {
  for (std::size_t k = 0; k < plants_.size(); ++k) {
    own_x_[k] = x.segment(begin_[k], size(k));
    plants_[k]->derivative(t, own_x_[k], own_dx_[k]);
    dx.segment(begin_[k], size(k)) = own_dx_[k];
    alone_[k] = Plant::acceleration(own_dx_[k]);
  }
}

void CoupledPlants::derivative(double t, const Eigen::VectorXd& x, Eigen::VectorXd& dx) const {
  free_rates(t, x, dx);
  cluster_.make_rigid(alone_);
  for (std::size_t k = 0; k < plants_.size(); ++k)
    dx.segment<6>(begin_[k] + Plant::at_acceleration) = alone_[k];
}

void CoupledPlants::project(Eigen::VectorXd& x) const {
  for (std::size_t k = 0; k < plants_.size(); ++k) {
    own_x_[k] = x.segment(begin_[k], size(k));
    plants_[k]->project(own_x_[k]);
    states_[k] = plants_[k]->vehicle_state(own_x_[k]);
  }
  const assembly::Misfit found = cluster_.project(states_);
  drift_.distance = std::max(drift_.distance, found.distance);
  drift_.angle = std::max(drift_.angle, found.angle);
  for (std::size_t k = 0; k < plants_.size(); ++k) {
    Plant::put_vehicle_state(states_[k], own_x_[k]);
    x.segment(begin_[k], size(k)) = own_x_[k];
  }
}

void CoupledPlants::loads(double t, const Eigen::VectorXd& x, std::span<Vec6> out) const {
  free_rates(t, x, rates_);
  together_ = alone_;
  cluster_.make_rigid(together_);
  cluster_.loads(alone_, together_, workspace_, out);
}

double CoupledPlants::stable_step(const Eigen::VectorXd& x, double ahead) const {
  double step = infinity;
  for (std::size_t k = 0; k < plants_.size(); ++k) {
    own_x_[k] = x.segment(begin_[k], size(k));
    step = std::min(step, plants_[k]->stable_step(own_x_[k], ahead));
  }
  return step;
}

}  // namespace fathom::simulate
