#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/log/csv_writer.hpp"
#include "fathom/report/excite_page.hpp"
#include "fathom/trajectory/trajectory_file.hpp"

#include "cli/verbs/excite/excite_result.hpp"
#include "version.hpp"

namespace fathom::cli {
namespace {

log::ChannelInfo samples_info(const excite::Problem& problem) {
  log::ChannelInfo info;
  info.name = "samples";
  const auto add = [&](const std::string& before, const auto& names, const std::string& after,
                       std::string_view place_unit, std::string_view angle_unit) {
    for (std::size_t k = 0; k < 6; ++k)
      info.columns.push_back(
          {fmt::format("{}{}{}", before, names[k], after), std::string(k < 3 ? place_unit : angle_unit)});
  };
  static constexpr std::array<std::string_view, 6> wrench = {"X", "Y", "Z", "K", "M", "N"};
  add("", excite::coordinate_names, "", "m", "rad");
  add("", excite::coordinate_names, "_rate", "m/s", "rad/s");
  add("", excite::coordinate_names, "_acceleration", "m/s^2", "rad/s^2");
  add("", model::velocity_names, "", "m/s", "rad/s");
  add("", model::velocity_names, "_dot", "m/s^2", "rad/s^2");
  add("", wrench, "", "N", "N m");
  info.about = fmt::format(
      "excitation path of problem {} for robot {}\nx to yaw with rates and accelerations in n; u to r and "
      "their derivatives in b; X to N, in b: the wrench that the robot file predicts",
      problem.name, problem.robot.name());
  return info;
}

std::string samples_of(const ExciteResult& result) {
  const excite::Grid& grid = result.assessment.grid;
  log::Channel channel;
  channel.info = samples_info(result.problem());
  std::vector<double> row;
  for (Eigen::Index k = 0; k < grid.t.size(); ++k) {
    if (grid.mask[k] == 0) continue;
    row.clear();
    for (const Eigen::ArrayXXd* columns : {&grid.samples.pose, &grid.samples.rate, &grid.samples.acceleration,
                                           &grid.samples.nu, &grid.samples.nu_dot, &result.assessment.tau})
      for (Eigen::Index i = 0; i < 6; ++i) row.push_back((*columns)(k, i));
    channel.append(grid.t[k], row);
  }
  return log::channel_to_csv(channel);
}

/// A tenth of a millimetre or of a millidegree is finer than any autopilot; + 0.0 takes the sign off zero.
std::string plain(double value) { return fmt::format("{:.4f}", std::round(value * 1e4) / 1e4 + 0.0); }

/// For autopilots, which want numbers and no comments.
std::string waypoints_of(const trajectory::Bezier& path, double interval) {
  std::string text = "t,north,east,down,roll_deg,pitch_deg,yaw_deg,heading_deg,speed\n";
  const double duration = path.end() - path.begin();
  const auto count = static_cast<long>(std::ceil(duration / interval * (1 - 1e-12)));
  for (long k = 0; k <= count; ++k) {
    const double t = k == count ? path.end() : path.begin() + interval * static_cast<double>(k);
    const auto sample = path.at(t);
    const double yaw = sample.value[5] * degrees;
    double heading = std::fmod(std::fmod(yaw, 360) + 360, 360);
    if (std::round(heading * 1e4) >= 360e4) heading = 0;
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{}\n", plain(t), plain(sample.value[0]), plain(sample.value[1]),
                    plain(sample.value[2]), plain(sample.value[3] * degrees), plain(sample.value[4] * degrees),
                    plain(yaw), plain(heading), plain(sample.rate.head<3>().norm()));
  }
  return text;
}

}  // namespace

void write_files(const ExciteResult& result, double interval, OutputFolder& out) {
  const excite::Problem& problem = result.problem();
  out.write("trajectory.yaml",
            trajectory::trajectory_to_yaml(result.design.path, {problem.name, problem.robot.name()}));
  out.write("samples.csv", samples_of(result));
  out.write("waypoints.csv", waypoints_of(result.design.path, interval));
  const report::ExcitePage page{&problem, &result.design, &result.assessment,
                                fmt::format("fathom {}: {}", FATHOM_VERSION, result.command)};
  out.write("report.html", report::to_html(report::excite_page(page)));
}

}  // namespace fathom::cli
