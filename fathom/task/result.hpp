#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

/// A result with what most results have; one with checks of its own says so in functions of its own.
template <class Summary>
struct ResultOf {
  Summary summary;

  Status status() const { return Status::done; }
  std::vector<std::string> reasons() const { return {}; }
  std::vector<std::string> warnings() const { return {}; }
  std::string to_json() const;
  static Summary from_json(const std::string& text);
};

/// Writes the files, report.html and summary.json of a result, and puts the folder in its place. `files` of the
/// summary are their paths; a summary that names them otherwise has set_paths().
template <class Result>
void save_result(Result& result, OutputFolder& out) {
  std::vector<std::string> names;
  for (const auto& [name, bytes] : result.files()) {
    out.write(name, bytes);
    names.push_back(name);
  }
  out.write("report.html", report::to_html(result.report()));
  names.insert(names.end(), {"report.html", "summary.json"});
  if constexpr (requires { result.summary.files; }) {
    for (const std::string& name : names) result.summary.files.push_back((out.target() / name).string());
  } else {
    result.summary.set_paths(out.target());
  }
  out.write("summary.json", result.to_json());
  out.commit();
}

/// The same of a result without a page.
template <class Result>
void save_without_page(Result& result, OutputFolder& out) {
  for (const auto& [name, bytes] : result.files()) {
    out.write(name, bytes);
    result.summary.files.push_back((out.target() / name).string());
  }
  result.summary.files.push_back((out.target() / "summary.json").string());
  out.write("summary.json", result.to_json());
  out.commit();
}

}  // namespace fathom::task
