#include <fmt/format.h>

#include "fathom/model/environment.hpp"
#include "fathom/model/lump.hpp"
#include "fathom/model/shape_drag.hpp"
#include "fathom/model_file/internal/arm_table.hpp"
#include "fathom/model_file/internal/shape_table.hpp"
#include "fathom/model_file/internal/value_codec.hpp"

// Keys of the links of arm files.
namespace fathom::model {
namespace {

struct LinkShape {
  Shape shape = Cuboid{};
  Value<Vec3> position, attitude_rpy;  ///< of its middle and axes in the link's frame
  double density = fresh_water;        ///< kg/m^3, of the water that added mass and drag are of
};

struct Payload {
  Lump dry;
  double volume = 0;  ///< m^3, around the same centre
};

struct LinkEntry {
  std::string name;
  Hull body;
  std::vector<DragElement> damping;
  bool has_shape = false;
  std::optional<Payload> payload;
};

const char* word_of(const Shape& shape) {
  if (std::holds_alternative<Cuboid>(shape)) return "box";
  return std::holds_alternative<Cylinder>(shape) ? "cylinder" : "ellipsoid";
}

/// Everything of a link but its mass, of an evenly filled shape: docs/prior.md eqs. 1, 4 to 8, 11 and 12.
void fill_from(const LinkShape& given, LinkEntry& link) {
  const Shape& shape = given.shape;
  const Vec3& middle = given.position.value;
  const Pose pose = {quaternion_from_euler(given.attitude_rpy.value), middle};
  const auto guess = [&](const auto& value, const std::string& how) {
    return Value<std::decay_t<decltype(value)>>{value, fmt::format("from a {}{}", word_of(shape), how), true,
                                                std::nullopt};
  };
  const std::string in_water = fmt::format(" in water of {:g} kg/m^3", given.density);
  Hull& body = link.body;
  body.volume = guess(volume_of(shape), "");
  body.centre_of_buoyancy = guess(middle, "");
  body.centre_of_mass = guess(middle, " that is filled evenly");
  const Vec3 moments = body.mass.value * gyration_of(shape);
  const Lump filled = seen_in(pose, {body.mass.value, Vec3::Zero(), moments.asDiagonal()});
  body.inertia = guess(filled.inertia, " that is filled evenly");
  const Mat6 H = twist_transform(pose);
  const Mat6 added = H.transpose() * added_mass_of_shape(shape, given.density).asDiagonal() * H;
  body.added_mass = guess(Mat6(0.5 * (added + added.transpose()) + Mat6::Zero()), in_water);
  DragElement drag;
  drag.name = "shape";
  drag.position_b.value = middle;
  drag.attitude_rpy.value = given.attitude_rpy.value;
  const Vec6 quadratic = quadratic_drag_of(shape, HullKind::closed, given.density).value;
  QuadraticDrag by_speed;
  for (int j = 0; j < 6; ++j) by_speed.by_speed[static_cast<std::size_t>(j)](j, j) = quadratic[j];
  drag.quadratic = guess(by_speed, in_water);
  link.damping = {drag};
}

template <class T>
void change(Value<T>& value, const T& to) {
  value.value = to;
  value.sigma.reset();  // that of the empty hand
  value.source += value.source.empty() ? "with payload" : ", with payload";
}

void merge(const Payload& payload, Hull& body) {
  const Lump dry = joined({{body.mass.value, body.centre_of_mass.value, body.inertia.value}, payload.dry});
  change(body.mass, dry.mass);
  change(body.centre_of_mass, dry.centre);
  change(body.inertia, dry.inertia);
  if (payload.volume == 0) return;
  const double volume = body.volume.value + payload.volume;
  const Vec3 moment = body.volume.value * body.centre_of_buoyancy.value + payload.volume * payload.dry.centre;
  change(body.volume, volume);
  change(body.centre_of_buoyancy, Vec3(moment / volume));
}

/// `{cylinder: {length, diameter}, position, attitude_deg, density}`
struct ShapeOfLink : fields::ReadOnly {
  static void read(const yaml::Field& field, const fields::Spec&, LinkEntry& link) {
    link.has_shape = true;
    LinkShape given;
    fields::read(field, given);
    yaml::check_under(field, [&] { check_shape(given.shape); });
    if (!has_errors(field.reading().findings())) fill_from(given, link);
  }
  static fields::Json schema(const fields::Spec&) { return fields::schema_of<LinkShape>(); }
};

/// Replaces what the shape says.
template <class C>
struct Anew : C {
  template <class T>
  static void read(const yaml::Field& field, const fields::Spec& spec, T& out) {
    out = {};
    C::read(field, spec, out);
  }
};

// A shape knows what else must be given.
bool lacks_shape(const void* link) { return !static_cast<const LinkEntry*>(link)->has_shape; }
bool lacks_shape_in_water(const void* link) {
  return lacks_shape(link) && static_cast<const LinkEntry*>(link)->body.volume.value > 0;
}

template <auto member, class C = fields::Codec<typename fields::internal::Member<decltype(member)>::Type>>
fields::Key body_key(std::string_view name) {
  return fields::field_in<&LinkEntry::body, member, Anew<C>>(name).origin_if_given();
}

}  // namespace
}  // namespace fathom::model

// clang-format off
namespace fathom::fields {

using namespace model;

template <> const Keys& Table<LinkShape>::fields() {
  using T = LinkShape;
  static const Keys keys{
      spread<&T::shape>(),
      position<&T::position>().doc("Middle of the shape in the link's frame."),
      within_ten_turns(attitude<&T::attitude_rpy>().doc("Roll, pitch, yaw (z-y-x) from the link's axes to those of the shape.")),
      field<&T::density>("density").unit("kg/m^3").above(0).doc("Density of the water that added mass and drag are of.")};
  return keys;
}

template <> const Keys& Table<Payload>::fields() {
  constexpr auto dry = &Payload::dry;
  static const Keys keys{
      field_in<dry, &Lump::mass>("mass").unit("kg").above(0).hint("leave payload out without one").required("kg, dry").doc("Dry mass."),
      field_in<dry, &Lump::centre>("position").unit("m").what("x, y, z in m, in the link's frame")
          .required("m, of its centre in the link's frame").doc("Centre in the link's frame."),
      field_in<dry, &Lump::inertia>("inertia").unit("kg m^2").what("kg m^2 about the centre of mass, body axes")
          .doc("Inertia about its centre, axes of the link; left out: a point."),
      field<&Payload::volume>("volume").unit("m^3").at_least(0).hint("of displaced water").doc("Displaced volume.")};
  return keys;
}

template <> const Keys& Table<LinkEntry>::fields() {
  constexpr auto body = &LinkEntry::body;
  constexpr std::string_view point = "x, y, z in m, in the link's frame";
  static const Keys keys = stated({
      field<&LinkEntry::name, NameText>("name").always().doc("A short word of its own among the links; left out: that of its joint."),
      section_origin(),
      body_key<&Hull::mass>("mass").unit("kg").above(0).required("kg, dry").doc("Dry mass."),
      self<LinkEntry, ShapeOfLink>("shape").doc("Evenly filled shape, from which follows what is left out, but for the mass."),
      body_key<&Hull::inertia>("inertia").unit("kg m^2").what("kg m^2 about the centre of mass, body axes").above(0)
          .required_if(lacks_shape, "kg m^2 about the centre of mass; or shape")
          .doc("Dry inertia about the centre of mass, axes of the link."),
      body_key<&Hull::centre_of_mass>("centre_of_mass").unit("m").what(point)
          .required_if(lacks_shape, "m, in the link's frame; or shape").doc("Centre of mass in the link's frame."),
      body_key<&Hull::volume>("volume").unit("m^3").at_least(0)
          .required_if(lacks_shape, "m^3 of displaced water, 0 in air; or shape").doc("Displaced volume; 0 in air."),
      body_key<&Hull::centre_of_buoyancy>("centre_of_buoyancy").unit("m").what(point)
          .required_if(lacks_shape_in_water, "m, in the link's frame; or shape").doc("Centre of buoyancy in the link's frame."),
      added_mass(body_key<&Hull::added_mass>("added_mass"),
                 field_in<body, &Hull::added_mass, Anew<SnameValue<Mat6>>>("sname_added_mass"))
          .always().doc("Added mass at the link's origin, positive semi-definite."),
      field<&LinkEntry::damping>("damping").doc("Drag elements, summed; they replace that of the shape."),
      field<&LinkEntry::payload>("payload").doc("Body that the link holds, merged into it.")});
  return keys;
}
template <> void Table<LinkEntry>::refine(Json& schema) {
  Json& keys = schema["properties"];
  for (const char* key : {"name", "inertia", "centre_of_mass", "volume", "centre_of_buoyancy"}) keys[key].erase("default");
  keys["name"]["not"] = {{"const", "base"}};
  schema["anyOf"] = Json::array({{{"required", {"shape"}}}, {{"required", {"inertia", "centre_of_mass", "volume"}}}});
}

}  // namespace fathom::fields
// clang-format on

namespace fathom::model::internal {

void LinkCodec::read(const yaml::Field& field, const fields::Spec&, Link& out) {
  LinkEntry link;
  link.name = out.name;
  fields::read(field, link);
  const double mass = link.body.mass.value, volume = link.body.volume.value;
  // Volumes that were fitted may be next to nothing; those of a shape are what somebody measured.
  constexpr double densest = 1e5;  // kg/m^3, four times osmium
  if (link.has_shape && volume > 0 && mass > densest * volume)
    field.error(fmt::format("has {:g} kg in {:g} m^3, {:.2g} kg/m^3: denser than any metal", mass, volume,
                            mass / volume),
                "grams? Fathom wants kg; dimensions of the shape in m");
  if (link.payload && !has_errors(field.reading().findings())) merge(*link.payload, link.body);
  out = {std::move(link.name), std::move(link.body), std::move(link.damping)};
}

fields::Json LinkCodec::write(const Link& link, const fields::Spec&) {
  return fields::to_json(
      LinkEntry{.name = link.name, .body = link.body, .damping = link.damping, .payload = {}});
}

fields::Json LinkCodec::schema(const fields::Spec&) { return fields::schema_of<LinkEntry>(); }

}  // namespace fathom::model::internal
