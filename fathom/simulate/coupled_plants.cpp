#include "fathom/simulate/coupled_plants.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"

namespace fathom::simulate {

CoupledPlants::CoupledPlants(std::vector<const Plant*> plants, assembly::Cluster cluster)
    : plants_(std::move(plants)), cluster_(std::move(cluster)), begin_{0}, workspace_(cluster_.workspace()) {
  if (plants_.size() != cluster_.size())
    reject("plants", fmt::format("has {} entries, the cluster {} bodies", plants_.size(), cluster_.size()));
  for (const Plant* plant : plants_) {
    begin_.push_back(begin_.back() + plant->size());
    const Eigen::Index n = plant->size();
    const auto alike =
        std::find_if(own_.begin(), own_.end(), [n](const Own& own) { return own.x.size() == n; });
    own_of_.push_back(static_cast<std::size_t>(alike - own_.begin()));
    if (alike == own_.end()) own_.push_back({Eigen::VectorXd(n), Eigen::VectorXd(n)});
  }
  alone_.resize(plants_.size());
  together_.resize(plants_.size());
  states_.resize(plants_.size());
  rates_.resize(size());
}

void CoupledPlants::free_rates(double t, const Eigen::VectorXd& x, Eigen::VectorXd& dx) const {
  for (std::size_t k = 0; k < plants_.size(); ++k) {
    Own& plant = own(k);
    plant.x = x.segment(begin_[k], size(k));
    plants_[k]->derivative(t, plant.x, plant.dx);
    dx.segment(begin_[k], size(k)) = plant.dx;
    alone_[k] = Plant::acceleration(plant.dx);
  }
}

void CoupledPlants::derivative(double t, const Eigen::VectorXd& x, Eigen::VectorXd& dx) const {
  free_rates(t, x, dx);
  cluster_.make_rigid(alone_);
  for (std::size_t k = 0; k < plants_.size(); ++k) dx.segment<6>(begin_[k] + Plant::at_nu) = alone_[k];
}

void CoupledPlants::project(Eigen::VectorXd& x) const {
  for (std::size_t k = 0; k < plants_.size(); ++k) {
    Eigen::VectorXd& own_x = own(k).x;
    own_x = x.segment(begin_[k], size(k));
    plants_[k]->project(own_x);
    x.segment(begin_[k], size(k)) = own_x;
    states_[k] = plants_[k]->vehicle_state(own_x);
  }
  const assembly::Misfit found = cluster_.project(states_);
  drift_.distance = std::max(drift_.distance, found.distance);
  drift_.angle = std::max(drift_.angle, found.angle);
  for (std::size_t k = 0; k < plants_.size(); ++k) {
    Eigen::VectorXd& own_x = own(k).x;
    own_x = x.segment(begin_[k], size(k));
    Plant::put_vehicle_state(states_[k], own_x);
    x.segment(begin_[k], size(k)) = own_x;
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
    Eigen::VectorXd& own_x = own(k).x;
    own_x = x.segment(begin_[k], size(k));
    step = std::min(step, plants_[k]->stable_step(own_x, ahead));
  }
  return step;
}

}  // namespace fathom::simulate
