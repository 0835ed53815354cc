// fathom_thruster_echo: reads problems of thruster fits as JSON from the standard input, solves each and prints
// the results as JSON. tests/oracle/check_thruster.py compares them with SciPy's.
#include <iostream>

#include <nlohmann/json.hpp>

#include "fathom/identify/thruster/shaft_speed.hpp"
#include "fathom/identify/thruster/static_thrust.hpp"
#include "fathom/identify/thruster/voltage_table.hpp"
#include "fathom/solve/non_negative.hpp"

namespace {

using nlohmann::json;
using namespace fathom;

Eigen::VectorXd vector_of(const json& numbers) {
  const auto values = numbers.get<std::vector<double>>();
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

json non_negative(const json& in) {
  const Eigen::VectorXd y = vector_of(in["y"]);
  Eigen::MatrixXd A(y.size(), static_cast<Eigen::Index>(in["A"][0].size()));
  for (Eigen::Index i = 0; i < A.rows(); ++i) A.row(i) = vector_of(in["A"][i]).transpose();
  return {{"x", Eigen::VectorXd(solve::non_negative(A.transpose() * A, A.transpose() * y))}};
}

json side(const json& in) {
  const Eigen::VectorXd u = vector_of(in["u"]);
  const identify::SideLaw law = identify::fit_side(u, vector_of(in["forces"]), in["degree"]);
  json forces = json::array();
  for (const double x : u) forces.push_back(law.force(x));
  return {{"edge", law.edge}, {"c", law.c}, {"forces", forces}};
}

json shaft(const json& in) {
  const auto fit = identify::fit_shaft_speed(vector_of(in["x"]), vector_of(in["speeds"]), in["reference"]);
  return {{"values", {fit.a, fit.shaft.exponent, fit.shaft.c}},
          {"sigmas", {fit.a_sigma, fit.exponent_sigma, fit.c_sigma}},
          {"r2", fit.r2}};
}

}  // namespace

int main() {
  json results = json::array();
  for (const json& in : json::parse(std::cin)) {
    const std::string kind = in["kind"];
    if (kind == "non_negative") results.push_back(non_negative(in));
    if (kind == "side") results.push_back(side(in));
    if (kind == "shaft") results.push_back(shaft(in));
    if (kind == "pooled") results.push_back({{"values", identify::pooled(in["values"])}});
  }
  std::cout << results << "\n";
}
