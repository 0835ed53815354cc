#include "cli/terminal/interrupt.hpp"

#include <atomic>
#include <csignal>
#include <deque>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

namespace fathom::cli {
namespace {

std::atomic<bool> interrupt_seen{false}, finishing{false}, must_clean_up{false}, impatient{false};
/// A file or folder, and the inode by which it is still the same one.
struct Leftover {
  std::string path;
  struct stat status {};
};
std::atomic<const std::vector<Leftover>*> leftovers{nullptr};

/// Calls only functions that are safe in a signal handler.
[[noreturn]] void exit_at_once() {
  if (const auto* paths = leftovers.load())
    for (const Leftover& one : *paths) {
      struct stat now {};
      const bool is_there = ::lstat(one.path.c_str(), &now) == 0;
      if (!is_there || now.st_ino != one.status.st_ino || now.st_dev != one.status.st_dev) continue;
      if (::unlink(one.path.c_str()) != 0) ::rmdir(one.path.c_str());
    }
  ::_exit(130);
}

/// The first signal asks the work to stop and clean up; a second SIGINT, from an impatient person, does not
/// wait for it, unless a temporary folder would be left behind: then a third does. A second SIGTERM or SIGHUP
/// says nothing new: mpirun sends one after a SIGINT that came from the terminal.
void on_interrupt(int signal) {
  if (!interrupt_seen.exchange(true) || signal != SIGINT) return;
  if (impatient.exchange(true) || !must_clean_up) exit_at_once();
}

}  // namespace

void watch_for_interrupt() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  if (std::signal(SIGHUP, on_interrupt) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // nohup
}

bool was_interrupted() { return interrupt_seen; }

bool is_to_stop() { return interrupt_seen && !finishing; }

void throw_if_interrupted() { throw_if(is_to_stop); }

void finish_in_spite_of_interrupt() { finishing = true; }

void clean_up_before_exit(bool needed) { must_clean_up = needed; }

void remove_at_exit(const std::vector<std::filesystem::path>& paths) {
  // Never freed: a handler may be reading them in another thread.
  static auto& kept = *new std::deque<std::vector<Leftover>>;
  std::vector<Leftover> list;
  for (const std::filesystem::path& path : paths) {
    Leftover one{path.string()};
    if (::lstat(one.path.c_str(), &one.status) == 0) list.push_back(std::move(one));
  }
  leftovers = list.empty() ? nullptr : &kept.emplace_back(std::move(list));
}

}  // namespace fathom::cli
