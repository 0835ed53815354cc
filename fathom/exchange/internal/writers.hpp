#pragma once
#include "fathom/exchange/export.hpp"

namespace fathom::exchange::internal {

Exported to_gz_sim(const model::Robot& robot, const ExportOptions& options);
Exported to_urdf(const model::Robot& robot, const ExportOptions& options);
Exported to_uuv_simulator(const model::Robot& robot, const ExportOptions& options);
Exported to_rdml(const model::Robot& robot, const ExportOptions& options);
Exported to_stonefish(const model::Robot& robot, const ExportOptions& options);
Exported to_matlab(const model::Robot& robot, const ExportOptions& options);

}  // namespace fathom::exchange::internal
