#if defined(__x86_64__)
#define FATHOM_KERNEL kernel_avx2
#include "fathom/excite/internal/kernel_body.hpp"
#endif
