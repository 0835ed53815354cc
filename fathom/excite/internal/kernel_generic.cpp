#define FATHOM_KERNEL kernel_generic
#include "fathom/excite/internal/kernel_body.hpp"
