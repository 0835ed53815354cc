// fathom_allocation_echo: reads thruster layouts and demands as JSON from the standard input, shares each
// demand out and prints the results as JSON. tests/oracle/check_allocation.py compares them with HiGHS and
// Clarabel.
#include <iostream>

#include <nlohmann/json.hpp>

#include "fathom/dynamics/allocation.hpp"

int main() {
  using nlohmann::json;
  using namespace fathom;
  json results = json::array();
  for (const json& in : json::parse(std::cin)) {
    std::vector<model::ForceRange> limits;
    for (const json& limit : in["limits"]) limits.push_back({limit[0], limit[1]});
    Mat6X B(6, static_cast<Eigen::Index>(limits.size()));
    for (int i = 0; i < 6; ++i)
      for (Eigen::Index j = 0; j < B.cols(); ++j) B(i, j) = in["B"][i][j];
    dynamics::AllocatorOptions options;
    options.weights = in["weights"].get<std::vector<double>>();
    options.groups = in["groups"].get<std::vector<std::vector<int>>>();
    const dynamics::Allocator allocator(B, limits, options);
    dynamics::Allocator::Workspace workspace = allocator.workspace();
    for (const json& demand : in["demands"]) {
      const auto tau = demand.get<std::array<double, 6>>();
      const dynamics::Allocation& given = allocator.allocate(Vec6(tau.data()), workspace);
      results.push_back({{"forces", given.forces}, {"scales", given.scales}, {"saturated", given.saturated}});
    }
  }
  std::cout << results << "\n";
}
