#include "fathom/task/prior.hpp"

#include <fmt/format.h>

#include "fathom/model/dof.hpp"
#include "fathom/model/geometric_prior.hpp"
#include "fathom/model_file/hull_file.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/task/internal/json.hpp"
#include "fathom/task/internal/option_table.hpp"

namespace fathom {

template <>
const fields::Keys& fields::Table<task::PriorOptions>::fields() {
  using task::PriorOptions;
  static const Keys keys{
      field<&PriorOptions::hull>("hull").positional().required().metavar("FILE").doc(
          "Hull file (docs/prior.md): mass, shape, kind, thrusters, sensors."),
      task::internal::water_density(field<&PriorOptions::density>("density")).doc("Water density.")};
  return keys;
}

}  // namespace fathom

namespace fathom::task {

FATHOM_JSON(PriorSummary::Row, dof, added_mass, linear, quadratic)
FATHOM_SUMMARY(PriorSummary, command, robot, density, value_and_sigma, warnings, files)

report::Document PriorResult::report() const {
  const char* form = "{:.3g} +- {:.2g}";
  report::Table table{.title = "Added mass and damping",
                      .columns = {"",
                                  {"added mass [kg, kg m^2]", form},
                                  {"linear [N s/m, N m s]", form},
                                  {"quadratic [N s^2/m^2, N m s^2]", form}}};
  const auto cell = [](const std::array<double, 2>& v) { return report::Cell{v[0], v[1]}; };
  for (const PriorSummary::Row& row : summary.value_and_sigma)
    table.rows.push_back({row.dof, cell(row.added_mass), cell(row.linear), cell(row.quadratic)});
  const model::Hull& hull = robot.hull();
  table.note = fmt::format("dry inertia {:.3g} kg m^2, volume {:.4g} m^3, righting arm {:.3g} m",
                           fmt::join(hull.inertia.value.diagonal(), " "), hull.volume.value,
                           hull.centre_of_mass.value.z() - hull.centre_of_buoyancy.value.z());
  report::Document document{.title = robot.name()};
  document.add(std::move(table));
  return document;
}

std::vector<ResultFile> PriorResult::files() const {
  return {{robot.name() + ".yaml", model::robot_to_yaml(robot)}};
}
PriorResult PriorResult::load(const std::filesystem::path& folder) {
  PriorSummary summary = load_summary(folder);
  return {{summary}, model::read_robot(folder / (summary.robot + ".yaml"))};
}

PriorResult prior(const PriorOptions& options, const Context& context) {
  fields::check_values(options);
  const model::HullDescription description = model::read_hull_file(options.hull);
  const model::Environment environment(options.density);
  const model::Robot robot = model::geometric_prior(description, environment);
  PriorSummary summary{internal::command_of("prior", options), robot.name(), options.density};
  const model::Hull& hull = robot.hull();
  const model::DragElement& drag = robot.damping().front();
  for (int i = 0; i < 6; ++i) {
    const auto j = static_cast<std::size_t>(i);
    summary.value_and_sigma.push_back(
        {std::string(model::dof_name(i)),
         {hull.added_mass.value(i, i), (*hull.added_mass.sigma)(i, i)},
         {drag.linear.value(i, i), (*drag.linear.sigma)(i, i)},
         {drag.quadratic.value.by_speed[j](i, i), drag.quadratic.sigma->by_speed[j](i, i)}});
  }
  for (Finding finding : model::warnings_about(description, environment)) {
    finding.file = options.hull;
    if (context.warn) context.warn(finding);
    summary.warnings.push_back(finding.text());
  }
  return {{std::move(summary)}, robot};
}

}  // namespace fathom::task
