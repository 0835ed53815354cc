#include <cmath>

#include <fmt/format.h>

#include "fathom/fields/yaml.hpp"
#include "fathom/log/internal/source.hpp"

namespace fathom::log::internal {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t rows_between_news = 4096;

class TableSource : public Source {
 public:
  TableSource(const ChannelDescription& channel, fs::path path, std::optional<std::string_view> text)
      : channel_(&channel), path_(std::move(path)), text_(text) {}

  std::vector<Scouted> scout(Complaints& error_texts) override {
    std::vector<Scouted> channels;
    error_texts.keep("channels." + channel_->name, [&] {
      CsvTable table = open();
      if (auto scouted = find_columns(table, error_texts)) {
        find_times(table, *scouted);
        channels.push_back(std::move(*scouted));
      }
      return true;
    });
    return channels;
  }

  std::vector<std::size_t> run(std::vector<ChannelConverter>& converters, const News& news) override {
    CsvTable table = open();
    table.pick(picked_, stamps_);
    ChannelConverter& converter = converters.front();
    for (std::size_t row = 0; table.next(); ++row) {
      converter.take(table.stamp_ns(), table.values(), table.line());
      if (row % rows_between_news == 0) news(table.bytes_read());
    }
    return {table.dropped_lines()};
  }

  std::size_t bytes() const override {
    std::error_code error;
    const auto size = text_ ? text_->size() : fs::file_size(path_, error);
    return error ? 0 : size;
  }

 private:
  CsvTable open() const {
    return text_ ? CsvTable(*text_, path_.string(), channel_->table) : CsvTable(path_, channel_->table);
  }

  /// Each column that is missing is told.
  std::optional<Scouted> find_columns(const CsvTable& table, Complaints& error_texts) {
    bool complete = true;
    const auto find = [&](const ColumnName& name) {
      const auto place = error_texts.keep(
          name.key, [&] { return name.number > 0 ? table.find(name.number) : table.find(name.title); });
      complete = complete && place;
      return place.value_or(0);
    };
    const ClockDescription& clock = channel_->clock;
    for (std::size_t k = 0; k < clock.columns.size(); ++k)  // seconds, then nanoseconds
      stamps_.push_back({find(clock.columns[k]), clock.date, k == 0 ? clock.power : 0});
    Scouted scouted{channel_, path_.string(), RowPlan(*channel_, find), std::nullopt};
    picked_ = scouted.plan.picked();
    return complete ? std::optional(std::move(scouted)) : std::nullopt;
  }

  void find_times(CsvTable& table, Scouted& scouted) const {
    if (stamps_.empty()) return;
    // Lines that the conversion will drop must not be counted as samples here.
    const bool same_lines = channel_->table.drop_bad_lines;
    table.pick(same_lines ? picked_ : std::vector<std::size_t>(), stamps_);
    if (channel_->clock.kind != ClockDescription::Kind::receive) {
      if (table.next()) scouted.first_ns = table.stamp_ns();
      return;
    }
    std::vector<std::int64_t> arrivals;
    while (table.next()) {
      if (!arrivals.empty() && table.stamp_ns() < arrivals.back())
        reject(path_.string(), table.line(), "", "the receive time steps back",
               "are these two runs in one file?");
      arrivals.push_back(table.stamp_ns());
    }
    scouted.even = scout_arrivals(arrivals, channel_->clock.rate_hz, path_.string());
    scouted.first_ns = (*scouted.even)(0);
  }

  const ChannelDescription* channel_;
  fs::path path_;
  std::optional<std::string_view> text_;
  std::vector<StampColumn> stamps_;
  std::vector<std::size_t> picked_;
};

}  // namespace

void Complaints::add(const std::string& key, std::string message, std::string hint) {
  findings_.push_back({Severity::error, description_->file, yaml::nearest_line(description_->lines, key), key,
                       std::move(message), std::move(hint)});
}

void Complaints::take(const std::string& key, const InputError& error) {
  for (const Finding& finding : error.findings())
    if (finding.file.empty())
      add(key, finding.key.empty() ? finding.message : fmt::format("{} {}", finding.key, finding.message),
          finding.hint);
    else
      findings_.push_back(finding);
}

void Complaints::throw_if_any() const {
  if (!findings_.empty()) throw InputError(findings_);
}

EvenClock scout_arrivals(const std::vector<std::int64_t>& arrivals_ns, double stated_rate_hz,
                         const std::string& source) {
  const auto fail = [&](std::string message, std::string hint) {
    reject(source, 0, "", std::move(message), std::move(hint));
  };
  constexpr double longest = 1e9;  // s, some 30 years
  if (arrivals_ns.size() < 2) fail("has fewer than two rows", "receive times are made even by many");
  const double span =
      1e-9 * (static_cast<double>(arrivals_ns.back()) - static_cast<double>(arrivals_ns.front()));
  if (span > longest) fail("was received over more than 30 years", "is the unit of the clock right?");
  const double mean_rate = static_cast<double>(arrivals_ns.size() - 1) / span;
  if (!std::isfinite(mean_rate) || mean_rate > 1e8)
    fail("all rows were received at once", "clock: {rate: 50} gives times by the rate alone");
  if (stated_rate_hz > 0 && std::abs(stated_rate_hz / mean_rate - 1) > 0.2)
    fail(fmt::format("{} rows were received in {:.6g} s: no rate of {} Hz", arrivals_ns.size(), span,
                     stated_rate_hz),
         "mend the rate, or leave it out: it is found from the rows");
  EvenClock even = even_clock(arrivals_ns, stated_rate_hz);
  if (!(even.period_ns >= 1))
    fail("has no steady rate", "state it: clock: {column: ..., kind: receive, rate: 50}");
  return even;
}

std::unique_ptr<Source> table_source(const ChannelDescription& channel, const fs::path& path) {
  return std::make_unique<TableSource>(channel, path, std::nullopt);
}

std::unique_ptr<Source> table_source(const ChannelDescription& channel, std::string_view text) {
  return std::make_unique<TableSource>(channel, "table.csv", text);
}

}  // namespace fathom::log::internal
