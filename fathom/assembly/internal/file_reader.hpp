#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fathom/assembly/assembly.hpp"
#include "fathom/fields/yaml.hpp"

namespace fathom::assembly::internal {

inline constexpr std::size_t largest_assembly_file = 1u << 22;

/// What a module's file holds: one robot, or the modules of an assembly.
struct FilePart {
  std::vector<Module> modules;  // of a robot one, without a name
  std::vector<Coupling> couplings;
  std::vector<Pose> poses;  // by module, in the part's own frame
  bool is_assembly = false;
  std::size_t bytes = 0;         // what a copy takes, about
  std::optional<Finding> error;  // why it cannot be used
};

/// Reads an assembly and the files that it names, each once.
class FileReader {
 public:
  explicit FileReader(std::vector<std::filesystem::path> folders) : folders_(std::move(folders)) {}
  Assembly read(const std::string& text, const std::string& file);

 private:
  friend class SpecReader;
  /// Reports at `field`, once for each reading, what keeps the file from being used.
  const FilePart* part(const yaml::Field& field, const std::filesystem::path& beside,
                       std::set<const FilePart*>& told);
  FilePart read_part(const std::filesystem::path& path);

  std::vector<std::filesystem::path> folders_;
  std::map<std::string, std::unique_ptr<FilePart>> parts_;  // by file
  std::map<std::string, std::size_t> robot_bytes_;          // by robot_file
  std::vector<std::string> open_;  // files that are being read, each named by the one before
};

}  // namespace fathom::assembly::internal
