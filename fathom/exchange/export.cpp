#include "fathom/exchange/export.hpp"

#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"
#include "fathom/exchange/format.hpp"
#include "fathom/exchange/internal/writers.hpp"

namespace fathom::exchange {

Exported export_robot(const model::Robot& robot, Format format, const ExportOptions& options) {
  switch (format) {
    case Format::gz_sim: return internal::to_gz_sim(robot, options);
    case Format::uuv_simulator: return internal::to_uuv_simulator(robot, options);
    case Format::rdml: return internal::to_rdml(robot, options);
    case Format::urdf: return internal::to_urdf(robot, options);
    case Format::stonefish: return internal::to_stonefish(robot, options);
    case Format::matlab: return internal::to_matlab(robot, options);
  }
  reject("format", "is none of those that there are");
}

std::vector<std::filesystem::path> write_exported(const Exported& exported,
                                                  const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const ExportedFile& file : exported.files) {
    paths.push_back(folder / file.name);
    write_file_atomically(paths.back(), file.text);
  }
  return paths;
}

const FormatFacts& facts_of(Format format) {
  for (const FormatFacts& facts : formats)
    if (facts.format == format) return facts;
  reject("format", "is none of those that there are");
}

Format format_from(const std::string& name) {
  std::string names;
  for (const FormatFacts& facts : formats) {
    if (facts.name == name) return facts.format;
    names += (names.empty() ? "" : ", ") + std::string(facts.name);
  }
  reject("format", "'" + name + "' is no format", "there are: " + names);
}

}  // namespace fathom::exchange
