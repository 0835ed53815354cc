#include "fathom/task/batch.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

#include <fmt/format.h>

#include "fathom/base/file.hpp"

namespace fathom::task {
namespace {

namespace fs = std::filesystem;

/// Deletes what another key has left.
void prepare(const fs::path& folder, const std::string& key) {
  const fs::path file = folder / "key";
  if (fs::exists(file) && read_file(file) == key) return;
  fs::remove_all(folder);
  write_file_atomically(file, key);
}

std::string to_bytes(const std::vector<double>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)};
}

std::vector<double> to_numbers(const std::string& bytes) {
  std::vector<double> numbers(bytes.size() / sizeof(double));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(double));
  return numbers;
}

std::string listed(const std::vector<int>& numbers) {
  constexpr std::size_t most = 20;
  std::string text = fmt::format(
      "{}", fmt::join(numbers.begin(), numbers.begin() + std::min<long>(most, std::ssize(numbers)), ", "));
  if (numbers.size() > most) text += fmt::format(" and {} more", numbers.size() - most);
  return text;
}

}  // namespace

Batch::~Batch() {
  std::error_code ignored;  // a file that stays behind does no harm
  if (complete_) fs::remove_all(options_.folder, ignored);
}

fs::path Batch::file(int k) const { return options_.folder / fmt::format("{}-{}", round_, k); }

std::vector<int> Batch::missing(int count) const {
  std::vector<int> numbers;
  for (int k = 0; k < count; ++k)
    if (!fs::exists(file(k))) numbers.push_back(k);
  return numbers;
}

void Batch::require_all(int count) const {
  const std::vector<int> left = missing(count);
  if (left.empty()) return;
  const bool one = left.size() == 1;
  throw BatchIncomplete(fmt::format(
      "{}{} {} of {} {} missing: a process died or was told to end; the same command does only {}",
      options_.noun, one ? "" : "s", listed(left), count, one ? "is" : "are", one ? "this one" : "these"));
}

void Batch::meet(int count) const {
  if ((options_.stop && options_.stop()) || !options_.meet()) require_all(count);
}

std::vector<std::string> Batch::work(const std::vector<int>& jobs, const Job& job, const Done& done) const {
  const auto number = [&](int i) { return jobs[static_cast<std::size_t>(i)]; };
  const auto keep = [&](int i, const Stop& stop) {
    std::vector<double> result = job(number(i), stop);
    if (!stop()) write_file_atomically(file(number(i)), to_bytes(result));  // else it was cut short
    return result;
  };
  return ThreadPool(options_.threads, options_.stop)
      .run(static_cast<int>(jobs.size()), keep,
           [&](int i, const auto& result) { return done(number(i), result); });
}

std::vector<std::string> Batch::run(int count, const Job& job, const Done& done) {
  ++round_;
  const bool is_first = options_.rank == 0;
  if (is_first && round_ == 1) prepare(options_.folder, options_.key);
  meet(count);
  const std::vector<int> left = missing(count);
  meet(count);  // nobody adds to what others still list
  std::vector<int> share;
  for (auto i = static_cast<std::size_t>(options_.rank); i < left.size();
       i += static_cast<std::size_t>(options_.size))
    share.push_back(left[i]);

  std::vector<bool> told(static_cast<std::size_t>(count));
  bool more = true;
  const auto tell = [&](int k, const std::vector<double>& result) {
    told[static_cast<std::size_t>(k)] = true;
    if (is_first) more = done(k, result) && more;
    return more;
  };
  std::vector<std::string> notes;
  std::exception_ptr error;
  try {
    notes = work(share, job, tell);
  } catch (...) {
    error = std::current_exception();
  }
  meet(count);
  if (!is_first) return {};
  if (error) std::rethrow_exception(error);
  if (more) {
    work(missing(count), job, tell);  // runs that have thrown elsewhere throw here
    require_all(count);
  }
  complete_ = true;
  for (int k = 0; k < count && more; ++k)
    if (!told[static_cast<std::size_t>(k)]) tell(k, to_numbers(read_file(file(k))));
  return notes;
}

}  // namespace fathom::task
