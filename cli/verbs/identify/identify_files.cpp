#include <fmt/format.h>

#include "fathom/model/robot_file.hpp"
#include "fathom/report/identify_page.hpp"

#include "cli/verbs/identify/identify_result.hpp"
#include "version.hpp"

namespace fathom::cli {
namespace {

/// Time falls from log to log, so this is no channel of a log, but plain columns.
std::string residuals_csv(const IdentifyResult& result) {
  std::string text = "log,t [s]";
  for (const int i : model::free_indices(result.found.structure.dof))
    text += fmt::format(",{} [{}]", model::dof_name(i), i < 3 ? "N" : "N m");
  text += "\n";
  const identify::Residuals& residuals = result.found.fit.residuals;
  for (std::size_t k = 0; k < residuals.t.size(); ++k) {
    text += fmt::format("{},{:.6f}", residuals.recording[k], residuals.t[k]);
    for (const double value : residuals.values.col(static_cast<Eigen::Index>(k)))
      text += fmt::format(",{:.9g}", value);
    text += "\n";
  }
  return text;
}

}  // namespace

std::vector<std::string> write_files(const IdentifyResult& result, OutputFolder& out) {
  out.write("robot.yaml", model::robot_to_yaml(result.after));
  out.write("residuals.csv", residuals_csv(result));
  const model::ParameterVector before = result.parameters_before();
  const report::IdentifyPage page{
      &result.before,          &before,
      &result.found,           result.recordings,
      about_estimator(result), fmt::format("fathom {}: {}", FATHOM_VERSION, result.command)};
  out.write("report.html", report::to_html(report::identify_page(page)));
  return {"robot.yaml", "residuals.csv", "report.html", "summary.json"};
}

}  // namespace fathom::cli
