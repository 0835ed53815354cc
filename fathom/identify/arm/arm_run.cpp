#include "fathom/identify/arm/arm_run.hpp"

#include <algorithm>
#include <charconv>
#include <numbers>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/model/shaft_motion.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;

std::optional<Index> place_of(const log::NumberTable& table, const std::string& name) {
  const auto found = std::find(table.names.begin(), table.names.end(), name);
  if (found == table.names.end()) return std::nullopt;
  return static_cast<Index>(found - table.names.begin());
}

/// The first of `names` that the table has.
Index place_of_any(const log::NumberTable& table, const std::vector<std::string>& names,
                   const std::string& what) {
  for (const std::string& name : names)
    if (const auto place = place_of(table, name)) return *place;
  reject(table.file, 0, "",
         fmt::format("there is no column {} for {}; there are {}", join(names, " or "), what,
                     join(table.names, ", ")),
         "say which it is: --columns time=..,q=..,effort=..");
}

/// A column for each joint: those given, or by usual names.
Eigen::MatrixXd columns_of(const log::NumberTable& table, const model::Arm& arm,
                           const std::vector<std::string>& given, const std::vector<std::string>& usual,
                           const std::string& what) {
  if (!given.empty() && given.size() != arm.size())
    reject(table.file, 0, "columns",
           fmt::format("{} names {} columns, the arm has {} joints", what, given.size(), arm.size()),
           fmt::format("one for each, {} the last", in_quotes(arm.joints().back().name)));
  Eigen::MatrixXd values(table.values.rows(), static_cast<Index>(arm.size()));
  for (std::size_t k = 0; k < arm.size(); ++k) {
    const std::string& joint = arm.joints()[k].name;
    std::vector<std::string> names;
    if (!given.empty())
      names = {given[k]};
    else
      for (const std::string& word : usual)
        names.push_back(word.ends_with('.') ? word + joint : fmt::format("{}{}", word, k + 1));
    values.col(static_cast<Index>(k)) =
        table.values.col(place_of_any(table, names, fmt::format("{} of joint {}", what, in_quotes(joint))));
  }
  return values;
}

/// A run in degrees is far beyond the range of its joints, and within it once they are taken for what they are.
void check_unit(const log::NumberTable& table, const model::Arm& arm, const Eigen::MatrixXd& q) {
  constexpr double slack = 0.2;  // rad, of ends that are passed a little
  for (std::size_t k = 0; k < arm.size(); ++k) {
    const model::Joint& joint = arm.joints()[k];
    const auto column = q.col(static_cast<Index>(k));
    std::vector<double> sorted(column.begin(), column.end());
    std::sort(sorted.begin(), sorted.end());
    const std::size_t outliers = sorted.size() / 100;  // those are left out later, and no unit explains them
    const double low = sorted[outliers], high = sorted[sorted.size() - 1 - outliers];
    const double width = joint.limits.max - joint.limits.min;
    if (joint.kind != model::Joint::Kind::revolute || !std::isfinite(width)) continue;
    const bool is_far_off = low < joint.limits.min - width || high > joint.limits.max + width;
    const bool fits_in_degrees =
        low * degree > joint.limits.min - slack && high * degree < joint.limits.max + slack;
    if (is_far_off && fits_in_degrees)
      reject(table.file, 0, "",
             fmt::format("joint {} goes from {:.4g} to {:.4g} rad, by the arm's file from {:.4g} to {:.4g} rad",
                         in_quotes(joint.name), low, high, joint.limits.min, joint.limits.max),
             "degrees? expected rad");
  }
}

/// Rows of samples that tell something: time rises, and some number is not that of the row before.
std::vector<Index> new_rows(const log::NumberTable& table, const Eigen::VectorXd& times) {
  std::vector<Index> kept;
  for (Index k = 0; k < times.size(); ++k) {
    if (!kept.empty()) {
      const Index last = kept.back();
      if (!(times[k] > times[last])) continue;  // the same time: check_clock() rejects an earlier one
      Eigen::RowVectorXd moved = table.values.row(k) - table.values.row(last);
      if ((moved.array() != 0).count() <= 1) continue;  // the time alone
    }
    kept.push_back(k);
  }
  return kept;
}

/// Shafts were asked for, or the table has them and no position of any joint.
bool is_by_shaft(const log::NumberTable& table, const model::Arm& arm, const ArmRunColumns& columns) {
  if (!columns.q.empty() || !columns.shaft.empty()) return columns.q.empty();
  const auto has = [&](const std::string& word) {
    for (std::size_t k = 0; k < arm.size(); ++k)
      if (place_of(table, fmt::format("{}.{}", word, arm.joints()[k].name)) ||
          place_of(table, fmt::format("{}{}", word, k + 1)))
        return true;
    return false;
  };
  return !has("q") && has("shaft");
}

/// "q1..q7": q1, q2 .. q7; a name without dots is itself.
std::vector<std::string> names_in(const std::string& text, const std::string& option) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return {text};
  const auto split = [&](const std::string& name) {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    int number = 0;
    const auto [end, status] = std::from_chars(name.data() + digits, name.data() + name.size(), number);
    if (status != std::errc() || end != name.data() + name.size())
      reject(option, fmt::format("= {}: {} does not end in a number", in_quotes(text), in_quotes(name)),
             "such as q1..q7");
    return std::pair(name.substr(0, digits), number);
  };
  const auto [stem, first] = split(text.substr(0, dots));
  const auto [last_stem, last] = split(text.substr(dots + 2));
  if (stem != last_stem || last < first || last - first > 1000)
    reject(option, fmt::format("= {}: not a first and a last of the same name", in_quotes(text)),
           "such as q1..q7");
  std::vector<std::string> names;
  for (int k = first; k <= last; ++k) names.push_back(fmt::format("{}{}", stem, k));
  return names;
}

std::vector<std::string> split_at(const std::string& text, char mark) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == mark)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

}  // namespace

std::vector<std::optional<ShaftCounter>> shaft_counters(const model::Arm& arm) {
  std::vector<std::optional<ShaftCounter>> counters;
  bool any = false;
  for (const model::Joint& joint : arm.joints()) {
    counters.emplace_back();
    if (!joint.actuator) continue;
    any = true;
    const auto& increments = joint.actuator->increments;
    counters.back() = ShaftCounter{joint.actuator->transmission, model::middle_of_range(joint.limits),
                                   increments ? std::numbers::pi / *increments : 0};
  }
  if (!any)
    reject("shaft",
           fmt::format("no joint of {} has an actuator, so nothing says how a shaft moves it",
                       in_quotes(arm.name())),
           "q= where the positions are those of the joints");
  return counters;
}

ArmRunColumns parse_arm_columns(const std::string& text, const std::string& option) {
  ArmRunColumns columns;
  std::vector<std::string> times;
  std::vector<std::string>* now = nullptr;
  for (std::string part : split_at(text, ',')) {
    if (const std::size_t equals = part.find('='); equals != std::string::npos) {
      const std::string role = part.substr(0, equals);
      now = role == "time"            ? &times
            : role == "q"             ? &columns.q
            : role == "shaft"         ? &columns.shaft
            : role == "effort"        ? &columns.effort
            : role == "wanted_effort" ? &columns.wanted_effort
            : role == "wanted_torque" ? &columns.wanted_torque
                                      : nullptr;
      if (!now)
        reject(option, fmt::format("has {}", in_quotes(role)),
               "roles are time, q, shaft, effort, wanted_effort, wanted_torque");
      part = part.substr(equals + 1);
    }
    if (!now || part.empty())
      reject(option, fmt::format("= {}, expected ROLE=NAMES", in_quotes(text)),
             "such as time=t_s,q=q1..q7,effort=tau1..tau7");
    for (std::string& name : names_in(part, option)) now->push_back(std::move(name));
  }
  if (times.size() > 1) reject(option, "names more than one column of time");
  if (!times.empty()) columns.time = times.front();
  if (!columns.q.empty() && !columns.shaft.empty())
    reject(option, "has q and shaft: both say where the joints are", "one of them");
  if (columns.wanted_effort.empty() != columns.wanted_torque.empty())
    reject(option, "wanted_effort and wanted_torque go together: each alone says nothing of a gain");
  return columns;
}

ArmRun arm_run(const log::NumberTable& table, const model::Arm& arm, const ArmRunColumns& columns) {
  const std::vector<std::string> usual_times = {"t", "t_s", "time"};
  const Index time =
      place_of_any(table, columns.time.empty() ? usual_times : std::vector{columns.time}, "the time");
  const Eigen::VectorXd times = table.values.col(time);
  const std::vector<Index> kept = new_rows(table, times);
  ArmRun run{std::filesystem::path(table.file).stem().string(), times(kept), {}};
  run.file = table.file;
  run.repeated = static_cast<std::size_t>(times.size()) - kept.size();
  const auto take = [&](const std::vector<std::string>& given, const std::vector<std::string>& usual,
                        const std::string& what) {
    return Eigen::MatrixXd(columns_of(table, arm, given, usual, what)(kept, Eigen::all));
  };
  if (is_by_shaft(table, arm, columns)) {
    run.shafts = shaft_counters(arm);
    run.q = take(columns.shaft, {"shaft.", "shaft"}, "the shaft's angle");
  } else {
    run.q = take(columns.q, {"q.", "q"}, "the position");
    if (run.q.rows() > 0) check_unit(table, arm, run.q);
  }
  run.effort = take(columns.effort, {"effort.", "tau", "i"}, "the effort");
  if (!columns.wanted_effort.empty()) {
    run.wanted_effort = take(columns.wanted_effort, {}, "the wanted effort");
    run.wanted_torque = take(columns.wanted_torque, {}, "the wanted torque");
  }
  internal::check_clock(table, times, run.times, run.q, kept);
  std::vector<int> lines;
  for (const Index k : kept) lines.push_back(table.line(k));
  internal::take_out_outliers(run, arm, lines, table.file);
  return run;
}

ArmRun read_arm_run(const std::filesystem::path& file, const model::Arm& arm, const ArmRunColumns& columns) {
  return arm_run(log::read_number_table(file), arm, columns);
}

ArmRun part_of(const ArmRun& run, Index from, Index until) {
  ArmRun part = run;
  const Index count = until - from;
  part.times = run.times.segment(from, count);
  for (auto member :
       {&ArmRun::q, &ArmRun::dq, &ArmRun::ddq, &ArmRun::effort, &ArmRun::wanted_effort, &ArmRun::wanted_torque})
    if ((run.*member).rows() > 0) part.*member = (run.*member).middleRows(from, count);
  part.breaks.clear();
  for (const Index at : run.breaks)
    if (at > from && at < until) part.breaks.push_back(at - from);
  if (from > 0) std::erase_if(part.outliers, [&](const RunOutlier& of) { return of.time < run.times[from]; });
  if (until < run.samples())
    std::erase_if(part.outliers, [&](const RunOutlier& of) { return of.time >= run.times[until]; });
  return part;
}

}  // namespace fathom::identify
