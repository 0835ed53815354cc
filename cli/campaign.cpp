#include "cli/campaign.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/text.hpp"

#include "cli/ranks.hpp"

namespace fathom::cli {

Campaign::Campaign(int count, int ranks, const WorkerPool::Done& done, Send send)
    : ranks_(static_cast<std::size_t>(ranks)), done_(&done), send_(std::move(send)) {
  for (int k = 0; k < count; ++k) waiting_.insert(waiting_.end(), k);
}

void Campaign::hear(int number, const Frame& frame) {
  Rank& rank = ranks_[static_cast<std::size_t>(number)];
  switch (frame.kind) {
    case Frame::Kind::ready: rank.free = frame.number; break;
    case Frame::Kind::lost: lose(rank, frame); break;
    case Frame::Kind::result:
    case Frame::Kind::failure:
    case Frame::Kind::skipped: finish(rank, frame); break;
    case Frame::Kind::begin:
    case Frame::Kind::stop:
    case Frame::Kind::end:
    case Frame::Kind::leave: break;  // to workers and supervisors, not from them
  }
  hand_out();
}

void Campaign::finish(Rank& rank, const Frame& frame) {
  if (rank.jobs.erase(frame.number) == 0) return;  // of a campaign that was given up
  ++rank.free;
  if (frame.kind == Frame::Kind::failure) {
    if (!failure_ || frame.number < failed_job_) {
      failed_job_ = frame.number;
      failure_ = unpack_error(frame.payload);
    }
    stop();
  } else if (frame.kind == Frame::Kind::result && !failure_) {
    if (!(*done_)(frame.number, unpack_numbers(frame.payload))) stop();
  }
}

void Campaign::lose(Rank& rank, const Frame& frame) {
  rank.lost = true;
  rank.free = 0;
  rank.death = frame.payload;
  rank.left_behind = rank.jobs.size();
  if (suspects_) {
    std::erase_if(*suspects_, [&](int k) { return !rank.jobs.contains(k); });
  } else {
    suspects_ = rank.jobs;
  }
  waiting_.merge(rank.jobs);
  rank.jobs.clear();
}

/// In the order of their numbers, each to the rank that could do most: few jobs spread over many ranks.
void Campaign::hand_out() {
  while (!stopped_ && !waiting_.empty()) {
    const auto rank = std::max_element(ranks_.begin(), ranks_.end(),
                                       [](const Rank& a, const Rank& b) { return a.free < b.free; });
    if (rank->free == 0) return;
    const int k = *waiting_.begin();
    waiting_.erase(waiting_.begin());
    rank->jobs.insert(k);
    --rank->free;
    send_(static_cast<int>(rank - ranks_.begin()), {Frame::Kind::begin, k});
  }
}

void Campaign::stop() {
  if (stopped_) return;
  stopped_ = true;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
    if (!ranks_[rank].lost) send_(static_cast<int>(rank), {Frame::Kind::stop});
}

std::size_t Campaign::under_way() const {
  std::size_t count = 0;
  for (const Rank& rank : ranks_) count += rank.jobs.size();
  return count;
}

bool Campaign::all_lost() const {
  return std::all_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.lost; });
}

bool Campaign::over() const { return all_lost() || (under_way() == 0 && (stopped_ || waiting_.empty())); }

std::vector<std::string> Campaign::conclude() const {
  if (failure_) std::rethrow_exception(failure_);
  std::vector<std::string> notes;
  const bool complete = waiting_.empty() && under_way() == 0;
  for (std::size_t k = 0; k < ranks_.size(); ++k) {
    const Rank& rank = ranks_[k];
    if (!rank.lost) continue;
    std::string note = fmt::format("rank {} died ({})", k, rank.death);
    if (rank.left_behind > 0)
      note += fmt::format("; its {} job{} {} {}", rank.left_behind, rank.left_behind == 1 ? "" : "s",
                          rank.left_behind == 1 ? "was" : "were", complete ? "done by others" : "given up");
    notes.push_back(std::move(note));
  }
  if (all_lost() && !complete && !stopped_)
    throw PoolLost(fmt::format("no rank is left: {}{}", join(notes, "; "),
                               suspects_ && suspects_->size() == 1
                                   ? fmt::format("; job {} was under way each time", *suspects_->begin())
                                   : ""));
  return notes;
}

}  // namespace fathom::cli
