#include "fathom/task/models/models.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/search_path.hpp"
#include "fathom/base/text.hpp"
#include "fathom/dynamics/figures.hpp"
#include "fathom/model/dissipation.hpp"
#include "fathom/model/dof.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/task/internal/json.hpp"
#include "fathom/task/internal/option_table.hpp"

namespace fathom {

template <>
const fields::Keys& fields::Table<task::ModelOptions>::fields() {
  using task::ModelOptions;
  static const Keys keys{field<&ModelOptions::name>("name")
                             .positional()
                             .metavar("NAME|FILE")
                             .doc("Robot that ships, or path of a robot file."),
                         task::internal::water_density(field<&ModelOptions::density>("density"))
                             .doc("Water density; fresh 1000, sea 1025.")};
  return keys;
}

}  // namespace fathom

namespace fathom::task {
namespace {

using model::Robot;
using model::Value;
using Summary = ModelSummary;
using Numbers = Summary::Numbers;

Numbers numbers_of(double x) { return x; }
template <int rows, int columns>
Numbers numbers_of(const Eigen::Matrix<double, rows, columns>& m) {
  if constexpr (columns == 1)
    return Eigen::VectorXd(m);
  else
    return Eigen::MatrixXd(m);
}
Numbers numbers_of(const model::ForceRange& range) { return numbers_of(Eigen::Vector2d(range.min, range.max)); }
Numbers numbers_of(const model::QuadraticDrag& drag) {
  ByName<Eigen::MatrixXd> by_speed;
  for (std::size_t j = 0; j < 6; ++j) by_speed.emplace_back(model::velocity_names[j], drag.by_speed[j]);
  return by_speed;
}

/// Collects every value of a robot.
struct ValueList {
  std::vector<Summary::Value> values = {};

  template <class T>
  void add(const std::string& key, const Value<T>& value, const std::string& unit) {
    std::optional<Numbers> sigma;
    if (value.sigma) sigma = numbers_of(*value.sigma);
    values.push_back({key, numbers_of(value.value), unit, std::move(sigma), value.source, value.assumed});
  }
  void operator()(const model::Hull& hull) {
    add("hull.mass", hull.mass, "kg");
    add("hull.inertia", hull.inertia, "kg m^2");
    add("hull.centre_of_mass", hull.centre_of_mass, "m");
    add("hull.volume", hull.volume, "m^3");
    add("hull.centre_of_buoyancy", hull.centre_of_buoyancy, "m");
    add("hull.added_mass", hull.added_mass, "kg, kg m, kg m^2");
    if (hull.size) add("hull.size", *hull.size, "m");
  }
  void operator()(const model::DragElement& element) {
    const std::string name = fmt::format("damping {}.", element.name);
    if (!element.at_origin()) {
      add(name + "position", element.position_b, "m");
      add(name + "attitude", element.attitude_rpy, "rad");
    }
    add(name + "linear", element.linear, "N s/m, N m s/rad");
    add(name + "quadratic", element.quadratic, "N s^2/m^2, N m s^2/rad^2");
  }
  void operator()(const model::Connector& connector) {
    add(fmt::format("connector {}.position", connector.name), connector.position_b, "m");
    add(fmt::format("connector {}.attitude", connector.name), connector.attitude_rpy, "rad");
  }
  void operator()(const model::Sensor& sensor);
  void operator()(const model::Thruster& thruster, double density);
  void operator()(const model::IdentifiedParameters& identified) {
    const model::ParameterVector& p = identified.parameters;
    for (std::size_t k = 0; k < p.size(); ++k)
      add("identified " + p[k].name, Value<double>{p[k].value, identified.source, false, p.sigma(k)},
          p[k].unit);
  }
};

void ValueList::operator()(const model::Sensor& sensor) {
  const auto add_own = [&](const std::string& key, auto value, const std::string& unit) {
    if (value.source.empty() && !value.assumed) {  // then the sensor's source holds
      value.source = sensor.source;
      value.assumed = sensor.assumed;
    }
    add(fmt::format("{} {}.{}", model::name_of(sensor.kind), sensor.name, key), value, unit);
  };
  add_own("position", sensor.position_b, "m");
  if (!sensor.attitude_rpy.value.isZero(0)) add_own("attitude", sensor.attitude_rpy, "rad");
  if (sensor.rate_hz) add_own("rate", *sensor.rate_hz, "Hz");
  for (const model::ChannelTable& table : model::channel_tables)
    for (const model::NoiseChannel& channel : model::noise_channels(sensor.kind)) {
      const model::ByChannel& values_by_name = sensor.*table.values;
      if (const auto found = values_by_name.find(std::string(channel.name)); found != values_by_name.end())
        add_own(fmt::format("{} {}", table.key, channel.name), found->second,
                fmt::format("{}{}", channel.unit, table.per));
    }
  const auto plain = [&](const std::string& key, double value, const std::string& unit) {
    add_own(key, Value<double>{value, "", false, {}}, unit);
  };
  if (sensor.latency) add_own("latency", *sensor.latency, "s");
  if (sensor.drop_out) plain("drop-out", sensor.drop_out->probability, "");
  if (sensor.drop_out && sensor.drop_out->mean_length)
    plain("drop-out length", *sensor.drop_out->mean_length, "samples");
  if (sensor.beams) plain("beams tilt", sensor.beams->tilt_deg, "deg");
  if (sensor.altitude) {
    plain("altitude min", sensor.altitude->min, "m");
    plain("altitude max", sensor.altitude->max, "m");
  }
}

void ValueList::operator()(const model::Thruster& thruster, double density) {
  const std::string name = fmt::format("thruster {}.", thruster.name);
  add(name + "position", thruster.position_b, "m");
  add(name + "direction", thruster.direction_b, "");
  if (thruster.force) add(name + "force", *thruster.force, "N");
  if (const auto& map = thruster.map)
    add(name +
            fmt::format("map, {} {:g} to {:g}", name_of(map->command.unit), map->command.min, map->command.max),
        Value<model::ForceRange>{model::attained_force(*map, thruster.transient, density), map->source,
                                 map->assumed, std::nullopt},
        "N");
  if (!thruster.transient) return;
  const auto add_time = [&](const char* what, double time_constant) {
    add(name + what,
        Value<double>{time_constant, thruster.transient->source, thruster.transient->assumed, std::nullopt},
        "s");
  };
  if (const auto* lag = std::get_if<model::FirstOrder>(&thruster.transient->law))
    add_time("transient, first order", lag->time_constant);
  if (const auto& flow = thruster.transient->flow) add_time("transient, axial flow", flow->time_constant);
}

std::vector<Summary::Value> values_of(const Robot& robot, const model::Environment& environment) {
  ValueList list;
  list(robot.hull());
  for (const model::DragElement& element : robot.damping()) list(element);
  for (const model::Sensor& sensor : robot.sensors()) list(sensor);
  for (const model::Thruster& thruster : robot.thrusters()) list(thruster, environment.density());
  for (const model::Connector& connector : robot.connectors()) list(connector);
  if (robot.identified()) list(*robot.identified());
  return std::move(list.values);
}

std::string attainable_text(const std::array<model::ForceRange, 6>& ranges) {
  std::string text;
  for (std::size_t i = 0; i < 6; ++i)
    text += fmt::format("{}{} {:.3g} to {:.3g} {}", i ? ", " : "", "XYZKMN"[i], ranges[i].min + 0.0,
                        ranges[i].max + 0.0, i < 3 ? "N" : "N m");  // + 0.0: there is no -0 N
  return text;
}

std::vector<Summary::Check> checks_of(const Robot& robot, const model::Environment& environment) {
  const dynamics::Figures of = dynamics::figures_of(robot, environment);
  std::vector<Summary::Check> checks = {
      {"M positive definite", of.smallest_inertia > 0,
       fmt::format("smallest eigenvalue {:.4g}", of.smallest_inertia)},
      {"inertia triangle inequality", of.triangle_margin >= -1e-9 * of.largest_moment,
       fmt::format("margin {:.4g} kg m^2", of.triangle_margin)}};
  for (const model::DragElement& element : robot.damping()) {
    const model::Dissipation d = model::check_dissipation(element.linear.value, element.quadratic.value);
    checks.push_back({fmt::format("damping {} dissipates", element.name), !d.witness_nu,
                      d.certified ? "proved for every motion" : "no counter-example found, not proved"});
  }
  const double net = of.weight - of.buoyancy;
  checks.push_back({"upright is stable", of.righting_arm >= 0,
                    fmt::format("centre of buoyancy {:.4g} m above centre of mass", of.righting_arm)});
  checks.push_back({"net weight W - B", std::abs(net) < 0.05 * of.weight,
                    fmt::format("{:.2f} N of {:.1f} N at {:g} kg/m^3", net, of.weight, environment.density())});
  if (const std::size_t n = robot.thrusters().size(); n > 0)
    checks.push_back({"thruster allocation", true, fmt::format("{} thrusters, rank {} of 6", n, of.rank)});
  if (of.alone) checks.push_back({"attainable wrench, each axis alone", true, attainable_text(*of.alone)});
  return checks;
}

/// Names of what ships, but is no robot.
void reject_other_kinds(const std::string& name, const SearchPaths& paths) {
  const auto has = [&](const SearchPaths::Folders& folders) {
    const std::vector<std::string> names = list_names(folders);
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (has(paths.assemblies))
    reject("", fmt::format("{} is an assembly of robots", in_quotes(name)), "fathom assemble " + name);
  if (has(paths.arms))
    reject("", fmt::format("{} is an arm, not a robot", in_quotes(name)),
           fmt::format("fathom identify --what arm --arm {}; its file: {}", name, paths.arm(name).string()));
}

std::filesystem::path robot_file(const std::string& name, const SearchPaths& paths) {
  try {
    return paths.robot(name);
  } catch (const InputError&) {
    reject_other_kinds(name, paths);
    throw;
  }
}

}  // namespace

ModelResult show_model(const ModelOptions& options, const Context& context) {
  fields::check_values(options);
  const std::filesystem::path file = robot_file(options.name, context.paths);
  const Robot robot = model::read_robot(file);
  const model::Environment environment(options.density);
  return {{{robot.name(),
            robot.spec().title,
            file.string(),
            values_of(robot, environment),
            {model::rigid_body_inertia(robot.hull()), robot.hull().added_mass.value,
             model::allocation_matrix(robot)},
            checks_of(robot, environment)}},
          robot};
}

ModelListResult list_models(const Context& context) {
  ModelListResult result;
  for (const std::filesystem::path& file : list_files(context.paths.robots)) {
    ModelListSummary::Robot& row = result.summary.robots.emplace_back();
    row.name = file.stem().string();
    row.file = file.string();
    try {
      const Robot robot = model::read_robot(file);
      row.loads = true;
      row.title = robot.spec().title;
      row.mass = robot.hull().mass.value;
      row.thrusters = robot.thrusters().size();
    } catch (const InputError& error) {
      result.errors.emplace_back(error.what());
    }
  }
  if (!result.summary.robots.empty()) return result;
  std::vector<std::string> searched;
  for (const auto& folder : context.paths.robots) searched.push_back(folder.string());
  reject("", fmt::format("no robots in {}", join(searched, ", ")),
         "set FATHOM_MODELS to a folder of robot files");
}

FATHOM_JSON(Summary::Value, key, value, unit, sigma, source, assumed)
FATHOM_JSON(Summary::Matrices, M_rb, M_a, allocation)
FATHOM_JSON(Summary::Check, name, pass, value)
FATHOM_JSON(ModelListSummary::Robot, name, title, file, loads, mass, thrusters)

namespace internal {
template <>
struct Coder<Numbers> {
  static Json write(const Numbers& numbers) {
    return std::visit([](const auto& value) { return to_json(value); }, numbers);
  }
  static void read(const Json& json, Numbers& numbers) {
    if (json.is_object())
      numbers = ByName<Eigen::MatrixXd>();
    else if (json.is_array() && !json.empty() && json.front().is_array())
      numbers = Eigen::MatrixXd();
    else if (json.is_array())
      numbers = Eigen::VectorXd();
    else
      numbers = 0.0;
    std::visit([&](auto& value) { from_json(json, value); }, numbers);
  }
};
}  // namespace internal

FATHOM_SUMMARY(ModelSummary, name, title, file, values, matrices, checks)
FATHOM_SUMMARY(ModelListSummary, robots)

}  // namespace fathom::task
