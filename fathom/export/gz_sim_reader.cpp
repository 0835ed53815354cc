#include "fathom/base/error.hpp"
#include "fathom/export/internal/readers.hpp"

namespace fathom::exchange::internal {

Imported read_gz_sim(const XmlFile&) { refuse("format", "is not there yet"); }

}  // namespace fathom::exchange::internal
