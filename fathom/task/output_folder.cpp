#include "fathom/task/output_folder.hpp"

#include <algorithm>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"
#include "fathom/log/log_folder.hpp"
#include "fathom/task/internal/folder_commit.hpp"
#include "fathom/task/internal/folder_lock.hpp"

namespace fathom::task {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::string& message) {
  reject(path.string(), 0, "", message, "choose another folder with --out");
}

/// Throws unless a file or a folder of logs may take the place of what is at `place`.
void check_replaceable(bool by_a_folder, const fs::path& place) {
  std::error_code error;
  const bool is_folder = fs::is_directory(place, error);
  if (!by_a_folder) {
    if (is_folder) fail(place, "cannot be replaced: it is a folder");
    return;
  }
  if (!fs::exists(place, error)) return;
  if (!is_folder) fail(place, "cannot be replaced by a folder: it is a file");
  for (const fs::directory_entry& inside : fs::directory_iterator(place))
    if (!log::has_log_marker(inside.path()))
      fail(place, fmt::format("would be replaced, but holds {}, which Fathom did not write",
                              inside.path().filename().string()));
}

/// Returns the summary of the results in the folder; null where there is none that can be read.
nlohmann::json summary_in(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_regular_file(folder / "summary.json", error)) return {};
  std::ifstream file(folder / "summary.json");
  auto summary = nlohmann::json::parse(file, nullptr, false);
  return summary.is_object() ? summary : nlohmann::json();
}

/// Returns the verb that the summary is of; empty where there is none, or none that says so.
std::string verb_of_results(const fs::path& folder) {
  const nlohmann::json summary = summary_in(folder);
  const auto command = summary.find("command");
  if (command == summary.end() || !command->is_string()) return "";
  const std::string text = command->get<std::string>();
  return text.substr(0, text.find(' '));
}

/// Returns the names of the files that an earlier run wrote into the folder, as its summary lists them.
std::set<std::string> names_of_results(const fs::path& folder) {
  std::set<std::string> names;
  const nlohmann::json summary = summary_in(folder);
  const auto add = [&](const nlohmann::json& path) {
    if (!path.is_string()) return;
    std::string name = fs::path(path.get<std::string>()).filename().string();
    if (!name.empty() && name.front() != '.' && name.find('\n') == std::string::npos)
      names.insert(std::move(name));
  };
  if (const auto files = summary.find("files"); files != summary.end() && files->is_array())
    for (const auto& file : *files) add(file);
  for (const char* key : {"log", "report"})
    if (const auto file = summary.find(key); file != summary.end()) add(*file);
  if (!summary.is_null()) names.insert("summary.json");
  return names;
}

constexpr const char* would_be_replaced = "is read in this run and would be replaced by its result";

/// Returns true if the input is what lies at `place`, or in the folder there.
bool is_at_or_in(const fs::path& input, const fs::path& place) {
  std::error_code error;
  if (fs::equivalent(place, input, error)) return true;
  const fs::path folder = fs::canonical(place, error);
  if (error) return false;
  const fs::path inside = fs::canonical(input, error);
  if (error) return false;
  return std::mismatch(folder.begin(), folder.end(), inside.begin(), inside.end()).first == folder.end();
}

/// What an earlier run wrote is removed with its results, whatever this run writes in its place.
void check_inputs(const fs::path& target, const OutputFolder::Run& run) {
  std::set<std::string> lost = names_of_results(target);
  lost.insert(run.outputs.begin(), run.outputs.end());
  for (const fs::path& input : run.inputs) {
    std::error_code error;
    if (fs::equivalent(target, input, error))
      fail(target, "is read in this run: results would lie among what it holds");
    for (const std::string& name : lost)
      if (is_at_or_in(input, target / name)) fail(target / name, would_be_replaced);
  }
}

/// One folder holds the results of one verb: a page and a summary would be lost, and what is left would not
/// belong together. The same verb may run again.
void check_verb(const fs::path& target, const std::string& verb) {
  const std::string other = verb_of_results(target);
  if (!other.empty() && other != verb) fail(target, fmt::format("holds the results of fathom {}", other));
}

}  // namespace

void check_not_read(const fs::path& file, const std::vector<fs::path>& inputs) {
  std::error_code error;
  for (const fs::path& input : inputs)
    if (fs::equivalent(file, input, error))
      reject(file.string(), 0, "", would_be_replaced, "choose another --out");
}

OutputFolder::OutputFolder(fs::path target, const Run& run, OutputHooks hooks)
    : hooks_(std::move(hooks)), target_(std::move(target)) {
  if (target_.filename().empty()) target_ = target_.parent_path();  // "results/" means "results"
  std::error_code error;
  if (fs::exists(target_, error) && !fs::is_directory(target_, error))
    fail(target_, "is a file, expected a folder");
  check_inputs(target_, run);
  lock_ = std::make_unique<internal::FolderLock>(target_, "fathom " + run.verb);
  place_ = lock_->folder();
  if (!lock_->is_exclusive() && hooks_.warn)
    hooks_.warn({Severity::warning, target_.string(), 0, "",
                 "cannot be locked on this file system: a second run into it would not be noticed",
                 "let one run end before the next one begins"});
  internal::complete_replacement(place_);
  internal::remove_leftovers(place_, lock_->is_exclusive());
  check_verb(target_, run.verb);
  choose_temporary();
  if (hooks_.holds_lock) hooks_.holds_lock(lock_->paths());  // last: no destructor takes it back after a throw
}

OutputFolder::~OutputFolder() {
  if (is_made_) remove_temporary();
  // Another run may take the lock as soon as it is released: from here on only the destructor may remove it.
  if (hooks_.has_temporary) hooks_.has_temporary(true);
  if (hooks_.holds_lock) hooks_.holds_lock({});
  lock_.reset();
  if (hooks_.has_temporary) hooks_.has_temporary(false);
}

/// Beside the folder, so that both can be exchanged; in it where nothing can be written or renamed from beside,
/// such as a disk of its own. What cannot be written is reported before the work, not after it.
void OutputFolder::choose_temporary() {
  std::error_code error;
  temporary_ = temporary_beside(place_);
  if (!fs::exists(place_, error)) {
    make_temporary();
    return remove_temporary();
  }
  const fs::path inside = temporary_beside(place_ / ".fathom");
  if (hooks_.has_temporary) hooks_.has_temporary(true);
  is_made_ = true;
  fs::create_directory(temporary_, error);
  if (!error) fs::rename(temporary_, inside, error);
  const bool fits = !error;
  if (fits) fs::remove(inside, error);
  remove_temporary();
  if (fits) return;
  temporary_ = inside;
  make_temporary();
  remove_temporary();
}

void OutputFolder::make_temporary() {
  if (is_made_) return;
  if (hooks_.has_temporary) hooks_.has_temporary(true);
  is_made_ = true;
  std::error_code error;
  fs::create_directories(temporary_, error);
  if (!error) return;
  remove_temporary();
  fail(target_, "cannot be made: " + error.message());
}

void OutputFolder::remove_temporary() {
  std::error_code error;
  fs::remove_all(temporary_, error);
  is_made_ = false;
  if (hooks_.has_temporary) hooks_.has_temporary(false);
}

fs::path OutputFolder::log_folder(const std::string& name) {
  check_replaceable(true, target_ / name);
  make_temporary();
  return temporary_ / name;
}

void OutputFolder::write(const std::string& name, const std::string& bytes) {
  make_temporary();
  write_file_atomically(temporary_ / name, bytes);
}

void OutputFolder::commit() {
  throw_if(hooks_.stop);
  make_temporary();
  std::error_code error;
  if (!fs::exists(place_, error)) {
    fs::rename(temporary_, place_, error);
    if (error) fail(target_, "cannot be made: " + error.message());
    return remove_temporary();
  }
  std::set<std::string> fresh;
  for (const fs::directory_entry& entry : fs::directory_iterator(temporary_)) {
    check_replaceable(entry.is_directory(), target_ / entry.path().filename());
    fresh.insert(entry.path().filename().string());
  }
  std::set<std::string> own = names_of_results(place_);
  own.insert(fresh.begin(), fresh.end());
  const bool is_beside = temporary_.parent_path() == place_.parent_path();
  const bool is_exchanged = is_beside && internal::is_all_own(place_, own) &&
                            internal::exchange_folders(temporary_, place_, own, hooks_.between_steps);
  if (!is_exchanged) {
    std::erase_if(own, [&](const std::string& name) { return fresh.contains(name); });
    std::erase_if(own, [&](const std::string& name) {  // a folder of logs may hold other files by now
      return fs::is_directory(place_ / name, error) && !internal::has_only_own_logs(place_ / name);
    });
    internal::replace_entries(temporary_, place_, own, hooks_.between_steps);
  }
  remove_temporary();  // what is left of it
}

}  // namespace fathom::task
