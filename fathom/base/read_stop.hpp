#pragma once
#include "fathom/base/thread_pool.hpp"

namespace fathom {

/// Sets what ends the wait for a silent pipe: read_file() then throws Interrupted. A pipe that a program has
/// opened is waited for without limit, one that nobody opens for a few seconds. It holds for the whole process;
/// set it before threads start.
void set_read_stop(Stop stop);

}  // namespace fathom
