#if defined(__x86_64__)
#define FATHOM_KERNEL kernel_avx512
#include "fathom/excite/internal/kernel_body.hpp"
#endif
