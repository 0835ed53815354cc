#include "fathom/excite/instruction_set.hpp"

#include "fathom/base/error.hpp"
#include "fathom/excite/internal/kernel.hpp"

namespace fathom::excite {

std::vector<std::string> instruction_sets() {
  const internal::Kernel* all[3];
  const int count = internal::kernels(all);
  std::vector<std::string> names;
  for (int k = 0; k < count; ++k) names.emplace_back(all[k]->name);
  return names;
}

void use_instruction_set(const std::string& name) {
  const internal::Kernel* all[3];
  const int count = internal::kernels(all);
  for (int k = 0; k < count; ++k)
    if (all[k]->name == name) return internal::use_kernel(*all[k]);
  reject("instruction set", "'" + name + "' is not one that this processor runs");
}

}  // namespace fathom::excite
