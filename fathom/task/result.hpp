#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"
#include "fathom/report/page.hpp"
#include "fathom/task/output_folder.hpp"

namespace fathom::task {

/// Values by name, in order; an object in JSON.
template <class T>
using ByName = std::vector<std::pair<std::string, T>>;

/// A value whose key is left out of JSON where there is none; an empty std::optional is null there.
template <class T>
struct IfAny : std::optional<T> {
  using std::optional<T>::optional;
};

/// How a task ended, as the program's exit status says it.
enum class Status {
  done = 0,          ///< its checks hold
  check_failed = 1,  ///< it is done, but a check failed
  bad_input = 2,     ///< an input is no good; only a task that judges its inputs returns this, others throw
};

inline Status status_of(bool good) { return good ? Status::done : Status::check_failed; }

/// A file that a result leaves beside its summary and page.
struct ResultFile {
  std::string name, bytes;
};

/// Returns the JSON of a summary, and a summary from it; the .cpp of a task specialises both by FATHOM_SUMMARY.
/// Reading throws InputError where the text is not the JSON of such a summary.
template <class Summary>
std::string json_of(const Summary& summary);
template <class Summary>
Summary summary_of_json(const std::string& text);

/// Adds a table of all warnings of a run to its page: those about the result, then those about its input, by
/// importance. Those that differ only in their place share a row.
void add_warnings(report::Document& page, const std::vector<std::string>& of_result, const Findings& of_input);

/// The functions that all results of tasks have. A result adds its own data and `report::Document report()
/// const`, and hides the functions in which it differs.
template <class Result, class TheSummary>
struct ResultOf {
  using Summary = TheSummary;
  Summary summary;  ///< its members are the keys of summary.json
  /// Findings about the input that Context::warn got in the run; save() puts it on the page, below what
  /// warnings() returns.
  Findings input_findings = {};

  Status status() const { return Status::done; }
  /// Returns why a check failed, a sentence each, where the report does not tell.
  std::vector<std::string> reasons() const { return {}; }
  /// Returns what Context::warn has not heard.
  std::vector<std::string> warnings() const { return {}; }
  /// Returns the files to write beside page and summary.
  std::vector<ResultFile> files() const { return {}; }
  static constexpr bool has_page = false;  ///< save() writes report.html

  std::string to_json() const { return json_of(summary); }
  static Summary from_json(const std::string& text) { return summary_of_json<Summary>(text); }

  /// Writes files, page and summary, and puts the folder in its place.
  void save(OutputFolder& out) { save_beside({}, out); }
  /// Returns a saved result, without what the files do not have.
  static Result load(const std::filesystem::path& folder) {
    Result result;
    result.summary = load_summary(folder);
    return result;
  }

 protected:
  static Summary load_summary(const std::filesystem::path& folder) {
    return from_json(read_file(folder / "summary.json"));
  }
  /// save() of a result that has written what `names` says into the folder already.
  void save_beside(std::vector<std::string> names, OutputFolder& out) {
    const Result& result = static_cast<Result&>(*this);
    for (const auto& [name, bytes] : result.files()) {
      out.write(name, bytes);
      names.push_back(name);
    }
    if constexpr (Result::has_page) {
      report::Document page = result.report();
      add_warnings(page, result.warnings(), input_findings);
      out.write("report.html", report::to_html(page));
      names.emplace_back("report.html");
    }
    names.emplace_back("summary.json");
    const auto path = [&](const std::string& name) { return (out.target() / name).string(); };
    if constexpr (requires { summary.files; }) {
      summary.files.clear();  // of the folder that it was loaded from
      for (const std::string& name : names) summary.files.push_back(path(name));
    } else {
      summary.log = std::filesystem::exists(out.log_folder()) ? path("log") : "";  // it may be in memory
      summary.report = path("report.html");
    }
    out.write("summary.json", result.to_json());
    out.commit();
  }
};

}  // namespace fathom::task
