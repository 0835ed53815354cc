#include "fathom/model_file/hull_file.hpp"

#include "fathom/base/file.hpp"
#include "fathom/fields/describe.hpp"
#include "fathom/model_file/internal/robot_table.hpp"
#include "fathom/model_file/internal/shape_table.hpp"
#include "fathom/model_file/internal/value_codec.hpp"
#include "fathom/model_file/schema.hpp"

namespace fathom::model {
namespace {

constexpr std::size_t largest_hull_file = 1u << 20;

/// A hull file: the description, and what it states in another form.
struct HullFile {
  HullDescription hull;
  Shape shape = Cuboid{};
  Value<Vec3> position, attitude;
  fields::Named<ThrusterMap> thruster_maps;
  fields::Named<Transient> thruster_transients;
};

struct CheckedShape : fields::Codec<Shape> {
  static void read(const yaml::Field& field, const fields::Spec& spec, Shape& out) {
    Codec::read(field, spec, out);
    yaml::check_under(field, [&] { check_shape(out); });
  }
};

}  // namespace
}  // namespace fathom::model

namespace fathom::fields {

using namespace model;

// clang-format off
template <> const Keys& Table<Cylinder>::fields() {
  static const Keys keys{
      field<&Cylinder::length>("length").unit("m").above(0).stated().required("m").doc("Length, along x."),
      field<&Cylinder::diameter>("diameter").unit("m").above(0).stated().required("m").doc("Diameter.")};
  return keys;
}
template <> const Union& Choice<Shape>::alternatives() {
  static constexpr std::string_view size = "length, width, height in m";
  static const Union choice{
      .kind = "",
      .alternatives = {
          nested<Shape, Cuboid>(self<Cuboid, Wrapped<&Cuboid::size>>("box").unit("m").above(0).stated().what(size).doc("Box.")),
          nested<Shape, Ellipsoid>(self<Ellipsoid, Wrapped<&Ellipsoid::size>>("ellipsoid").unit("m").above(0).stated().what(size)
              .doc("Ellipsoid.")),
          nested<Shape, Cylinder>("cylinder").doc("Cylinder along x.")},
      .hint = "one of box: [l, w, h], ellipsoid: [l, w, h], cylinder: {length, diameter}",
      .noun = "shape"};
  return choice;
}

template <> const Words<HullKind>& words<HullKind>() {
  static const Words<HullKind> all{{"closed", HullKind::closed}, {"open_frame", HullKind::open_frame}};
  return all;
}

template <> const Keys& Table<HullFile>::fields() {
  constexpr auto hull = &HullFile::hull;
  constexpr std::string_view point = "x, y, z in m, body axes forward, starboard, down";
  const Keys shared = shared_keys<&HullFile::thruster_maps, &HullFile::thruster_transients>();
  static const Keys keys{
      field_in<hull, &HullDescription::name, NameText>("name").required("a short word").doc("Name of the robot."),
      field_in<hull, &HullDescription::title>("title").doc("One line for people."),
      field_in<hull, &HullDescription::notes>("notes").doc("Free text."),
      field_in<hull, &HullDescription::kind>("kind").required("closed or open_frame: does water go through it?")
          .doc("closed: water stays outside. open_frame: water goes through."),
      field<&HullFile::shape, CheckedShape>("shape").required("{box: [l, w, h]}, {ellipsoid: [l, w, h]} or {cylinder: {length, diameter}}")
          .doc("Shape of the whole hull."),
      position<&HullFile::position>(),
      attitude<&HullFile::attitude>(),
      field_in<hull, &HullDescription::mass>("mass").unit("kg").above(0).must("must be positive").required("kg, dry")
          .doc("Dry mass; without sigma it has 1 %."),
      field_in<hull, &HullDescription::volume>("volume").unit("m^3").above(0).stated().doc("Displaced volume; left out: neutral."),
      field_in<hull, &HullDescription::inertia>("inertia").unit("kg m^2").above(0).stated()
          .what("kg m^2 about the centre of mass, body axes").doc("Inertia about the centre of mass; left out: that of the shape."),
      field_in<hull, &HullDescription::centre_of_mass>("centre_of_mass").unit("m").what(point)
          .doc("Centre of mass; left out: the middle of the shape."),
      field_in<hull, &HullDescription::centre_of_buoyancy>("centre_of_buoyancy").unit("m").what(point)
          .doc("Centre of buoyancy; left out: a little above the centre of mass."),
      shared[0],
      shared[1],
      field_in<hull, &HullDescription::thrusters>("thrusters").doc("Thrusters, as in the robot file."),
      field_in<hull, &HullDescription::sensors>("sensors").doc("Sensors, as in the robot file."),
      field_in<hull, &HullDescription::command_path>("command_path")
          .doc("Command path, as in the robot file.")
          .was("steering")};
  return keys;
}
// clang-format on

}  // namespace fathom::fields

namespace fathom::model {

HullDescription parse_hull_file(const std::string& text, const std::string& file) {
  yaml::Reading reading(file);
  const YAML::Node document =
      yaml::parse_document(text, file, "one hull per file", "a hull file begins with 'format: fathom-hull-1'");
  const yaml::Field root(document, "", reading);
  HullFile read;
  yaml::Map map(root);
  yaml::check_format(map, "fathom-hull-1",
                     {{"fathom-robot-1", "is a robot file already", "fathom lint or fathom models"}});
  fields::read_keys(map, root, fields::Table<HullFile>::fields(), &read);
  find_shared(reading, read.thruster_maps, read.thruster_transients, read.hull.thrusters);
  map.finish();
  if (has_errors(reading.findings())) throw InputError(reading.findings());
  read.hull.hull = {read.shape, {quaternion_from_euler(read.attitude.value), read.position.value}};
  try {
    geometric_prior(read.hull,
                    Environment());  // what is wrong with thrusters or sensors is told here, with lines
  } catch (const InputError& error) {
    reading.add(error.findings());
    throw InputError(reading.findings());
  }
  return std::move(read.hull);
}

HullDescription read_hull_file(const std::filesystem::path& path) {
  return parse_hull_file(read_file(path, largest_hull_file), path.string());
}

fields::Json hull_schema() {
  return fields::schema_file(fields::schema_of<HullFile>(), "urn:fathom:hull:1",
                             "Fathom hull file, fathom-hull-1", "fathom-hull-1");
}

}  // namespace fathom::model
