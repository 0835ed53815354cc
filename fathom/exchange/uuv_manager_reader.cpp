#include <filesystem>

#include <fmt/format.h>

#include "fathom/base/file.hpp"
#include "fathom/exchange/internal/uuv_conversion.hpp"
#include "fathom/exchange/internal/uuv_model.hpp"
#include "fathom/fields/yaml.hpp"

namespace fathom::exchange::internal {
namespace {

namespace fs = std::filesystem;

/// Beside the file, or in the folder config there.
std::optional<fs::path> beside(const std::string& file, const char* name) {
  const fs::path folder = fs::path(file).parent_path();
  for (const fs::path& path : {folder / name, folder / "config" / name}) {
    std::error_code error;
    if (fs::is_regular_file(path, error)) return path;
  }
  return std::nullopt;
}

/// What stands under `key`; the parameters of ROS 2 stand two maps deeper.
std::optional<yaml::Field> field_of(const yaml::Field& root, std::string_view key) {
  if (!root.is_map()) return std::nullopt;
  yaml::Map map(root);
  if (std::optional<yaml::Field> field = map.take(key)) return field;
  for (const std::string_view outer : {"/**", "ros__parameters"})
    if (std::optional<yaml::Field> field = map.take(outer)) return field_of(*field, key);
  return std::nullopt;
}

void stop_at_errors(const yaml::Reading& reading) {
  if (has_errors(reading.findings())) throw InputError(reading.findings());
}

int line_of(const yaml::Field& field) { return field.node().Mark().line + 1; }

/// Six rows, or one list of all: row by row, as ROS 2 has it.
std::vector<std::vector<double>> rows_of(const yaml::Field& tam, const fs::path& path) {
  std::vector<std::vector<double>> rows;
  const std::vector<yaml::Field> items = tam.is_list() ? tam.items() : std::vector<yaml::Field>();
  if (!items.empty() && items.front().is_list()) {
    for (const yaml::Field& item : items) rows.push_back(item.number_list().value_or(std::vector<double>()));
  } else if (const auto flat = tam.number_list(); flat && flat->size() % 6 == 0) {
    const auto columns = static_cast<std::ptrdiff_t>(flat->size() / 6);
    for (std::ptrdiff_t i = 0; i < 6; ++i)
      rows.emplace_back(flat->begin() + i * columns, flat->begin() + (i + 1) * columns);
  }
  stop_at_errors(tam.reading());
  const auto reject_rows = [&](const std::string& message) {
    reject(path.string(), line_of(tam), "tam", message,
           "X Y Z K M N, a row each, with a number for each thruster");
  };
  if (rows.size() != 6) reject_rows(fmt::format("has {} rows, must have 6", rows.size()));
  for (const std::vector<double>& row : rows)
    if (row.size() != rows.front().size())
      reject_rows(fmt::format("has rows of {} and of {} numbers", rows.front().size(), row.size()));
  return rows;
}

void read_tam(const fs::path& path, Imported& imported) {
  const YAML::Node document =
      yaml::parse_document(read_file(path), path.string(), "a file holds one matrix", "it begins with tam:");
  yaml::Reading reading(path.string());
  const std::optional<yaml::Field> tam = field_of(yaml::Field(document, "", reading), "tam");
  if (!tam) reject(path.string(), 1, "", "has no key tam", "the thruster manager writes tam: and six rows");
  const std::vector<std::vector<double>> rows = rows_of(*tam, path);
  const std::size_t columns = rows.front().size(), thrusters = imported.spec.thrusters.size();
  if (thrusters > 0 && columns != thrusters)
    reject(path.string(), line_of(*tam), "tam",
           fmt::format("has {} columns, the model has {} thrusters", columns, thrusters),
           "let the thruster manager write it anew, or move it away");
  Mat6X B(6, static_cast<Eigen::Index>(columns));
  for (Eigen::Index i = 0; i < 6; ++i)
    for (Eigen::Index k = 0; k < B.cols(); ++k) {
      // From forward, port, up: as swap_frd_flu of a wrench.
      B(i, k) = (i % 3 == 0 ? 1 : -1) * rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
      imported.places[fmt::format("allocation[{}][{}]", i, k)] = {path.string(), line_of(*tam), "tam"};
    }
  imported.allocation_b = B;
  if (thrusters == 0 && columns > 0)
    imported.losses.push_back(
        {fmt::format("tam, {}:{}", path.string(), line_of(*tam)),
         fmt::format("{} thrusters: their forces and moments are here, their places nowhere", columns),
         "give the model with its thruster joints"});
}

/// Limits for thrusters whose plug-in states none.
void read_manager(const fs::path& path, Imported& imported) {
  const YAML::Node document = yaml::parse_document(
      read_file(path), path.string(), "a file holds one configuration", "it begins with thruster_manager:");
  yaml::Reading reading(path.string());
  const std::optional<yaml::Field> manager = field_of(yaml::Field(document, "", reading), "thruster_manager");
  if (!manager || !manager->is_map())
    reject(path.string(), 1, "", "has no key thruster_manager", "it holds max_thrust and the conversion");
  const std::optional<yaml::Field> limit = field_of(*manager, "max_thrust");
  if (!limit) return;
  std::vector<model::Thruster>& thrusters = imported.spec.thrusters;
  std::vector<double> values;
  if (limit->is_list())
    values = limit->number_list().value_or(std::vector<double>());
  else
    values.assign(thrusters.size(), limit->number("N").value_or(0));
  stop_at_errors(reading);
  if (values.size() != thrusters.size())
    reject(path.string(), line_of(*limit), "max_thrust",
           fmt::format("has {} numbers, the model has {} thrusters", values.size(), thrusters.size()),
           "one for all, or one for each");
  for (std::size_t k = 0; k < thrusters.size(); ++k) {
    if (!(values[k] > 0))
      reject(path.string(), line_of(*limit), "max_thrust", fmt::format("= {}, must be > 0", values[k]), "N");
    if (thrusters[k].force || values[k] >= no_limit_n) continue;
    thrusters[k].force.emplace();
    thrusters[k].force->value = {-values[k], values[k]};
    for (const char* key : {"force", "force[0]", "force[1]"})
      imported.places[fmt::format("thrusters[{}].{}", k, key)] = {path.string(), line_of(*limit), "max_thrust"};
  }
}

}  // namespace

void read_manager_files(const std::string& file, Imported& imported) {
  if (const std::optional<fs::path> path = beside(file, "thruster_manager.yaml")) read_manager(*path, imported);
  if (const std::optional<fs::path> path = beside(file, "TAM.yaml")) read_tam(*path, imported);
}

}  // namespace fathom::exchange::internal
