#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/exchange/internal/flu.hpp"
#include "fathom/exchange/internal/readers.hpp"
#include "fathom/exchange/internal/uuv_model.hpp"

namespace fathom::exchange::internal {
namespace {

std::string thruster_key(std::size_t k, std::string_view key) {
  return fmt::format("thrusters[{}].{}", k, key);
}

int thruster_id(const XmlElement& plugin) {
  const XmlElement id = plugin.required_child("thrusterID", "the number of the thruster, from 0");
  const double number = id.number();
  if (!(number >= 0 && number < 1000 && number == std::floor(number)))
    id.reject_it(fmt::format("= {}, must be a whole number from 0", number), "");
  return static_cast<int>(number);
}

/// rexrov/thruster_0_joint -> thruster_0
std::string name_from_joint(std::string name) {
  if (const std::size_t slash = name.find_last_of('/'); slash != std::string::npos)
    name = name.substr(slash + 1);
  constexpr std::string_view tail = "_joint";
  if (name.size() > tail.size() && name.ends_with(tail)) name.resize(name.size() - tail.size());
  return name;
}

std::optional<double> uuv_number(const XmlElement& plugin, const char* name) {
  const std::optional<XmlElement> element = plugin.child(name);
  return element ? std::optional<double>(element->number()) : std::nullopt;
}

/// Both ends, where they are a range; the simulator counts 0 and 0, and their absence, as no limit.
std::optional<model::ForceRange> uuv_range(const XmlElement& plugin, const char* low, const char* high) {
  const std::optional<double> min = uuv_number(plugin, low), max = uuv_number(plugin, high);
  if (!min || !max || !(*min < *max)) return std::nullopt;
  return model::ForceRange{*min, *max};
}

/// Limits of the shaft that no tag states: those of the force, or far away.
void fill_shaft_ranges(Imported& imported) {
  for (model::Thruster& thruster : imported.spec.thrusters) {
    const auto* propeller = thruster.map ? std::get_if<model::Propeller>(&thruster.map->law) : nullptr;
    if (!propeller || thruster.map->command.min != thruster.map->command.max) continue;
    constexpr double far_away = 1e4;  // rad/s
    const double T_ww = std::get<model::ThrustCoefficients>(propeller->thrust).ww;
    const double limit =
        thruster.force
            ? std::sqrt(std::max(std::abs(thruster.force->value.min), thruster.force->value.max) / T_ww)
            : far_away;
    thruster.map->command.min = -limit;
    thruster.map->command.max = limit;
  }
}

void read_uuv_limits(const XmlElement& plugin, std::size_t k, model::Thruster& thruster, Imported& imported) {
  const auto range = uuv_range(plugin, "thrustMin", "thrustMax");
  if (!range) return;
  thruster.force.emplace();
  thruster.force->value = *range;
  note(imported, thruster_key(k, "force"), *plugin.child("thrustMin"));
  note(imported, thruster_key(k, "force[0]"), *plugin.child("thrustMin"));
  note(imported, thruster_key(k, "force[1]"), *plugin.child("thrustMax"));
}

/// Of the shaft, rad/s. Where nothing states it, it stays empty until all files are read.
model::Command shaft_range(const XmlElement& plugin) {
  model::Command command;
  command.unit = model::CommandUnit::rad_s;
  const model::ForceRange range = uuv_range(plugin, "clampMin", "clampMax").value_or(model::ForceRange{0, 0});
  command.min = range.min;
  command.max = range.max;
  return command;
}

/// Where the force is zero: zero itself or the middle of a dead band, else between two points.
double neutral_of(const std::vector<double>& inputs, const std::vector<double>& outputs) {
  std::optional<double> first, last;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (outputs[i] == 0) last = inputs[i];
    if (outputs[i] == 0 && !first) first = inputs[i];
  }
  if (first) return *first <= 0 && 0 <= *last ? 0 : 0.5 * (*first + *last);
  for (std::size_t i = 1; i < inputs.size(); ++i)
    if (outputs[i - 1] < 0 && outputs[i] > 0)
      return inputs[i - 1] - outputs[i - 1] * (inputs[i] - inputs[i - 1]) / (outputs[i] - outputs[i - 1]);
  return inputs.front();
}

void read_uuv_basic(const XmlElement& plugin, const XmlElement& conversion, std::size_t k,
                    model::Thruster& thruster, Imported& imported) {
  const XmlElement constant = conversion.required_child("rotorConstant", "N s^2: force = constant w |w|");
  const double T_ww = constant.number();
  if (!(T_ww > 0))
    constant.reject_it(fmt::format("= {}, must be > 0", T_ww),
                       "a thruster that pushes backward is turned round");
  model::ThrusterMap map;
  map.command = shaft_range(plugin);
  map.law = model::Propeller{model::ThrustCoefficients{T_ww, 0}, model::DirectShaft{}};
  thruster.map = map;
  note(imported, thruster_key(k, "map.propeller.T_ww"), constant);
  note_list(imported, thruster_key(k, "map.command.range"), plugin.child("clampMin").value_or(plugin), 2);
}

/// The input is a number without a unit; where input and output are the same it is the force.
void read_uuv_table(const XmlElement& plugin, const XmlElement& conversion, std::size_t k,
                    model::Thruster& thruster, Imported& imported) {
  const XmlElement in = conversion.required_child("inputValues", "inputs, rising");
  const XmlElement out = conversion.required_child("outputValues", "forces in newton, one for each input");
  const std::vector<double> inputs = in.numbers_of_any_count(), outputs = out.numbers_of_any_count();
  if (inputs.empty() || inputs.size() != outputs.size())
    out.reject_it(fmt::format("has {} numbers, <inputValues> has {}", outputs.size(), inputs.size()),
                  "a force for each input");
  if (inputs == outputs) return;
  model::ThrusterMap map;
  map.command.unit = model::CommandUnit::rad_s;
  map.command.min = inputs.front();
  map.command.max = inputs.back();
  if (const auto range = uuv_range(plugin, "clampMin", "clampMax")) {
    map.command.min = range->min;
    map.command.max = range->max;
  }
  map.law = model::ForceTable{inputs, {1}, {outputs}};
  map.command.neutral = neutral_of(inputs, outputs);
  thruster.map = map;
  note(imported, thruster_key(k, "map.table.commands"), in);
  note(imported, thruster_key(k, "map.table.forces"), out);
  lose(imported, in, fmt::format("the unit of the input of '{}': rad_s is taken", thruster.name),
       "set thrusters.map.command.unit if the input is another");
}

void read_uuv_conversion(const XmlElement& plugin, std::size_t k, model::Thruster& thruster,
                         Imported& imported) {
  const std::optional<XmlElement> conversion = plugin.child("conversion");
  if (!conversion) return;
  const XmlElement type = conversion->required_child("type", "Basic, Bessa or LinearInterp");
  if (type.text() == "Basic")
    read_uuv_basic(plugin, *conversion, k, thruster, imported);
  else if (type.text() == "LinearInterp")
    read_uuv_table(plugin, *conversion, k, thruster, imported);
  else
    lose(imported, *conversion,
         fmt::format(
             "the {} conversion of '{}': its dead band is of w |w|, which a robot file does not have; the "
             "thruster is read as commanded in newton",
             type.text(), thruster.name),
         "tabulate it as LinearInterp");
}

void read_uuv_dynamics(const XmlElement& plugin, std::size_t k, model::Thruster& thruster, Imported& imported) {
  const std::optional<XmlElement> dynamics = plugin.child("dynamics");
  if (!dynamics) return;
  const XmlElement type = dynamics->required_child("type", "ZeroOrder or FirstOrder");
  if (type.text() == "ZeroOrder") return;
  if (type.text() != "FirstOrder")
    return lose(imported, *dynamics, fmt::format("the {} dynamics of '{}'", type.text(), thruster.name),
                "fit a first-order lag, or a dc_motor");
  const XmlElement constant = dynamics->required_child("timeConstant", "s");
  thruster.transient.emplace();
  thruster.transient->law = model::FirstOrder{constant.number()};
  note(imported, thruster_key(k, "transient.first_order.time_constant"), constant);
}

void lose_factors(const XmlElement& plugin, const model::Thruster& thruster, Imported& imported) {
  for (const char* name : {"gain", "thrust_efficiency", "propeller_efficiency"})
    if (const std::optional<XmlElement> factor = plugin.child(name); factor && factor->number() != 1)
      lose(imported, *factor,
           fmt::format("'{}': a factor of {} is not applied", thruster.name, factor->number()),
           "multiply the map by it");
}

void read_uuv_thruster(const UuvModel& model, const XmlElement& plugin, Imported& imported) {
  const std::size_t k = imported.spec.thrusters.size();
  model::Thruster thruster;
  thruster.name = fmt::format("thruster_{}", thruster_id(plugin));
  const std::optional<UuvModel::Mount> mount = model.mount_of(plugin);
  if (!mount)
    plugin.reject_it("has no <jointName>, so that the thruster's place is not known",
                     "name the joint between hull and propeller");
  thruster.name = name_from_joint(mount->joint);
  thruster.position_b.value = swap_frd_flu(mount->position_flu);
  thruster.direction_b.value = swap_frd_flu(mount->axis_flu);
  note_list(imported, thruster_key(k, "position"), mount->element, 3);
  note_list(imported, thruster_key(k, "direction"), mount->element, 3);
  read_uuv_limits(plugin, k, thruster, imported);
  read_uuv_conversion(plugin, k, thruster, imported);
  read_uuv_dynamics(plugin, k, thruster, imported);
  lose_factors(plugin, thruster, imported);
  imported.spec.thrusters.push_back(thruster);
}

}  // namespace

void read_uuv_thrusters(const UuvModel& model, Imported& imported) {
  std::vector<XmlElement> plugins = model.thruster_plugins();
  std::ranges::stable_sort(plugins, {}, thruster_id);
  for (std::size_t k = 1; k < plugins.size(); ++k)
    if (thruster_id(plugins[k]) == thruster_id(plugins[k - 1]))
      plugins[k].reject_it(fmt::format("has the thrusterID {} of the plug-in in line {}",
                                       thruster_id(plugins[k]), plugins[k - 1].line()),
                           "each thruster has a number of its own");
  for (const XmlElement& plugin : plugins) read_uuv_thruster(model, plugin, imported);
  read_manager_files(model.element().file(), imported);
  fill_shaft_ranges(imported);
}

}  // namespace fathom::exchange::internal
