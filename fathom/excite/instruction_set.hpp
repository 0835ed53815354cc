#pragma once
#include <string>
#include <vector>

namespace fathom::excite {

/// The loops over samples exist for several instruction sets; the fastest that this processor runs is used, and
/// all give the same bits. Slowest first.
std::vector<std::string> instruction_sets();
/// Another of them from now on, for tests and benchmarks; not while other threads work.
void use_instruction_set(const std::string& name);

}  // namespace fathom::excite
