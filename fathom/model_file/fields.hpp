#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fathom/fields/codec.hpp"
#include "fathom/model/arm.hpp"
#include "fathom/model/dof.hpp"
#include "fathom/model/robot.hpp"

// What the files of several modules say in the same words.
namespace fathom::model {

/// A robot by name, or by a path seen from `beside`; `file` receives where it was found.
std::optional<Robot> read_named_robot(const yaml::Field& field, const std::filesystem::path& beside,
                                      const std::vector<std::filesystem::path>& folders,
                                      std::string* file = nullptr);

/// The file of such a robot, which need not be one that can be read.
std::optional<std::filesystem::path> find_named_robot(const yaml::Field& field,
                                                      const std::filesystem::path& beside,
                                                      const std::vector<std::filesystem::path>& folders);

/// An arm by name, or by a path seen from `beside`, of an arm file or a URDF.
std::optional<Arm> read_named_arm(const yaml::Field& field, const std::filesystem::path& beside,
                                  const std::vector<std::filesystem::path>& folders,
                                  std::string* file = nullptr);

/// Degrees of freedom: 3, 4 or 6.
std::optional<Dof> read_dof(const yaml::Field& field);

/// Adds an error at `key` unless the corners make a tank.
void check_tank(const std::string& key, const Vec3& min, const Vec3& max, Findings& findings);

}  // namespace fathom::model

namespace fathom::fields {

/// Roll, pitch and yaw of an orientation, by a codec of vectors.
template <class C>
struct EulerAngles : C {
  static void read(const yaml::Field& field, const Spec& spec, Quat& out) {
    Vec3 rpy = Vec3::Zero();
    C::read(field, spec, rpy);
    out = quaternion_from_euler(rpy);
  }
  static Json write(const Quat&, const Spec&) { return absent(); }
};

/// One of the connectors of a robot file or of an assembly's module; a check of the whole file judges it.
template <>
const Keys& Table<model::Connector>::fields();

}  // namespace fathom::fields
