#pragma once
#include <string>
#include <vector>

#include "fathom/exchange/export.hpp"
#include "fathom/exchange/import.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"
#include "fathom/task/context.hpp"
#include "fathom/task/result.hpp"

// Models that go to other programs and come from them.
namespace fathom::task {

/// Options of export_robot(); keys are the flags of `fathom export`.
struct ExportOptions {
  std::string robot = {};               ///< name of a shipped robot, or path of a robot file
  std::string to = {};                  ///< format (docs/export.md)
  double density = model::fresh_water;  ///< kg/m^3, for formats that hold forces in place of volumes
};

/// A value that the other side cannot hold.
struct LossSummary {
  std::string key, what, remedy;
};

struct ExportSummary {
  std::string command, robot, format;
  double density = 0;
  std::vector<LossSummary> losses = {};
  std::vector<std::string> files = {};
};

struct ExportResult : ResultOf<ExportResult, ExportSummary> {
  std::vector<exchange::ExportedFile> exported = {};  ///< the first is the one that the program is given

  report::Document report() const;
  std::vector<ResultFile> files() const;
  static ExportResult load(const std::filesystem::path& folder);
};

/// Writes a robot as another program reads it, and lists what that cannot hold. Throws InputError.
ExportResult export_robot(const ExportOptions& options, const Context& context = {});

struct ImportSummary {
  struct Place {
    std::string file;
    int line = 0;
    std::string tag;
  };
  std::string command, robot, format;
  std::vector<LossSummary> losses = {};
  ByName<Place> places = {};  ///< of the numbers, by key of the robot file
  std::vector<std::string> files = {};
};

struct ImportResult : ResultOf<ImportResult, ImportSummary> {
  model::Robot robot;

  report::Document report() const;
  std::vector<ResultFile> files() const;
  static ImportResult load(const std::filesystem::path& folder);
};

/// Returns true if the file is a model of another program: XML, or named .sdf or .urdf.
bool is_model_file(const std::filesystem::path& path);

/// Reads a model of another program as a robot; `fathom convert FILE`. Throws InputError with the model's
/// lines.
ImportResult import_robot(const std::string& source, const Context& context = {});

}  // namespace fathom::task
