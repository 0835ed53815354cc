#include <fmt/format.h>

#include "fathom/model/robot_file.hpp"
#include "fathom/report/pool_day_page.hpp"
#include "fathom/trajectory/trajectory_file.hpp"

#include "cli/demo_result.hpp"
#include "version.hpp"

namespace fathom::cli {

void write_files(const DemoResult& result, OutputFolder& out) {
  out.write("nominal.yaml", model::robot_to_yaml(result.day.nominal));
  out.write("robot.yaml", model::robot_to_yaml(result.chosen.robot));
  out.write("trajectory.yaml",
            trajectory::trajectory_to_yaml(result.motion, {result.problem.name, result.problem.robot.name()}));
  const loop::Scenario scenario = with_motion(result.day.excitation, result.motion);
  report::PoolDayPage page{.scenario = &scenario,
                           .swum = &result.swum.front(),
                           .identified = &result.chosen.identified,
                           .parameters = {},
                           .validation = &result.validation,
                           .linear = &result.linear_validation,
                           .recordings = result.unseen.recordings,
                           .tracking = {{"PID alone", result.tracking.alone},
                                        {"feed-forward of the nominal robot", result.tracking.nominal},
                                        {"feed-forward of the identified robot", result.tracking.identified}},
                           .footer = fmt::format("fathom {}: demo, seed {}", FATHOM_VERSION, result.seed)};
  for (const Estimated& e : result.parameters)
    page.parameters.push_back({e.name, e.unit, e.truth, e.value, e.sigma, e.holds()});
  for (const DemoResult::Check& check : result.checks())
    if (!check.holds) page.failed.push_back(check.what);
  out.write("report.html", report::to_html(report::pool_day_page(page)));
}

}  // namespace fathom::cli
