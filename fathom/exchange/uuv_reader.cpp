#include <array>

#include <fmt/format.h>

#include "fathom/exchange/internal/flu.hpp"
#include "fathom/exchange/internal/readers.hpp"
#include "fathom/exchange/internal/uuv_model.hpp"

namespace fathom::exchange::internal {
namespace {

/// Water of the simulator where a file says nothing of it, kg/m^3.
constexpr double uuv_density = 1028;

struct UuvInertiaEntry {
  const char* name;
  int row, column;
};
constexpr std::array<UuvInertiaEntry, 6> inertia_uuv_entries = {
    {{"ixx", 0, 0}, {"ixy", 0, 1}, {"ixz", 0, 2}, {"iyy", 1, 1}, {"iyz", 1, 2}, {"izz", 2, 2}}};

double inertia_uuv_entry(const XmlElement& inertia, const UuvInertiaEntry& entry, bool is_sdf) {
  if (!is_sdf) {
    if (entry.row == entry.column)
      return inertia.attribute_number(entry.name, "moments of inertia about the centre of mass, kg m^2");
    return inertia.optional_attribute_number(entry.name).value_or(0);
  }
  if (const std::optional<XmlElement> child = inertia.child(entry.name)) return child->number();
  return entry.row == entry.column ? 1 : 0;  // as SDF has it where nothing is said
}

void read_uuv_inertial(const UuvModel& model, Imported& imported) {
  const XmlElement inertial = model.base().required_child("inertial", "mass and inertia of the hull");
  model::Hull& hull = imported.spec.hull;
  const XmlElement mass = inertial.required_child("mass", "the dry mass of the hull, kg");
  hull.mass.value =
      model.is_sdf() ? mass.number() : mass.attribute_number("value", "the dry mass of the hull, kg");
  note(imported, "hull.mass", mass);
  const Pose frame = model.is_sdf() ? sdf_pose(inertial) : urdf_origin(inertial);
  hull.centre_of_mass.value = swap_frd_flu(frame.p_pc_p);
  note_list(imported, "hull.centre_of_mass",
            inertial.child(model.is_sdf() ? "pose" : "origin").value_or(inertial), 3);
  const XmlElement inertia = inertial.required_child("inertia", "about the centre of mass, kg m^2");
  Mat3 I;
  for (const UuvInertiaEntry& entry : inertia_uuv_entries)
    I(entry.row, entry.column) = I(entry.column, entry.row) = inertia_uuv_entry(inertia, entry, model.is_sdf());
  const Mat3 R = frame.q_pc.toRotationMatrix();
  if (!R.isIdentity(0)) I = (R * I * R.transpose()).eval();  // unturned axes keep every bit
  hull.inertia.value = swap_frd_flu(I);
  note_matrix(imported, "hull.inertia", inertia, 3);
  for (const UuvInertiaEntry& entry : inertia_uuv_entries)
    note(imported, fmt::format("hull.inertia[{}][{}]", entry.row, entry.column), inertia, entry.name);
}

void lose_other_links(const UuvModel& model, Imported& imported) {
  for (const XmlElement& link : model.links()) {
    if (link == model.base()) continue;
    const std::optional<XmlElement> inertial = link.child("inertial");
    const std::optional<XmlElement> mass = inertial ? inertial->child("mass") : std::nullopt;
    if (!mass) continue;
    const double kg = model.is_sdf() ? mass->number() : mass->attribute_number("value", "kg");
    if (kg != 0)
      lose(imported, link,
           fmt::format("link '{}' of {} kg is no part of the hull that is read",
                       link.attribute("name").value_or(""), kg),
           "add it to hull.mass if it is fixed and not only there to please Gazebo");
  }
  for (const XmlElement& other : model.plugin().children("link"))
    if (!(other == model.hydro()))
      lose(imported, other,
           fmt::format("hydrodynamics of a second link, '{}'", other.attribute("name").value_or("")));
}

void read_uuv_size(const XmlElement& hydro, Imported& imported) {
  const std::optional<XmlElement> box = hydro.child("box");
  if (!box) return;
  const std::string hint = "extent of the bounding box, m";
  const XmlElement length = box->required_child("length", hint), width = box->required_child("width", hint),
                   height = box->required_child("height", hint);
  imported.spec.hull.size.emplace();
  imported.spec.hull.size->value = {length.number(), width.number(), height.number()};
  note(imported, "hull.size", *box);
  note(imported, "hull.size[0]", length);
  note(imported, "hull.size[1]", width);
  note(imported, "hull.size[2]", height);
}

void read_uuv_buoyancy(const UuvModel& model, Imported& imported) {
  const XmlElement& hydro = model.hydro();
  model::Hull& hull = imported.spec.hull;
  if (const std::optional<XmlElement> density = model.plugin().child("fluid_density")) {
    imported.density = density->number();
    if (!(*imported.density > 0))
      density->reject_it(fmt::format("= {}, must be > 0", *imported.density), "kg/m^3");
  }
  if (const std::optional<XmlElement> volume = hydro.child("volume")) {
    hull.volume.value = volume->number();
    note(imported, "hull.volume", *volume);
  }
  if (const std::optional<XmlElement> neutral = hydro.child("neutrally_buoyant");
      neutral && neutral->yes_or_no()) {
    hull.volume.value = hull.mass.value / imported.density.value_or(uuv_density);
    note(imported, "hull.volume", *neutral);
  }
  if (const std::optional<XmlElement> centre = hydro.child("center_of_buoyancy")) {
    hull.centre_of_buoyancy.value = swap_frd_flu(centre->vector3());
    note_list(imported, "hull.centre_of_buoyancy", *centre, 3);
  }
  read_uuv_size(hydro, imported);
}

/// 6 numbers are a diagonal, 36 the rows; as the file has them.
Mat6 diagonal_or_rows(const XmlElement& element) {
  const std::vector<double> numbers = element.numbers_of_any_count();
  Mat6 m = Mat6::Zero();
  if (numbers.size() == 6)
    for (int i = 0; i < 6; ++i) m(i, i) = numbers[static_cast<std::size_t>(i)];
  else if (numbers.size() == 36)
    for (int i = 0; i < 36; ++i) m(i / 6, i % 6) = numbers[static_cast<std::size_t>(i)];
  else
    element.reject_it(fmt::format("has {} numbers, must have 6 (a diagonal) or 36 (rows)", numbers.size()),
                      "in the order surge sway heave roll pitch yaw");
  return m;
}

void read_uuv_quadratic(const XmlElement& element, model::DragElement& drag, Imported& imported) {
  Mat6 m = diagonal_or_rows(element);
  for (int j = 0; j < 6; ++j) {
    drag.quadratic.value.by_speed[static_cast<std::size_t>(j)](j, j) = 0.0 - m(j, j);
    m(j, j) = 0;
  }
  note_list(imported, "damping[0].quadratic", element, 6);
  if (!m.isZero(0))
    lose(imported, element, "entries off the diagonal: UUV Simulator itself uses the diagonal alone",
         "write 6 numbers");
}

void read_uuv_damping(const XmlElement& fossen, Imported& imported) {
  model::DragElement drag;
  drag.name = "hull";
  if (const std::optional<XmlElement> linear = fossen.child("linear_damping")) {
    drag.linear.value = Mat6::Zero() - diagonal_or_rows(*linear);
    note_matrix(imported, "damping[0].linear", *linear, 6);
  }
  if (const std::optional<XmlElement> quadratic = fossen.child("quadratic_damping"))
    read_uuv_quadratic(*quadratic, drag, imported);
  imported.spec.damping.push_back(drag);
  if (const std::optional<XmlElement> forward = fossen.child("linear_damping_forward_speed"))
    if (const Mat6 m = diagonal_or_rows(*forward); !m.isZero(0))
      lose(imported, *forward,
           fmt::format(
               "damping that grows with the forward speed (largest {}): it has u where a robot file has |u|, "
               "and drives the vehicle when it goes astern",
               m.cwiseAbs().maxCoeff()),
           "for a vehicle that goes forward alone, add it with the other sign to damping[0].quadratic.u");
}

void read_uuv_hydrodynamics(const UuvModel& model, Imported& imported) {
  const XmlElement fossen = model.hydro().required_child("hydrodynamic_model", "added mass and damping");
  const XmlElement type = fossen.required_child("type", "fossen");
  if (type.text() != "fossen")
    type.reject_it(
        "'" + type.text() + "' has its coefficients from formulas of the simulator, not from the file",
        "only <type>fossen</type> states numbers; ask the simulator for its values and write them");
  if (const std::optional<XmlElement> added = fossen.child("added_mass")) {
    const std::vector<double> numbers = added->numbers(36);
    for (int i = 0; i < 36; ++i)
      imported.spec.hull.added_mass.value(i / 6, i % 6) = numbers[static_cast<std::size_t>(i)];
    note_matrix(imported, "hull.added_mass", *added, 6);
  }
  read_uuv_damping(fossen, imported);
  for (const XmlElement& child : fossen.children())
    if (child.name().starts_with("scaling_") || child.name().starts_with("offset_"))
      lose(imported, child, "a factor or offset: UUV Simulator takes it from its services, not from the file");
}

}  // namespace

Imported read_uuv_simulator(const XmlFile& xml) {
  const XmlElement root = xml.root();
  const UuvModel model(root);
  Imported imported;
  imported.format = Format::uuv_simulator;
  imported.spec.name = model.element().attribute("name").value_or("");
  read_uuv_inertial(model, imported);
  read_uuv_buoyancy(model, imported);
  read_uuv_hydrodynamics(model, imported);
  read_uuv_thrusters(model, imported);
  lose_other_links(model, imported);
  return imported;
}

}  // namespace fathom::exchange::internal
