#include "fathom/task/output_folder.hpp"

#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"

namespace fathom::task {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::string& message) {
  reject(path.string(), 0, "", message, "choose another folder with --out");
}

/// A channel that Fathom wrote, whole or in part.
bool is_own_log(const fs::path& path) {
  constexpr std::string_view mark = "# fathom log 1";
  std::string begin(mark.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return file && begin == mark;
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
    if (!is_own_log(inside.path()))
      fail(place, fmt::format("would be replaced, but holds {}, which Fathom did not write",
                              inside.path().filename().string()));
}

/// The verb whose summary lies in the folder; empty where there is none, or none that says so.
std::string verb_of_results(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_regular_file(folder / "summary.json", error)) return "";
  std::ifstream file(folder / "summary.json");
  const auto summary = nlohmann::json::parse(file, nullptr, false);
  const auto command = summary.is_object() ? summary.find("command") : summary.end();
  if (command == summary.end() || !command->is_string()) return "";
  const std::string text = command->get<std::string>();
  return text.substr(0, text.find(' '));
}

constexpr const char* would_be_replaced = "is read in this run and would be replaced by its result";

void check_inputs(const fs::path& target, const OutputFolder::Run& run) {
  for (const fs::path& input : run.inputs) {
    std::error_code error;
    if (fs::equivalent(target, input, error))
      fail(target, "is read in this run: results would lie among what it holds");
    for (const std::string& name : run.outputs)
      if (fs::equivalent(target / name, input, error)) fail(target / name, would_be_replaced);
  }
}

/// One folder holds the results of one verb: a page and a summary would be lost, and what is left would not
/// belong together. The same verb may run again.
void check_verb(const fs::path& target, const std::string& verb) {
  const std::string other = verb_of_results(target);
  if (!other.empty() && other != verb) fail(target, fmt::format("holds the results of fathom {}", other));
}

void replace(const fs::directory_entry& entry, const fs::path& place) {
  std::error_code error;
  fs::path aside;
  if (entry.is_directory() && fs::exists(place, error)) {
    aside = place;
    aside += fmt::format(".{}.old", ::getpid());
    fs::rename(place, aside, error);
    if (error) fail(place, "cannot be replaced: " + error.message());
  }
  fs::rename(entry.path(), place, error);
  if (error) {
    const std::string reason = error.message();
    if (!aside.empty()) fs::rename(aside, place, error);
    fail(place, "cannot be replaced: " + reason);
  }
  if (!aside.empty()) fs::remove_all(aside, error);
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
  check_verb(target_, run.verb);
  // Inside a folder that is there already: it may be a disk of its own, to which nothing can be renamed.
  temporary_ = temporary_beside(fs::exists(target_, error) ? target_ / ".fathom" : target_);
  make_temporary();  // what cannot be written is told before the work, not after it
  remove_temporary();
}

OutputFolder::~OutputFolder() {
  if (is_made_) remove_temporary();
}

void OutputFolder::make_temporary() {
  if (is_made_) return;
  if (hooks_.has_temporary) hooks_.has_temporary(true);
  is_made_ = true;
  std::error_code error;
  for (fs::path parent = temporary_.parent_path(); !parent.empty() && !fs::exists(parent, error);
       parent = parent.parent_path())
    made_parents_.push_back(parent);
  for (int attempt = 0; attempt < 3;
       ++attempt) {  // another run may remove a parent that it made and left empty
    fs::create_directories(temporary_, error);
    if (!error) return;
  }
  remove_temporary();
  fail(target_, "cannot be made: " + error.message());
}

void OutputFolder::remove_temporary() {
  std::error_code error;
  fs::remove_all(temporary_, error);
  for (const fs::path& parent : made_parents_) fs::remove(parent, error);  // as far as they are empty
  made_parents_.clear();
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
  if (!fs::exists(target_)) {
    fs::rename(temporary_, target_, error);
    if (error) fail(target_, "cannot be made: " + error.message());
  } else {
    for (const fs::directory_entry& entry : fs::directory_iterator(temporary_))
      check_replaceable(entry.is_directory(), target_ / entry.path().filename());
    // The folder may hold other files of the user's: replace ours one by one, each atomically.
    for (const fs::directory_entry& entry : fs::directory_iterator(temporary_))
      replace(entry, target_ / entry.path().filename());
  }
  remove_temporary();  // what is left of it
}

}  // namespace fathom::task
