#include "cli/interrupt.hpp"

#include <atomic>
#include <csignal>

#include <unistd.h>

namespace fathom::cli {
namespace {

std::atomic<bool> interrupt_seen{false}, finishing{false};

/// The first signal asks the work to stop and clean up; a second SIGINT, from an impatient person, does not
/// wait for it. A second SIGTERM says nothing new: mpirun sends one after a SIGINT that came from the terminal.
void on_interrupt(int signal) {
  if (interrupt_seen.exchange(true) && signal == SIGINT) ::_exit(130);
}

}  // namespace

void watch_for_interrupt() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

bool was_interrupted() { return interrupt_seen; }

void throw_if_interrupted() {
  if (interrupt_seen && !finishing) throw Interrupted();
}

void finish_in_spite_of_interrupt() { finishing = true; }

}  // namespace fathom::cli
