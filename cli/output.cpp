#include "cli/output.hpp"

#include <atomic>
#include <csignal>

#include <unistd.h>

#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"

namespace fathom::cli {
namespace {

namespace fs = std::filesystem;

std::atomic<bool> interrupt_seen{false};

/// The first signal asks the work to stop and clean up; a second one does not wait for it.
void on_interrupt(int) {
  if (interrupt_seen.exchange(true)) ::_exit(130);
}

[[noreturn]] void fail(const fs::path& path, const std::string& message) {
  throw InputError(Problem{Severity::error, path.string(), 0, "", message, "choose another folder with --out"});
}

}  // namespace

OutputFolder::OutputFolder(fs::path target) : target_(std::move(target)) {
  if (target_.filename().empty()) target_ = target_.parent_path();  // "results/" means "results"
  std::error_code error;
  if (fs::exists(target_, error) && !fs::is_directory(target_, error))
    fail(target_, "is a file, expected a folder");
  temporary_ = temporary_beside(target_);
  fs::create_directories(temporary_, error);
  if (error) fail(target_, "cannot be made: " + error.message());
}

OutputFolder::~OutputFolder() {
  if (committed_) return;
  std::error_code error;
  fs::remove_all(temporary_, error);
}

void OutputFolder::write(const std::string& name, const std::string& bytes) const {
  write_file_atomically(temporary_ / name, bytes);
}

void OutputFolder::commit() {
  throw_if_interrupted();
  std::error_code error;
  if (!fs::exists(target_)) {
    fs::rename(temporary_, target_, error);
    if (error) fail(target_, "cannot be made: " + error.message());
  } else {
    for (const fs::directory_entry& entry : fs::directory_iterator(temporary_))
      if (fs::is_directory(target_ / entry.path().filename(), error))
        fail(target_ / entry.path().filename(), "cannot be replaced: it is a folder");
    // The folder may hold other files of the user's: replace ours one by one, each atomically.
    for (const fs::directory_entry& entry : fs::directory_iterator(temporary_)) {
      fs::rename(entry.path(), target_ / entry.path().filename(), error);
      if (error) fail(target_ / entry.path().filename(), "cannot be replaced: " + error.message());
    }
    fs::remove_all(temporary_, error);
  }
  committed_ = true;
}

void watch_for_interrupt() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

void throw_if_interrupted() {
  if (interrupt_seen) throw Interrupted();
}

}  // namespace fathom::cli
