#include "fathom/log/csv_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/log/internal/csv_header.hpp"

namespace fathom::log {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t buffer_size = 1 << 18;  // larger gains nothing, and a simulation has many channels

/// 0 or the errno of the write that failed.
int write_all(int fd, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::write(fd, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : EIO;
    bytes += n;
    size -= static_cast<std::size_t>(n);
  }
  return 0;
}

/// What is wrong with a row that cannot be written; the message is empty where nothing is.
Finding row_finding(const ChannelInfo& info, std::size_t row, double last_t, double t,
                    std::span<const double> values) {
  const auto finding = [&](std::string message, std::string hint) {
    return Finding{Severity::error,
                   "",
                   0,
                   fmt::format("channel {}, row {}:", in_quotes(info.name), row),
                   std::move(message),
                   std::move(hint)};
  };
  if (values.size() != info.columns.size())
    return finding(fmt::format("{} values, expected {}", values.size(), info.columns.size()),
                   "one for each column, without t");
  if (!std::isfinite(t)) return finding(fmt::format("t = {}, must be finite", t), "");
  if (t < last_t)
    return finding(fmt::format("t = {} s, after t = {} s: the clock steps back", t, last_t),
                   "rows must be in order of time");
  for (std::size_t k = 0; k < values.size(); ++k)
    if (std::isinf(values[k]))
      return finding(
          fmt::format("{} = {} at t = {} s, must be finite or NaN", info.columns[k].name, values[k], t),
          "NaN stands for a value that was not measured");
  return {};
}

void check_rows(const Channel& channel) {
  internal::check_writable(channel.info);
  double last_t = -infinity;
  for (std::size_t k = 0; k < channel.size(); ++k) {
    const Finding finding = row_finding(channel.info, k + 1, last_t, channel.t[k], channel.row(k));
    if (!finding.message.empty()) throw InputError(finding);
    last_t = channel.t[k];
  }
}

}  // namespace

CsvChannelWriter::CsvChannelWriter(const fs::path& folder, ChannelInfo info, Until until)
    : info_(std::move(info)), until_(until), last_t_(-infinity) {
  internal::check_writable(info_);
  path_ = folder / (info_.name + ".csv");
  part_ = folder / (info_.name + ".csv.part");
  std::error_code error;
  if (!folder.empty()) fs::create_directories(folder, error);
  if (error)
    reject(folder.string(), 0, "", "cannot be made: " + error.message(), "is it a file, or not writable?");
  const std::string header = internal::csv_header(info_);
  buffer_.resize(std::max({buffer_size, header.size(), internal::row_room(info_.columns.size())}));
  std::copy(header.begin(), header.end(), buffer_.begin());
  used_ = header.size();
  fd_ = ::open(part_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
  if (fd_ < 0) fail(std::string("cannot be written: ") + std::strerror(errno), "is the folder writable?");
}

CsvChannelWriter::CsvChannelWriter(CsvChannelWriter&& other) noexcept
    : info_(std::move(other.info_)),
      path_(std::move(other.path_)),
      part_(std::move(other.part_)),
      until_(other.until_),
      fd_(std::exchange(other.fd_, -1)),
      buffer_(std::move(other.buffer_)),
      used_(other.used_),
      rows_(other.rows_),
      last_t_(other.last_t_),
      failure_(std::move(other.failure_)) {}

CsvChannelWriter::~CsvChannelWriter() {
  if (fd_ < 0) return;
  if (failure_.empty()) write_all(fd_, buffer_.data(), used_);
  ::close(fd_);
}

void CsvChannelWriter::fail(const std::string& message, const std::string& hint) const {
  reject(path_.string(), 0, "", message, hint);
}

void CsvChannelWriter::fail_on_disk(const std::string& what, int error) {
  failure_ = fmt::format("{} after {} rows: {}", what, rows_, std::strerror(error));
  // What is made again is written to a temporary folder, which goes when the run fails.
  const std::string kept =
      until_ == Until::on_disk ? "what was written is in " + part_.filename().string() : "then run it again";
  fail(failure_, error == ENOSPC || error == EDQUOT ? "free some space; " + kept : kept);
}

void CsvChannelWriter::require_open() const {
  if (!failure_.empty()) fail(failure_, "the log ended there");
  if (fd_ < 0) fail("is closed", "append before close()");
}

void CsvChannelWriter::flush() {
  if (const int error = write_all(fd_, buffer_.data(), used_)) fail_on_disk("cannot be written", error);
  used_ = 0;
}

void CsvChannelWriter::reject_row(double t, std::span<const double> values) const {
  throw InputError(row_finding(info_, rows_ + 1, last_t_, t, values));
}

void CsvChannelWriter::append(double t, std::span<const double> values) {
  if (fd_ < 0 || !failure_.empty()) require_open();
  if (values.size() != info_.columns.size() || !std::isfinite(t) || t < last_t_) reject_row(t, values);
  if (buffer_.size() - used_ < internal::row_room(values.size())) flush();
  char* const begin = buffer_.data() + used_;
  char* const end = internal::write_row(begin, t, values);
  if (!end) reject_row(t, values);
  used_ += static_cast<std::size_t>(end - begin);
  last_t_ = t;
  ++rows_;
}

void CsvChannelWriter::close() {
  if (fd_ < 0 && failure_.empty()) return;
  require_open();
  flush();
  // Some file systems tell only now that there was no room. What is no file, such as a pipe, cannot be synced.
  if (until_ == Until::on_disk && ::fsync(fd_) != 0 && errno != EINVAL)
    fail_on_disk("cannot be written", errno);
  if (::close(std::exchange(fd_, -1)) != 0) fail_on_disk("cannot be closed", errno);
  if (::rename(part_.c_str(), path_.c_str()) != 0) fail_on_disk("cannot be replaced", errno);
  buffer_ = {};
}

std::string channel_to_csv(const Channel& channel) {
  check_rows(channel);
  std::string text = internal::csv_header(channel.info);
  std::vector<char> line(internal::row_room(channel.width()));
  for (std::size_t k = 0; k < channel.size(); ++k)
    text.append(line.data(), internal::write_row(line.data(), channel.t[k], channel.row(k)));
  return text;
}

fs::path write_channel(const fs::path& folder, const Channel& channel) {
  check_rows(channel);  // before anything is written
  CsvChannelWriter writer(folder, channel.info);
  for (std::size_t k = 0; k < channel.size(); ++k) writer.append(channel.t[k], channel.row(k));
  writer.close();
  return writer.path();
}

void write_dataset(const fs::path& folder, const Dataset& dataset) {
  for (const Channel& channel : dataset.channels()) check_rows(channel);
  for (const Channel& channel : dataset.channels()) write_channel(folder, channel);
}

}  // namespace fathom::log
