#pragma once
#include "fathom/fields/codec.hpp"
#include "fathom/model/arm.hpp"

namespace fathom::model::internal {

/// The arm behind `spec`, which was read at `key`. Where none can be made of it the findings go to `reading`.
std::optional<Arm> make_arm(ArmSpec spec, yaml::Reading& reading, const std::string& key);

/// The map `link` of a joint. What its shape says stands where the file says nothing else, and its payload is
/// merged into it. The name that `out` has is that of a link without one.
struct LinkCodec {
  static void read(const yaml::Field& field, const fields::Spec& spec, Link& out);
  static fields::Json write(const Link& link, const fields::Spec& spec);
  static fields::Json schema(const fields::Spec& spec);
};

/// Of a robot file with `vehicle` and `arms`, without its key `format`.
fields::Json vehicle_with_arms_schema();

}  // namespace fathom::model::internal

namespace fathom::fields {

/// What stands below `arm` in an arm file, or as an entry of a vehicle's arms.
template <>
const Keys& Table<model::ArmSpec>::fields();

}  // namespace fathom::fields
