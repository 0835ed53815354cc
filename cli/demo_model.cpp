#include "cli/demo_model.hpp"

#include <cmath>

#include "fathom/identify/identified_robot.hpp"
#include "fathom/model/robot_parameters.hpp"

#include "cli/robots.hpp"

namespace fathom::cli {

excite::Problem excitation_problem(const PoolDay& day, int starts, double duration) {
  excite::Problem problem = excite::read_problem(find_problem_file("tank-defender"), robot_folders(), duration);
  problem.robot = day.nominal;  // of the same size, from which the clearance follows
  problem.starts = starts;
  return problem;
}

identify::Recording record(const PoolDay& day, const Swim& swim, const std::string& name) {
  return identify::make_recording(swim.log, name, day.nominal, day.excitation.environment);
}

DayModel identify_day(const PoolDay& day, const std::vector<identify::Recording>& recordings,
                      std::vector<model::Structure> candidates, bool compare) {
  const model::Environment& environment = day.excitation.environment;
  identify::IdentifyOptions options;
  options.candidates = std::move(candidates);
  options.compare = compare;
  options.fit.attitude_sigma = identify::attitude_sigma(day.nominal);
  identify::Identified identified = identify::identify(recordings, day.nominal, environment, options);
  const identify::Nuisance& nuisance = identified.fit.nuisance;
  model::Robot robot = identify::identified_robot(
      day.nominal, environment, identified.structure, identified.parameters, "pool day",
      model::IdentifiedParameters::Delay{nuisance.supposition.delay, nuisance.delay_sigma});
  return {std::move(identified), std::move(robot)};
}

std::vector<Estimated> beside_truth(const identify::Identified& identified, const model::Robot& plant,
                                    const model::Environment& environment) {
  const model::ParameterVector truth =
      model::parameters_of(plant, environment, identified.structure).parameters;
  std::vector<Estimated> list;
  for (std::size_t k = 0; k < truth.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    list.push_back({truth[k].name, truth[k].unit, truth[k].value, identified.parameters[k].value,
                    identified.parameters.sigma(k), std::sqrt(identified.fit.naive_covariance(i, i))});
  }
  return list;
}

identify::Validation validate_day(const PoolDay& day, const DayModel& model,
                                  const std::vector<identify::Recording>& recordings,
                                  const std::optional<identify::BandOptions>& band, Crew& crew) {
  identify::ValidationOptions options;
  options.prediction.delay = model.identified.fit.nuisance.supposition.delay;
  options.delay_sigma = model.identified.fit.nuisance.delay_sigma;
  options.band = band;
  if (!band) options.warp.reset();
  return identify::validate(model.robot, day.excitation.environment, model.identified.structure.dof, recordings,
                            options, crew);
}

identify::Validation part_of(const identify::Validation& validation, std::size_t first, std::size_t count) {
  identify::Validation part = validation;
  const auto begin = part.recordings.begin() + static_cast<std::ptrdiff_t>(first);
  part.recordings = {begin, begin + static_cast<std::ptrdiff_t>(count)};
  return part;
}

}  // namespace fathom::cli
