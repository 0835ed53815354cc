#include "fathom/base/error.hpp"
#include "fathom/export/internal/writers.hpp"

namespace fathom::exchange::internal {

Exported to_urdf(const model::Robot&, const ExportOptions&) { refuse("format", "is not there yet"); }

}  // namespace fathom::exchange::internal
