#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/model/dof.hpp"
#include "fathom/model/geometric_prior.hpp"
#include "fathom/model/robot_file.hpp"

#include "cli/finish.hpp"
#include "cli/output.hpp"
#include "cli/terminal/number_text.hpp"
#include "cli/terminal/table.hpp"
#include "cli/verb.hpp"

namespace fathom::cli {
namespace {

namespace fs = std::filesystem;

struct PriorArguments {
  std::string file;
  double density = model::fresh_water;
};

std::string with_sigma(double value, double sigma) {
  return fmt::format("{} +- {}", significant(value, 3), significant(sigma, 2));
}

/// The six rows of what water does to the hull, in the axes of the shape for damping.
std::string prior_text(const model::Robot& robot) {
  const model::Hull& hull = robot.hull();
  const model::DragElement& drag = robot.damping().front();
  Table table({"", "added mass [kg, kg m^2]", "linear [N s/m, N m s]", "quadratic [N s^2/m^2, N m s^2]"});
  for (int i = 0; i < 6; ++i) {
    const auto j = static_cast<std::size_t>(i);
    table.row({std::string(model::dof_name(i)),
               with_sigma(hull.added_mass.value(i, i), (*hull.added_mass.sigma)(i, i)),
               with_sigma(drag.linear.value(i, i), (*drag.linear.sigma)(i, i)),
               with_sigma(drag.quadratic.value.by_speed[j](i, i), drag.quadratic.sigma->by_speed[j](i, i))});
  }
  return table.text() +
         fmt::format("dry inertia {} kg m^2, volume {} m^3, righting arm {} m\n",
                     fmt::format("{:.3g}", fmt::join(hull.inertia.value.diagonal(), " ")),
                     significant(hull.volume.value),
                     significant(hull.centre_of_mass.value.z() - hull.centre_of_buoyancy.value.z(), 3));
}

nlohmann::ordered_json prior_summary(const model::Robot& robot, const PriorArguments& arguments,
                                     const Findings& warnings) {
  const model::Hull& hull = robot.hull();
  const model::DragElement& drag = robot.damping().front();
  nlohmann::ordered_json rows = nlohmann::ordered_json::array(), warnings = nlohmann::ordered_json::array();
  for (int i = 0; i < 6; ++i) {
    const auto j = static_cast<std::size_t>(i);
    rows.push_back(
        {{"dof", model::dof_name(i)},
         {"added_mass", {hull.added_mass.value(i, i), (*hull.added_mass.sigma)(i, i)}},
         {"linear", {drag.linear.value(i, i), (*drag.linear.sigma)(i, i)}},
         {"quadratic", {drag.quadratic.value.by_speed[j](i, i), drag.quadratic.sigma->by_speed[j](i, i)}}});
  }
  for (const Finding& doubt : warnings) warnings.push_back(doubt.text());
  return {{"command", "prior " + shell_word(arguments.file)},
          {"robot", robot.name()},
          {"density", arguments.density},
          {"value_and_sigma", rows},
          {"warnings", warnings}};
}

void write_one_robot(const Verb& verb, const model::Robot& robot, nlohmann::ordered_json summary,
                     const std::string& source) {
  const fs::path file = verb.common().out;
  check_not_read(file, {source});
  model::write_robot(robot, file);
  summary["files"] = {file.string()};
  verb.print(summary, prior_text(robot) + fmt::format("written: {}\n", file.string()));
}

int prior(const Verb& verb, const PriorArguments& arguments) {
  const model::HullDescription description = model::read_hull_file(arguments.file);
  const model::Environment environment(arguments.density);
  const model::Robot robot = model::geometric_prior(description, environment);
  Findings warnings = model::warnings_about(description, environment);
  for (Finding& doubt : warnings) {
    doubt.file = arguments.file;
    warn(fmt::format("fathom: {}: {}", to_string(doubt.severity), doubt.text()));
  }
  nlohmann::ordered_json summary = prior_summary(robot, arguments, warnings);
  if (verb.common().out.extension() == ".yaml") {
    write_one_robot(verb, robot, std::move(summary), arguments.file);
    return Status::done;
  }
  const std::string name = robot.name() + ".yaml";
  OutputFolder out(verb.out_folder(robot.name()), {verb.name(), {arguments.file}, {name, "summary.json"}});
  out.write(name, model::robot_to_yaml(robot));
  finish(verb, std::move(summary), {name, "summary.json"}, prior_text(robot), out);
  return Status::done;
}

}  // namespace

void add_prior(CLI::App& program) {
  auto verb = std::make_shared<Verb>(
      program, "prior", "Makes a robot file with wide sigmas from the shape of a hull that was never in water",
      "printf 'format: fathom-hull-1\\nname: new\\nkind: open_frame\\nmass: 12\\nshape: {box: [.5, .4, "
      ".3]}\\n' > "
      "hull.yaml\n"
      "  fathom prior hull.yaml --out new.yaml",
      Takes{.out = true, .out_folder = "out/prior-NAME"});
  auto arguments = std::make_shared<PriorArguments>();
  verb->app()
      .add_option("hull", arguments->file, "Hull file (docs/prior.md): mass, shape, kind, thrusters, sensors")
      ->required()
      ->option_text("FILE REQUIRED");
  add_density(verb->app(), arguments->density);
  verb->app().footer("--out NAME.yaml writes the robot file alone.\n\n" + verb->app().get_footer());
  verb->runs([verb, arguments] { return prior(*verb, *arguments); });
}

}  // namespace fathom::cli
