#include "fathom/excite/internal/kernel.hpp"

namespace fathom::excite::internal {

int kernels(const Kernel** out) {
  int count = 0;
  out[count++] = &kernel_generic;
#ifdef FATHOM_X86_KERNELS
  if (__builtin_cpu_supports("avx2")) out[count++] = &kernel_avx2;
  if (__builtin_cpu_supports("avx512f")) out[count++] = &kernel_avx512;
#endif
  return count;
}

namespace {

const Kernel*& chosen() {
  static const Kernel* best = [] {
    const Kernel* all[3];
    return all[kernels(all) - 1];
  }();
  return best;
}

}  // namespace

const Kernel& kernel() { return *chosen(); }
void use_kernel(const Kernel& kernel) { chosen() = &kernel; }

}  // namespace fathom::excite::internal
