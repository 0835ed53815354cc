// Included by one source per instruction set, which defines FATHOM_KERNEL, the name of its Kernel.
#pragma once
#include "fathom/excite/internal/kernel_motion.hpp"
#include "fathom/excite/internal/kernel_path.hpp"
#include "fathom/excite/internal/kernel_products.hpp"

namespace fathom::excite::internal {

#define FATHOM_TEXT_OF(name) #name
#define FATHOM_TEXT(name) FATHOM_TEXT_OF(name)
const Kernel FATHOM_KERNEL = {
    FATHOM_TEXT(FATHOM_KERNEL), sample,  sample_adjoint, to_body, to_body_adjoint, accumulate,
    accumulate_adjoint,         multiply};

}  // namespace fathom::excite::internal
