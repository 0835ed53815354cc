#include <array>

#include <fmt/format.h>

#include "fathom/exchange/internal/rdml_names.hpp"
#include "fathom/exchange/internal/readers.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/model/environment.hpp"

namespace fathom::exchange::internal {
namespace {

/// The block has two forms. The older one is flat, with numbers between tags and the weight; the newer one has
/// <inertial>, <damping> and <hydrostatics>, with numbers in attributes.
class RdmlBlock {
 public:
  explicit RdmlBlock(const XmlElement& block) : block_(block), is_flat_(!block.child("inertial")) {}

  bool is_flat() const { return is_flat_; }
  XmlElement part(std::string_view group, std::string_view tag, std::string_view flat_tag,
                  const std::string& hint) const {
    if (is_flat_) return block_.required_child(flat_tag, hint);
    return block_.required_child(group, hint).required_child(tag, hint);
  }
  double number(const XmlElement& element, const std::string& hint) const {
    return is_flat_ ? element.number() : element.attribute_number("value", hint);
  }
  const XmlElement& element() const { return block_; }

 private:
  XmlElement block_;
  bool is_flat_;
};

Vec3 rdml_point(const XmlElement& element) {
  const auto at = [&](const char* name) { return element.optional_attribute_number(name).value_or(0); };
  return {at("x"), at("y"), at("z")};
}

void note_rdml_point(Imported& imported, const std::string& key, const XmlElement& element) {
  note(imported, key, element);
  constexpr std::array<const char*, 3> names = {"x", "y", "z"};
  for (int i = 0; i < 3; ++i)
    note(imported, fmt::format("{}[{}]", key, i), element, names[static_cast<std::size_t>(i)]);
}

/// Of SNAME's derivatives, as positive numbers.
Vec6 rdml_six(const XmlElement& element, const std::array<const char*, 6>& names, const std::string& hint) {
  Vec6 v;
  for (int i = 0; i < 6; ++i) v[i] = 0.0 - element.attribute_number(names[static_cast<std::size_t>(i)], hint);
  return v;
}

void read_rdml_rigid_body(const RdmlBlock& block, Imported& imported) {
  model::Hull& hull = imported.spec.hull;
  const XmlElement mass = block.part("inertial", "mass", "mass", "the dry mass, kg");
  hull.mass.value = block.number(mass, "the dry mass, kg");
  note(imported, "hull.mass", mass);
  const XmlElement centre = block.part("inertial", "center_of_gravity", "center_of_gravity",
                                       "x, y and z in axes forward, starboard, down");
  hull.centre_of_mass.value = rdml_point(centre);
  note_rdml_point(imported, "hull.centre_of_mass", centre);
  const XmlElement inertia = block.part("inertial", "inertia", "inertia", "about the body origin, kg m^2");
  struct Entry {
    const char* name;
    int row, column;
  };
  constexpr std::array<Entry, 6> entries = {
      {{"ixx", 0, 0}, {"ixy", 0, 1}, {"ixz", 0, 2}, {"iyy", 1, 1}, {"iyz", 1, 2}, {"izz", 2, 2}}};
  Mat3 I = Mat3::Zero();
  for (const Entry& entry : entries) {
    I(entry.row, entry.column) = I(entry.column, entry.row) =
        entry.row == entry.column ? inertia.attribute_number(entry.name, "moments of inertia, kg m^2")
                                  : inertia.optional_attribute_number(entry.name).value_or(0);
    for (const std::string& key : {fmt::format("hull.inertia[{}][{}]", entry.row, entry.column),
                                   fmt::format("hull.inertia[{}][{}]", entry.column, entry.row)})
      note(imported, key, inertia, entry.name);
  }
  note(imported, "hull.inertia", inertia);
  const Mat3 S = skew(hull.centre_of_mass.value);  // from the origin to the centre of mass; docs/model.md eq. 7
  hull.inertia.value = hull.centre_of_mass.value.isZero(0) ? I : Mat3(I + hull.mass.value * S * S);
}

void read_rdml_water_forces(const RdmlBlock& block, Imported& imported) {
  model::Hull& hull = imported.spec.hull;
  const XmlElement added = block.part("inertial", "added_mass", "added_mass", "Xdu, Ydv, ... Ndr, negative");
  hull.added_mass.value = rdml_six(added, rdml_added_mass, "SNAME's derivative, negative").asDiagonal();
  note_matrix(imported, "hull.added_mass", added, 6);
  model::DragElement drag;
  drag.name = "hull";
  const XmlElement linear = block.part("damping", "linear", "linear_damping", "Xu, Yv, ... Nr, negative");
  drag.linear.value = rdml_six(linear, rdml_linear, "SNAME's derivative, negative").asDiagonal();
  note_matrix(imported, "damping[0].linear", linear, 6);
  const XmlElement quadratic =
      block.part("damping", "quadratic", "quadratic_damping", "Xuu, Yvv, ... Nrr, negative");
  const Vec6 Q = rdml_six(quadratic, rdml_quadratic, "SNAME's derivative, negative");
  note_list(imported, "damping[0].quadratic", quadratic, 6);
  for (int i = 0; i < 6; ++i) {
    drag.quadratic.value.by_speed[static_cast<std::size_t>(i)](i, i) = Q[i];
    const auto k = static_cast<std::size_t>(i);
    note(imported, fmt::format("hull.added_mass[{0}][{0}]", i), added, rdml_added_mass[k]);
    note(imported, fmt::format("damping[0].linear[{0}][{0}]", i), linear, rdml_linear[k]);
    note(imported, fmt::format("damping[0].quadratic[{}]", i), quadratic, rdml_quadratic[k]);
  }
  imported.spec.damping.push_back(drag);
}

/// m/s^2: of the weight in the older form, of an attribute that Fathom writes in the newer one.
double gravity_of(const RdmlBlock& block, const XmlElement& buoyancy, Imported& imported) {
  if (block.is_flat() && imported.spec.hull.mass.value > 0) {
    const XmlElement weight = block.element().required_child("weight", "N");
    imported.gravity = weight.number() / imported.spec.hull.mass.value;
    if (!(*imported.gravity > 0)) weight.reject_it("must be > 0, as the mass", "N");
  } else if (const auto gravity = buoyancy.optional_attribute_number("gravity")) {
    imported.gravity = *gravity;
    if (!(*imported.gravity > 0)) buoyancy.reject_it("has a gravity that is not > 0", "m/s^2");
  }
  return imported.gravity.value_or(model::Environment().gravity());
}

void read_rdml_hydrostatics(const RdmlBlock& block, Imported& imported) {
  model::Hull& hull = imported.spec.hull;
  const XmlElement buoyancy = block.part("hydrostatics", "buoyancy", "buoyancy", "the buoyancy, N");
  const double force = block.number(buoyancy, "the buoyancy, N"),
               gravity = gravity_of(block, buoyancy, imported);
  if (const auto density = buoyancy.optional_attribute_number("density")) {
    imported.density = *density;
    if (!(*density > 0)) buoyancy.reject_it("has a density that is not > 0", "kg/m^3");
  } else {
    lose(imported, buoyancy,
         fmt::format(
             "the water: the file has the buoyancy, {} N, and no density. {} kg/m^3 is taken for the volume",
             force, model::fresh_water),
         "correct hull.volume if the water was another");
  }
  hull.volume.value = force / (imported.density.value_or(model::fresh_water) * gravity);
  note(imported, "hull.volume", buoyancy);
  const XmlElement centre = block.part("hydrostatics", "center_of_buoyancy", "center_of_buoyancy",
                                       "x, y and z in axes forward, starboard, down");
  hull.centre_of_buoyancy.value = rdml_point(centre);
  note_rdml_point(imported, "hull.centre_of_buoyancy", centre);
}

}  // namespace

Imported read_rdml(const XmlFile& xml) {
  const XmlElement root = xml.root();
  const std::vector<XmlElement> blocks = root.descendants("hydrodynamics");
  if (blocks.empty()) root.reject_it("has no <hydrodynamics>", "RDML's block stands in <robot>");
  if (blocks.size() > 1)
    blocks[1].reject_it(fmt::format("is a second block; the first stands in line {}", blocks[0].line()),
                        "a robot has one");
  Imported imported;
  imported.format = Format::rdml;
  imported.spec.name = root.attribute("name").value_or("");
  const RdmlBlock block(blocks.front());
  read_rdml_rigid_body(block, imported);
  read_rdml_water_forces(block, imported);
  read_rdml_hydrostatics(block, imported);
  return imported;
}

}  // namespace fathom::exchange::internal
