#pragma once
#include <filesystem>
#include <vector>

#include "fathom/base/thread_pool.hpp"

namespace fathom::cli {

/// SIGINT, SIGTERM and SIGHUP are remembered; long work asks throw_if_interrupted() now and then, so that
/// destructors clean up and the program ends with status 130. A second SIGINT does not wait for that, or, after
/// clean_up_before_exit(true), a third.
using fathom::Interrupted;
void watch_for_interrupt();
bool was_interrupted();
/// True once the work is to end: interrupted, unless it finishes in spite of that.
bool is_to_stop();
void throw_if_interrupted();

/// For a verb that ends an interrupted run with the best so far: what it still does, writing the results above
/// all, is no longer interrupted. was_interrupted() still tells.
void finish_in_spite_of_interrupt();

/// Whether something is there that must not stay behind, such as a folder half written.
void clean_up_before_exit(bool needed);

/// Sets the files and empty folders that the handler removes, in this order, before it exits at once, as far as
/// they are still the same ones. One output folder at a time.
void remove_at_exit(const std::vector<std::filesystem::path>& paths);

}  // namespace fathom::cli
