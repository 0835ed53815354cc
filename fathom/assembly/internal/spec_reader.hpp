#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fathom/assembly/internal/file_reader.hpp"
#include "fathom/assembly/internal/spec_table.hpp"

namespace fathom::assembly::internal {

/// Reads the key `assembly` of one file.
class SpecReader {
 public:
  SpecReader(FileReader& files, std::filesystem::path beside) : files_(files), beside_(std::move(beside)) {}

  AssemblySpec read(const yaml::Field& root);
  /// From modules[3].name, where nested assemblies are counted module by module, to the key in the file.
  std::string key_in_file(const std::string& key) const;

 private:
  // `key` is that of the entry in the file.
  void add_module(const std::string& key, const ModuleEntry& entry);
  void add_robot(const std::string& key, const ModuleEntry& entry, std::vector<model::Connector> connectors,
                 const FilePart& part);
  void add_nested(const std::string& key, const ModuleEntry& outer, const FilePart& part);
  bool has_room(const std::string& key, const FilePart& part);
  void add_coupling(const std::string& key, const CouplingEntry& entry);
  void report(const std::string& key, std::string message, std::string hint);
  std::optional<End> read_end(const yaml::Field& field);
  void reject_module(const yaml::Field& field, const std::string& text, const std::string& name);

  FileReader& files_;
  std::filesystem::path beside_;
  yaml::Reading* reading_ = nullptr;
  AssemblySpec spec_;
  std::vector<std::string> module_keys_, coupling_keys_;  // in the file, by module and coupling of spec_
  std::vector<bool> is_own_module_, is_own_coupling_;     // not of a nested assembly
  std::map<std::string, std::size_t> module_by_name_;
  std::map<std::string, std::string> nested_;  // names of assemblies, and of a module of each
  std::set<std::string> unread_;               // modules whose file cannot be used
  std::set<const FilePart*> told_;
  std::size_t bytes_ = 0, given_connectors_ = 0, wrong_ends_ = 0;
  bool is_full_ = false;
};

}  // namespace fathom::assembly::internal
