
#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/exchange/internal/dry_body.hpp"
#include "fathom/exchange/internal/flu.hpp"
#include "fathom/exchange/internal/gz_tags.hpp"
#include "fathom/exchange/internal/gz_thruster_reader.hpp"
#include "fathom/exchange/internal/names.hpp"
#include "fathom/exchange/internal/readers.hpp"
#include "fathom/exchange/internal/sdf_frames.hpp"
#include "fathom/model/dof.hpp"
#include "fathom/model/environment.hpp"

namespace fathom::exchange::internal {
namespace {

/// Is it that system of Gazebo Sim: by the class, or by the library?
bool is_system(const XmlElement& plugin, std::string_view name, std::string_view library) {
  return plugin.attribute("name").value_or("").ends_with(name) ||
         plugin.attribute("filename").value_or("").find(library) != std::string::npos;
}

std::vector<XmlElement> systems(const XmlElement& parent, std::string_view name, std::string_view library) {
  std::vector<XmlElement> found;
  for (const XmlElement& plugin : parent.children("plugin"))
    if (is_system(plugin, "::" + std::string(name), library)) found.push_back(plugin);
  return found;
}

/// The vehicle among the models of a file: the only one, or the only one with hydrodynamics.
XmlElement vehicle_model(const XmlElement& root) {
  std::vector<XmlElement> models = root.children("model");
  for (const XmlElement& world : root.children("world"))
    for (const XmlElement& model : world.children("model")) models.push_back(model);
  if (models.empty())
    root.reject_it("holds no <model>",
                   root.descendants("include").empty()
                       ? "a model of Gazebo Sim is <sdf><model>...</model></sdf>"
                       : "it includes models from elsewhere: give the file of the model itself");
  if (models.size() == 1) return models.front();
  std::vector<XmlElement> wet;
  for (const XmlElement& model : models)
    if (!systems(model, "Hydrodynamics", "hydrodynamics").empty() ||
        !model.descendants("fluid_added_mass").empty())
      wet.push_back(model);
  if (wet.size() == 1) return wet.front();
  root.reject_it(
      fmt::format("holds {} models, {} of them with hydrodynamics: which is meant?", models.size(), wet.size()),
      "give a file with the one model");
}

class GzReader {
 public:
  explicit GzReader(const XmlFile& xml)
      : xml_(xml), model_(vehicle_model(xml.root())), frames_(model_), base_(base_link()) {
    imported_.format = Format::gz_sim;
  }

  Imported read() {
    const std::string name = model_.attribute("name").value_or("");
    imported_.spec.name = plain_name(name);
    if (imported_.spec.name != name) imported_.spec.title = printable(name);
    read_world();
    read_dry();
    read_added_mass();
    read_damping();
    read_volume();
    GzThrusterReader(model_, frames_, from_base_, imported_).read();
    lose_the_rest();
    return std::move(imported_);
  }

 private:
  /// The link that the water acts on; its frame is the body's.
  XmlElement base_link() {
    const std::vector<XmlElement> links = model_.children("link");
    if (links.empty()) model_.reject_it("has no <link>", "a vehicle is at least one link with <inertial>");
    const std::vector<XmlElement> plugins = systems(model_, "Hydrodynamics", "hydrodynamics");
    if (!plugins.empty()) hydrodynamics_ = plugins.front();
    for (std::size_t k = 1; k < plugins.size(); ++k)
      lose(plugins[k], "hydrodynamics of another link", "a robot file holds one body");
    std::string wanted = links.front().attribute("name").value_or("");
    if (hydrodynamics_) {
      wanted = hydrodynamics_->required_child("link_name", "the link that the water acts on").text();
    } else {
      for (const XmlElement& link : links)
        if (!link.descendants("fluid_added_mass").empty()) wanted = link.attribute("name").value_or("");
    }
    for (const XmlElement& link : links)
      if (link.attribute("name").value_or("") == wanted) {
        from_base_ = frames_.in_model(wanted, link).inverse();
        return link;
      }
    hydrodynamics_->reject_it("acts on link " + in_quotes(wanted) + ", which the model does not have",
                              "see <link_name>");
  }

  void lose(const XmlElement& element, const std::string& what, const std::string& remedy) {
    internal::lose(imported_, element, what, remedy);
  }
  void note(const std::string& key, const XmlElement& element) { internal::note(imported_, key, element); }

  void read_world() {
    for (const XmlElement& world : xml_.root().children("world")) {
      if (const auto gravity = world.child("gravity")) {
        imported_.gravity = gravity->vector3().norm();
        note("gravity", *gravity);
      }
      for (const XmlElement& plugin : systems(world, "Buoyancy", "buoyancy-system")) {
        std::optional<XmlElement> density = plugin.child("uniform_fluid_density");
        if (const auto graded = plugin.child("graded_buoyancy")) density = graded->child("default_density");
        if (!density) continue;
        imported_.density = density->number();
        note("density", *density);
      }
    }
  }

  DryBody dry_link(const XmlElement& link) {
    const std::string name = link.attribute("name").value_or("");
    const XmlElement inertial = link.required_child(
        "inertial", "mass and inertia; a simulator would take 1 kg and 1 kg m^2 without it");
    const XmlElement mass =
        inertial.required_child("mass", "kg of the dry link; a simulator would take 1 kg without it");
    const XmlElement inertia = inertial.required_child("inertia", "about the centre of mass, in kg m^2");
    DryBody body;
    body.mass = mass.number();
    if (!(body.mass > 0)) mass.reject_it(fmt::format("is {}, must be above zero", body.mass), "in kg");
    for (const InertiaTag& entry : inertia_tags)
      if (const auto tag = inertia.child(entry.tag)) {
        body.inertia(entry.i, entry.j) = body.inertia(entry.j, entry.i) = tag->number();
        if (name == base_.attribute("name")) note(fmt::format("hull.inertia[{}][{}]", entry.i, entry.j), *tag);
      } else if (entry.i == entry.j) {
        inertia.reject_it(fmt::format("has no <{}>", entry.tag), "a simulator would take 1 kg m^2");
      }
    const Pose pose = from_base_ * frames_.of_part(inertial, name);
    body.centre_of_mass = pose.p_pc_p;
    if (!pose.q_pc.isApprox(Quat::Identity(), 0)) {
      const Mat3 R = pose.q_pc.toRotationMatrix();
      body.inertia = (R * body.inertia * R.transpose()).eval();
    }
    if (name == base_.attribute("name")) {
      note("hull.mass", mass);
      note("hull.centre_of_mass", inertial.child("pose").value_or(inertial));
    }
    return body;
  }

  /// All links as one body: what moves on joints is light, or a loss.
  void read_dry() {
    std::vector<DryBody> parts = {dry_link(base_)};
    for (const XmlElement& link : model_.children("link"))
      if (link.attribute("name") != base_.attribute("name")) parts.push_back(dry_link(link));
    const DryBody whole = together(parts);
    model::Hull& hull = imported_.spec.hull;
    hull.mass.value = whole.mass;
    hull.centre_of_mass.value = swap_frd_flu(whole.centre_of_mass);
    hull.inertia.value = swap_frd_flu(whole.inertia);
  }

  bool flag(std::string_view tag) const {
    const auto element = hydrodynamics_ ? hydrodynamics_->child(tag) : std::nullopt;
    return element && element->yes_or_no();
  }

  void read_added_mass() {
    Mat6 by_engine = Mat6::Zero(), by_plugin = Mat6::Zero();
    const auto fluid = base_.child("inertial")->child("fluid_added_mass");
    if (fluid)
      for (Eigen::Index i = 0; i < 6; ++i)
        for (Eigen::Index j = i; j < 6; ++j)
          if (const auto tag = fluid->child(added_mass_tag(i, j))) {
            by_engine(i, j) = by_engine(j, i) = tag->number();
            note(fmt::format("hull.added_mass[{}][{}]", i, j), *tag);
            note(fmt::format("hull.added_mass[{}][{}]", j, i), *tag);
          }
    std::optional<XmlElement> first;
    for (Eigen::Index i = 0; hydrodynamics_ && i < 6; ++i)
      for (Eigen::Index j = 0; j < 6; ++j)
        if (const auto tag = hydrodynamics_->child(dot_tag(i, j))) {
          by_plugin(i, j) = -tag->number();
          if (!first) first = tag;
          if (!fluid) note(fmt::format("hull.added_mass[{}][{}]", i, j), *tag);
        }
    if (!fluid && !hydrodynamics_)
      model_.reject_it("has neither <fluid_added_mass> nor the Hydrodynamics plug-in",
                       "there is no water in this model");
    if (fluid && first && !by_plugin.isZero(0) && !flag("disable_added_mass"))
      lose(*first, "added mass a second time: a simulator counts <fluid_added_mass> and this",
           "<disable_added_mass>true</disable_added_mass> in the plug-in; <fluid_added_mass> was read");
    imported_.spec.hull.added_mass.value = swap_frd_flu(fluid ? by_engine : by_plugin);
  }

  void read_damping() {
    if (!hydrodynamics_) return;
    model::DragElement element;
    element.name = "hull";
    Mat6 linear = Mat6::Zero();
    model::QuadraticDrag quadratic;
    for (Eigen::Index i = 0; i < 6; ++i)
      for (Eigen::Index j = 0; j < 6; ++j) {
        if (const auto tag = hydrodynamics_->child(linear_tag(i, j))) {
          linear(i, j) = -tag->number();
          note(fmt::format("damping[0].linear[{}][{}]", i, j), *tag);
        }
        for (Eigen::Index k = 0; k < 6; ++k) read_quadratic(i, j, k, quadratic);
      }
    element.linear.value = swap_frd_flu(linear);
    element.quadratic.value = swap_frd_flu(quadratic);
    imported_.spec.damping.push_back(std::move(element));
  }

  void read_quadratic(Eigen::Index i, Eigen::Index j, Eigen::Index k, model::QuadraticDrag& quadratic) {
    if (const auto tag = hydrodynamics_->child(quadratic_tag(i, j, k))) {
      const auto speed = static_cast<std::size_t>(k);
      quadratic.by_speed[speed](i, j) = -tag->number();
      note(fmt::format("damping[0].quadratic.{}[{}][{}]", model::velocity_names[speed], i, j), *tag);
    }
    if (const auto tag = hydrodynamics_->child(signed_quadratic_tag(i, j, k)); tag && tag->number() != 0)
      lose(*tag,
           fmt::format("{}: a force that does not turn with the motion, so that it drives one way",
                       tag->number()),
           fmt::format("call it <{}>, if drag is meant", quadratic_tag(i, j, k)));
  }

  /// As the buoyancy system does: the volumes of all collisions, and their middle.
  void read_volume() {
    double volume = 0;
    Vec3 moment = Vec3::Zero();
    std::optional<XmlElement> first;
    int count = 0;
    Vec3 only = Vec3::Zero();
    for (const XmlElement& link : model_.children("link"))
      for (const XmlElement& collision : link.children("collision")) {
        const XmlElement geometry = collision.required_child("geometry", "a box, sphere, cylinder, ...");
        const std::optional<double> part = volume_of_geometry(geometry);
        if (!part) {
          lose(geometry, "a shape whose volume is not computed here (a mesh?)",
               "fill in hull.volume and hull.centre_of_buoyancy by hand");
          continue;
        }
        only = (from_base_ * frames_.of_part(collision, link.attribute("name").value_or(""))).p_pc_p;
        volume += *part;
        moment += *part * only;
        if (!first) first = geometry;
        ++count;
      }
    model::Hull& hull = imported_.spec.hull;
    if (volume > 0) {
      hull.volume.value = volume;
      hull.centre_of_buoyancy.value = swap_frd_flu(count == 1 ? only : Vec3(moment / volume));
      note("hull.volume", *first);
      note("hull.centre_of_buoyancy", *first);
      return;
    }
    assume_neutral();
  }

  void assume_neutral() {
    model::Hull& hull = imported_.spec.hull;
    hull.volume.value = hull.mass.value / imported_.density.value_or(model::fresh_water);
    hull.volume.assumed = hull.centre_of_buoyancy.assumed = true;
    hull.volume.source = "neutral: the file has no collision of a known volume";
    hull.centre_of_buoyancy.source = "at the centre of mass: the file does not say";
    hull.centre_of_buoyancy.value = hull.centre_of_mass.value;
    lose(base_, "no <collision> with a volume: the vehicle is taken to be neutral, without righting moment",
         "fill in hull.volume and hull.centre_of_buoyancy by hand");
  }

  void lose_the_rest() {
    for (const XmlElement& sensor : model_.descendants("sensor"))
      lose(sensor,
           fmt::format("sensor {} of type {}", in_quotes(sensor.attribute("name").value_or("")),
                       in_quotes(sensor.attribute("type").value_or(""))),
           "describe it by hand under sensors");
    for (const char* tag : {"default_current", "lookup_current_x", "lookup_current_y", "lookup_current_z"})
      if (const auto current = hydrodynamics_ ? hydrodynamics_->child(tag) : std::nullopt)
        lose(*current, "a current belongs to the scenario, not to the robot", "see docs/scenario-file.md");
    for (const XmlElement& nested : model_.children("model"))
      lose(nested, "a nested model is not read", "give one model without others in it");
    for (const XmlElement& included : model_.children("include"))
      lose(included, "an included model is not read", "give one model without others in it");
  }

  const XmlFile& xml_;
  Imported imported_;
  XmlElement model_;
  SdfFrames frames_;
  std::optional<XmlElement> hydrodynamics_;
  Pose from_base_;  ///< the model's frame in the base link's
  XmlElement base_;
};

}  // namespace

Imported read_gz_sim(const XmlFile& xml) { return GzReader(xml).read(); }

}  // namespace fathom::exchange::internal
