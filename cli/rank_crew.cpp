#include "cli/rank_crew.hpp"

#include <chrono>
#include <thread>

#include <unistd.h>

#include "cli/campaign.hpp"

namespace fathom::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds poll{1};

}  // namespace

RankPool::RankPool(int threads, std::function<bool()> interrupted)
    : threads_(threads), interrupted_(std::move(interrupted)), parent_(::getppid()) {}

RankPool::~RankPool() {
  if (link_) say_goodbye();
}

/// A launcher that was killed outright sends no signal; its orphans have another parent.
bool RankPool::told_to_end() const { return interrupted_() || ::getppid() != parent_ || link_->broken(); }

std::vector<std::string> RankPool::run(int count, const Job& job, const Done& done) {
  if (count <= 0 || left_ || abandoned_) return {};
  ++campaign_;
  Worker worker(threads_, job);  // the child never calls MPI
  if (!link_) link_ = std::make_unique<MpiLink>(ranks().rank, ranks().size);
  if (is_first_rank()) return lead(worker, count, done);
  serve(worker);
  return {};
}

std::vector<std::string> RankPool::lead(Worker& worker, int count, const Done& done) {
  // mpirun kills one second after it has told us to end: by then the verb must have written its results.
  constexpr std::chrono::milliseconds patience{300};
  Campaign campaign(count, ranks().size, done, [&](int rank, const Frame& frame) {
    rank == 0 ? worker.send(frame) : link_->send(rank, frame);
  });
  const auto dismiss = [&] {
    for (int rank = 1; rank < ranks().size; ++rank) link_->send(rank, {Frame::Kind::end, abandoned_ ? 1 : 0});
  };
  Clock::time_point told;
  try {
    while (!campaign.over() && (!abandoned_ || Clock::now() - told < patience)) {
      if (!abandoned_ && told_to_end()) {
        abandoned_ = true;
        told = Clock::now();
        campaign.stop();
      }
      worker.wait(poll);
      while (const auto frame = worker.receive()) campaign.hear(0, *frame);
      while (const auto news = link_->receive())
        if (news->second.campaign == campaign_) campaign.hear(news->first, news->second);
    }
  } catch (...) {
    dismiss();
    throw;
  }
  dismiss();
  return campaign.conclude();
}

void RankPool::serve(Worker& worker) {
  // The first rank is told to end when we are, unless somebody wants to be rid of this rank only.
  constexpr std::chrono::seconds patience{2};
  std::optional<Clock::time_point> told;
  while (true) {
    while (const auto news = link_->receive()) {
      const Frame& frame = news->second;
      left_ = frame.kind == Frame::Kind::leave;
      abandoned_ = frame.kind == Frame::Kind::end && frame.number != 0;
      if (left_ || frame.kind == Frame::Kind::end) return;
      worker.send(frame);
    }
    while (auto frame = worker.receive()) {
      frame->campaign = campaign_;
      link_->send(0, *frame);
    }
    worker.wait(poll);
    if (!told && told_to_end()) told = Clock::now();
    if (!told || Clock::now() - *told < patience) continue;
    abandoned_ = ::getppid() != parent_ || link_->broken();
    if (abandoned_) return;
    worker.kill();
  }
}

/// Ranks end together: the others wait here until the first has written its results. That matters most after an
/// interrupt: mpirun kills what is left as soon as one of them has ended, and otherwise only a second later.
void RankPool::say_goodbye() {
  constexpr std::chrono::seconds patience{3};  // with a first rank that may be gone
  const auto since = Clock::now();
  for (int rank = 1; is_first_rank() && rank < ranks().size; ++rank) link_->send(rank, {Frame::Kind::leave});
  while (!is_first_rank() && !left_) {
    if (::getppid() != parent_ || link_->broken()) return;
    if (abandoned_ && Clock::now() - since > patience) return;
    if (const auto news = link_->receive()) left_ = news->second.kind == Frame::Kind::leave;
    std::this_thread::sleep_for(poll);
  }
  if (!abandoned_) link_->close();  // which would wait for ranks that are gone
}

}  // namespace fathom::cli
