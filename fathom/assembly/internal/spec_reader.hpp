#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fathom/assembly/internal/file_reader.hpp"

namespace fathom::assembly::internal {

/// Reads the key `assembly` of one file.
class SpecReader {
 public:
  SpecReader(FileReader& files, std::filesystem::path beside) : files_(files), beside_(std::move(beside)) {}

  AssemblySpec read(const yaml::Field& root);
  /// From modules[3].name, where nested assemblies are counted module by module, to the key in the file.
  std::string key_in_file(const std::string& key) const;

 private:
  struct Entry {  // of the list of modules
    std::string name;
    std::vector<model::Connector> connectors;
    std::optional<Pose> pose;
  };
  void read_assembly(const yaml::Field& field);
  void read_module(const yaml::Field& field);
  void add_robot(const yaml::Field& field, Entry entry, const FilePart& part);
  void add_nested(const yaml::Field& field, const Entry& outer, const FilePart& part);
  bool has_room(const yaml::Field& field, const FilePart& part);
  void read_coupling(const yaml::Field& field);
  std::optional<End> read_end(const yaml::Field& field);
  void reject_module(const yaml::Field& field, const std::string& text, const std::string& name);

  FileReader& files_;
  std::filesystem::path beside_;
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
