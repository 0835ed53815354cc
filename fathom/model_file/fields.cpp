#include "fathom/model_file/fields.hpp"

#include <utility>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/model_file/arm_file.hpp"
#include "fathom/model_file/catalogue.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::model {

namespace {

/// What keeps a robot or an arm from being found or read, told at the field that names it.
void pass_on(const yaml::Field& field, const InputError& error) {
  Finding first = error.findings().front();
  const std::string hint = std::exchange(first.hint, "");
  field.error(first.file.empty() ? "cannot be found: " + first.message : "cannot be used: " + first.text(),
              hint);
}

using FindFile = std::filesystem::path (*)(const std::string&, const std::vector<std::filesystem::path>&);

/// A path in a file is meant from where that file lies.
std::optional<std::filesystem::path> find_named(const yaml::Field& field, const std::filesystem::path& beside,
                                                const std::vector<std::filesystem::path>& folders,
                                                FindFile find) {
  auto name = field.text();
  if (!name) return std::nullopt;
  const bool is_path =
      name->find('/') != std::string::npos || name->ends_with(".yaml") || name->ends_with(".urdf");
  if (is_path && std::filesystem::path(*name).is_relative())
    name = (beside / *name).lexically_normal().string();
  if (is_path && name->find('/') == std::string::npos) name = "./" + *name;
  std::error_code none;
  if (is_path && !std::filesystem::exists(*name, none)) {
    field.error(fmt::format("= {}, which does not exist", in_quotes(*name)),
                "a path is meant from the folder of this file");
    return std::nullopt;
  }
  try {
    return find(*name, folders);
  } catch (const InputError& error) {
    pass_on(field, error);
    return std::nullopt;
  }
}

template <class Read>
auto read_named(const yaml::Field& field, const std::optional<std::filesystem::path>& found, std::string* file,
                const Read& read) -> std::optional<decltype(read(*found))> {
  if (!found) return std::nullopt;
  if (file) *file = found->string();
  try {
    return read(*found);
  } catch (const InputError& error) {
    pass_on(field, error);
    return std::nullopt;
  }
}

}  // namespace

std::optional<std::filesystem::path> find_named_robot(const yaml::Field& field,
                                                      const std::filesystem::path& beside,
                                                      const std::vector<std::filesystem::path>& folders) {
  return find_named(field, beside, folders, find_robot_file);
}

std::optional<Robot> read_named_robot(const yaml::Field& field, const std::filesystem::path& beside,
                                      const std::vector<std::filesystem::path>& folders, std::string* file) {
  return read_named(field, find_named(field, beside, folders, find_robot_file), file,
                    [](const std::filesystem::path& path) { return read_robot(path); });
}

std::optional<Arm> read_named_arm(const yaml::Field& field, const std::filesystem::path& beside,
                                  const std::vector<std::filesystem::path>& folders, std::string* file) {
  return read_named(field, find_named(field, beside, folders, find_arm_file), file,
                    [](const std::filesystem::path& path) { return read_arm(path.string()); });
}

std::optional<Dof> read_dof(const yaml::Field& field) {
  const auto n = field.number("");
  if (!n) return std::nullopt;
  if (*n == 3 || *n == 4 || *n == 6) return Dof(static_cast<int>(*n));
  field.error(fmt::format("= {}, expected 3, 4 or 6", *n), "");
  return std::nullopt;
}

void check_tank(const std::string& key, const Vec3& min, const Vec3& max, Findings& findings) {
  if (!(min.array() < max.array()).all())
    add_error(findings, key, "has a side where min is not below max", "m north, east, down; down is positive");
  else if (min.z() > 0 || max.z() <= 0)
    add_error(
        findings, key,
        fmt::format("reaches from {} to {} m down, but the surface of the water is at 0", min.z(), max.z()),
        "down is positive: min [.., .., 0], max [.., .., depth]");
}

}  // namespace fathom::model
