#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/search_path.hpp"
#include "fathom/base/text.hpp"
#include "fathom/dynamics/figures.hpp"
#include "fathom/model/dissipation.hpp"
#include "fathom/model/dof.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/model_file/catalogue.hpp"
#include "fathom/model_file/robot_file.hpp"

#include "cli/shipped.hpp"
#include "cli/terminal/matrix_json.hpp"
#include "cli/terminal/table.hpp"
#include "cli/verb.hpp"

namespace fathom::cli {
namespace {

using Json = nlohmann::ordered_json;
using model::Robot;
using model::Value;

struct ModelsOptions {
  std::string name;
  double density = model::fresh_water;
  bool yaml = false;
};

Json to_json(double x) { return x; }
Json to_json(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Json to_json(const Mat3& m) { return rows_of(m); }
Json to_json(const Mat6& m) { return rows_of(m); }
Json to_json(const model::ForceRange& range) { return {range.min, range.max}; }
Json to_json(const model::QuadraticDrag& drag) {
  Json by_speed = Json::object();
  for (std::size_t j = 0; j < 6; ++j)
    by_speed[std::string(model::velocity_names[j])] = rows_of(drag.by_speed[j]);
  return by_speed;
}

template <class Matrix>
std::string square_text(const Matrix& m) {
  Matrix off = m;
  off.diagonal().setZero();
  return fmt::format("{}{:.5g}", off.isZero(0) ? "diag " : "full, diagonal ", fmt::join(m.diagonal(), " "));
}
std::string value_text(double x) { return fmt::format("{:.6g}", x); }
std::string value_text(const Vec3& v) { return fmt::format("{:.5g}", fmt::join(v, " ")); }
std::string value_text(const Mat3& m) { return square_text(m); }
std::string value_text(const Mat6& m) { return square_text(m); }
std::string value_text(const model::ForceRange& range) {
  return fmt::format("{:g} to {:g}", range.min, range.max);
}
std::string value_text(const model::QuadraticDrag& drag) {
  Vec6 diagonal;
  int cross_terms = 0;
  for (std::size_t j = 0; j < 6; ++j) {
    const auto k = static_cast<Eigen::Index>(j);
    diagonal[k] = drag.by_speed[j](k, k);
    cross_terms += static_cast<int>((drag.by_speed[j].array() != 0).count()) - (diagonal[k] != 0);
  }
  return fmt::format("diag {:.5g}{}", fmt::join(diagonal, " "),
                     cross_terms ? fmt::format(" and {} cross terms", cross_terms) : "");
}

/// Every value of a robot with its unit, uncertainty and source, for people and as JSON.
class ValueList {
 public:
  template <class T>
  void add(const std::string& key, const Value<T>& value, const std::string& unit) {
    table_.row({key, value_text(value.value), unit, value.sigma ? value_text(*value.sigma) : "",
                number_of(value.assumed ? "assumed: " + value.source : value.source)});
    json_.push_back({{"key", key},
                     {"value", to_json(value.value)},
                     {"unit", unit},
                     {"sigma", value.sigma ? to_json(*value.sigma) : Json()},
                     {"source", value.source},
                     {"assumed", value.assumed}});
  }
  std::string text() const {
    if (sources_.empty()) return table_.text();
    Table list({"", "sources"});
    for (std::size_t k = 0; k < sources_.size(); ++k) list.row({fmt::format("[{}]", k + 1), sources_[k]});
    return table_.text() + "\n" + list.text();
  }
  const Json& json() const { return json_; }

 private:
  /// Many values share a source, so each is told once, under a number.
  std::string number_of(const std::string& source) {
    if (source.empty()) return "(none)";
    const auto found = std::find(sources_.begin(), sources_.end(), source);
    const auto k = found - sources_.begin();
    if (found == sources_.end()) sources_.push_back(source);
    return fmt::format("[{}]{}", k + 1, source.starts_with("assumed: ") ? " assumed" : "");
  }

  Table table_{{"name", "value", "unit", "sigma", "source"}};
  Json json_ = Json::array();
  std::vector<std::string> sources_;
};

void add_hull(ValueList& list, const Robot& robot) {
  const model::Hull& hull = robot.hull();
  list.add("hull.mass", hull.mass, "kg");
  list.add("hull.inertia", hull.inertia, "kg m^2");
  list.add("hull.centre_of_mass", hull.centre_of_mass, "m");
  list.add("hull.volume", hull.volume, "m^3");
  list.add("hull.centre_of_buoyancy", hull.centre_of_buoyancy, "m");
  list.add("hull.added_mass", hull.added_mass, "kg, kg m, kg m^2");
  if (hull.size) list.add("hull.size", *hull.size, "m");
  for (const model::DragElement& element : robot.damping()) {
    if (!element.at_origin()) {
      list.add(fmt::format("damping {}.position", element.name), element.position_b, "m");
      list.add(fmt::format("damping {}.attitude", element.name), element.attitude_rpy, "rad");
    }
    list.add(fmt::format("damping {}.linear", element.name), element.linear, "N s/m, N m s/rad");
    list.add(fmt::format("damping {}.quadratic", element.name), element.quadratic, "N s^2/m^2, N m s^2/rad^2");
  }
}

void add_sensor(ValueList& list, const model::Sensor& sensor) {
  const auto add = [&](const std::string& key, auto value, const std::string& unit) {
    if (value.source.empty() && !value.assumed) {  // then the sensor's source holds
      value.source = sensor.source;
      value.assumed = sensor.assumed;
    }
    list.add(fmt::format("{} {}.{}", model::name_of(sensor.kind), sensor.name, key), value, unit);
  };
  add("position", sensor.position_b, "m");
  if (!sensor.attitude_rpy.value.isZero(0)) add("attitude", sensor.attitude_rpy, "rad");
  if (sensor.rate_hz) add("rate", *sensor.rate_hz, "Hz");
  for (const model::ChannelTable& table : model::channel_tables)
    for (const model::NoiseChannel& channel : model::noise_channels(sensor.kind)) {
      const model::ByChannel& values = sensor.*table.values;
      if (const auto found = values.find(std::string(channel.name)); found != values.end())
        add(fmt::format("{} {}", table.key, channel.name), found->second,
            fmt::format("{}{}", channel.unit, table.per));
    }
  const auto plain = [&](const std::string& key, double value, const std::string& unit) {
    add(key, Value<double>{value, "", false, {}}, unit);
  };
  if (sensor.latency) add("latency", *sensor.latency, "s");
  if (sensor.drop_out) plain("drop-out", sensor.drop_out->probability, "");
  if (sensor.drop_out && sensor.drop_out->mean_length)
    plain("drop-out length", *sensor.drop_out->mean_length, "samples");
  if (sensor.beams) plain("beams tilt", sensor.beams->tilt_deg, "deg");
  if (sensor.altitude) {
    plain("altitude min", sensor.altitude->min, "m");
    plain("altitude max", sensor.altitude->max, "m");
  }
}

void add_thruster(ValueList& list, const model::Thruster& thruster, double density) {
  const auto name = [&](const std::string& what) { return fmt::format("thruster {}.{}", thruster.name, what); };
  list.add(name("position"), thruster.position_b, "m");
  list.add(name("direction"), thruster.direction_b, "");
  if (thruster.force) list.add(name("force"), *thruster.force, "N");
  if (const auto& map = thruster.map)
    list.add(name(fmt::format("map, {} {:g} to {:g}", name_of(map->command.unit), map->command.min,
                              map->command.max)),
             Value<model::ForceRange>{model::attained_force(*map, thruster.transient, density), map->source,
                                      map->assumed, std::nullopt},
             "N");
  const auto* lag = thruster.transient ? std::get_if<model::FirstOrder>(&thruster.transient->law) : nullptr;
  if (lag)
    list.add(name("transient, first order"),
             Value<double>{lag->time_constant, thruster.transient->source, thruster.transient->assumed,
                           std::nullopt},
             "s");
  if (thruster.transient && thruster.transient->flow)
    list.add(name("transient, axial flow"),
             Value<double>{thruster.transient->flow->time_constant, thruster.transient->source,
                           thruster.transient->assumed, std::nullopt},
             "s");
}

void add_connector(ValueList& list, const model::Connector& connector) {
  list.add(fmt::format("connector {}.position", connector.name), connector.position_b, "m");
  list.add(fmt::format("connector {}.attitude", connector.name), connector.attitude_rpy, "rad");
}

ValueList values_of(const Robot& robot, const model::Environment& environment) {
  ValueList list;
  add_hull(list, robot);
  for (const model::Sensor& sensor : robot.sensors()) add_sensor(list, sensor);
  for (const model::Thruster& thruster : robot.thrusters()) add_thruster(list, thruster, environment.density());
  for (const model::Connector& connector : robot.connectors()) add_connector(list, connector);
  if (robot.identified()) {
    const model::ParameterVector& p = robot.identified()->parameters;
    for (std::size_t k = 0; k < p.size(); ++k)
      list.add("identified " + p[k].name,
               Value<double>{p[k].value, robot.identified()->source, false, p.sigma(k)}, p[k].unit);
  }
  return list;
}

struct Check {
  std::string name, value;
  bool pass;
};

std::string attainable_text(const std::array<model::ForceRange, 6>& ranges) {
  std::string text;
  for (std::size_t i = 0; i < 6; ++i)
    text += fmt::format("{}{} {:.3g} to {:.3g} {}", i ? ", " : "", "XYZKMN"[i], ranges[i].min + 0.0,
                        ranges[i].max + 0.0, i < 3 ? "N" : "N m");  // + 0.0: there is no -0 N
  return text;
}

std::vector<Check> checks_of(const Robot& robot, const model::Environment& environment) {
  const dynamics::Figures of = dynamics::figures_of(robot, environment);
  std::vector<Check> checks = {
      {"M positive definite", fmt::format("smallest eigenvalue {:.4g}", of.smallest_inertia),
       of.smallest_inertia > 0},
      {"inertia triangle inequality", fmt::format("margin {:.4g} kg m^2", of.triangle_margin),
       of.triangle_margin >= -1e-9 * of.largest_moment}};
  for (const model::DragElement& element : robot.damping()) {
    const model::Dissipation d = model::check_dissipation(element.linear.value, element.quadratic.value);
    checks.push_back({fmt::format("damping {} dissipates", element.name),
                      d.certified ? "proved for every motion" : "no counter-example found, not proved",
                      !d.witness_nu});
  }
  checks.push_back({"upright is stable",
                    fmt::format("centre of buoyancy {:.4g} m above centre of mass", of.righting_arm),
                    of.righting_arm >= 0});
  const double net = of.weight - of.buoyancy;
  checks.push_back({"net weight W - B",
                    fmt::format("{:.2f} N of {:.1f} N at {:g} kg/m^3", net, of.weight, environment.density()),
                    std::abs(net) < 0.05 * of.weight});
  if (const std::size_t n = robot.thrusters().size(); n > 0)
    checks.push_back({"thruster allocation", fmt::format("{} thrusters, rank {} of 6", n, of.rank), true});
  if (of.alone) checks.push_back({"attainable wrench, each axis alone", attainable_text(*of.alone), true});
  return checks;
}

std::string matrix_text(const std::string& title, const Mat6& m) {
  std::string text = title + "\n";
  for (int i = 0; i < 6; ++i) text += fmt::format("  {:>10.5g}\n", fmt::join(m.row(i), " "));
  return text;
}

/// Names of what ships, but is no robot.
void reject_other_kinds(const std::string& name) {
  const auto has = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (has(assembly_names()))
    reject("", fmt::format("{} is an assembly of robots", in_quotes(name)), "fathom assemble " + name);
  if (has(arm_names()))
    reject(
        "", fmt::format("{} is an arm, not a robot", in_quotes(name)),
        fmt::format("fathom identify --what arm --arm {}; its file: {}", name, find_arm_file(name).string()));
}

int show(const Verb& verb, const ModelsOptions& options) {
  const auto file = [&] {
    try {
      return model::find_robot_file(options.name, robot_folders());
    } catch (const InputError&) {
      reject_other_kinds(options.name);
      throw;
    }
  }();
  const Robot robot = model::read_robot(file);
  const model::Environment environment(options.density);
  if (options.yaml) {
    const std::string yaml = model::robot_to_yaml(robot);
    verb.print({{"name", robot.name()}, {"file", file.string()}, {"yaml", yaml}}, yaml);
    return Status::done;
  }
  const ValueList values = values_of(robot, environment);
  const std::vector<Check> checks = checks_of(robot, environment);
  const Mat6 M_rb = model::rigid_body_inertia(robot.hull());
  const Mat6& M_a = robot.hull().added_mass.value;

  Json checks_json = Json::array();
  Table check_table({"check", "", "value"});
  bool all_pass = true;
  for (const Check& check : checks) {
    checks_json.push_back({{"name", check.name}, {"pass", check.pass}, {"value", check.value}});
    check_table.row({check.name, check.pass ? "ok" : "LOOK", check.value});
    all_pass = all_pass && check.pass;
  }
  std::string text =
      fmt::format("{}  {}\n{}\n\n{}\n", robot.name(), robot.spec().title, file.string(), values.text());
  text += matrix_text("M_rb, rows X Y Z K M N, columns u v w p q r", M_rb) + matrix_text("M_a", M_a);
  text += "\n" + check_table.text();
  if (!robot.spec().notes.empty()) text += "\n" + robot.spec().notes + "\n";
  verb.print({{"name", robot.name()},
              {"title", robot.spec().title},
              {"file", file.string()},
              {"values", values.json()},
              {"matrices",
               {{"M_rb", rows_of(M_rb)},
                {"M_a", rows_of(M_a)},
                {"allocation", rows_of(model::allocation_matrix(robot))}}},
              {"checks", checks_json}},
             text);
  return all_pass ? Status::done : Status::check_failed;
}

/// One bad file does not hide the others.
std::optional<Robot> read_or_complain(const std::filesystem::path& file) {
  try {
    return model::read_robot(file);
  } catch (const InputError& error) {
    warn(error.what());
    return std::nullopt;
  }
}

int list_robots(const Verb& verb) {
  Table table({"name", "mass", "thrusters", "title"});
  Json robots = Json::array();
  const auto files = list_files(robot_folders());
  if (files.empty()) {
    std::vector<std::string> searched;
    for (const auto& folder : robot_folders()) searched.push_back(folder.string());
    reject("", fmt::format("no robots in {}", join(searched, ", ")),
           "set FATHOM_MODELS to a folder of robot files");
  }
  bool all_load = true;
  for (const auto& file : files) {
    const std::optional<Robot> read = read_or_complain(file);
    if (!read) {
      all_load = false;
      table.row({file.stem().string(), "-", "-", "does not load"});
      robots.push_back({{"name", file.stem().string()}, {"file", file.string()}, {"loads", false}});
      continue;
    }
    const Robot& robot = *read;
    table.row({file.stem().string(), fmt::format("{:g} kg", robot.hull().mass.value),
               fmt::format("{}", robot.thrusters().size()), robot.spec().title});
    robots.push_back({{"name", file.stem().string()},
                      {"title", robot.spec().title},
                      {"file", file.string()},
                      {"loads", true},
                      {"mass", robot.hull().mass.value},
                      {"thrusters", robot.thrusters().size()}});
  }
  verb.print({{"robots", robots}},
             table.text() + "\nfathom models NAME shows one with its values, sources and checks.\n");
  return all_load ? Status::done : Status::check_failed;
}

}  // namespace

void add_models(CLI::App& program) {
  auto verb = std::make_shared<Verb>(
      program, "models", "Lists the robots, or shows one: values with units and sources, matrices, checks",
      "fathom models bluerov2-heavy", Takes{});
  auto options = std::make_shared<ModelsOptions>();
  verb->app()
      .add_option("NAME", options->name, "A robot that ships, or the path of a robot file")
      ->option_text("NAME|FILE");
  add_density(verb->app(), options->density);
  verb->app().add_flag("--yaml", options->yaml, "Print the robot as a robot file, to begin one of your own");
  verb->runs([verb, options] {
    if (!options->name.empty()) return show(*verb, *options);
    if (options->yaml) reject("--yaml", "prints one robot, and none is named", "fathom models NAME --yaml");
    return list_robots(*verb);
  });
}

}  // namespace fathom::cli
