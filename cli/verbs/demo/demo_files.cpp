#include <fmt/format.h>

#include "fathom/exchange/export.hpp"
#include "fathom/model/robot_file.hpp"
#include "fathom/report/pool_day_page.hpp"
#include "fathom/trajectory/trajectory_file.hpp"

#include "cli/verbs/demo/demo_result.hpp"
#include "version.hpp"

namespace fathom::cli {
namespace {

/// The identified robot for other programs: the file that each is given, and links to them.
std::vector<report::FileLink> write_exports(const DemoResult& result, OutputFolder& out) {
  std::vector<report::FileLink> links;
  for (const exchange::Format format :
       {exchange::Format::gz_sim, exchange::Format::uuv_simulator, exchange::Format::matlab}) {
    const exchange::FormatFacts& facts = exchange::facts_of(format);
    const exchange::ExportOptions water{result.day.excitation.environment};
    const exchange::Exported exported = exchange::export_robot(result.chosen.robot, format, water);
    const exchange::ExportedFile& file = exported.files.front();
    out.write(file.name, file.text);
    links.push_back(
        {file.name, fmt::format("for {}; all its files and what it cannot hold: fathom export --robot "
                                "robot.yaml --to {}",
                                facts.title, facts.name)});
  }
  return links;
}

}  // namespace

void write_files(const DemoResult& result, OutputFolder& out) {
  out.write("nominal.yaml", model::robot_to_yaml(result.day.nominal));
  out.write("robot.yaml", model::robot_to_yaml(result.chosen.robot));
  out.write("trajectory.yaml",
            trajectory::trajectory_to_yaml(result.motion, {result.problem.name, result.problem.robot.name()}));
  const loop::Scenario scenario = studies::with_motion(result.day.excitation, result.motion);
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
                           .exported = write_exports(result, out),
                           .footer = fmt::format("fathom {}: demo, seed {}", FATHOM_VERSION, result.seed)};
  for (const studies::Estimated& e : result.parameters)
    page.parameters.push_back({e.name, e.unit, e.truth, e.value, e.sigma, e.holds()});
  for (const DemoResult::Check& check : result.checks())
    if (!check.holds) page.failed.push_back(check.what);
  out.write("report.html", report::to_html(report::pool_day_page(page)));
}

}  // namespace fathom::cli
