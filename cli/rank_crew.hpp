#pragma once
#include <memory>

#include "cli/mpi_link.hpp"
#include "cli/ranks.hpp"
#include "cli/worker.hpp"

namespace fathom::cli {

/// The crew of all ranks of an MPI launch. Open MPI ends the whole launch when one of its processes dies; so
/// each rank is a supervisor that speaks MPI and does nothing that could crash, and a worker that it has forked
/// and that does the jobs. The first rank hands out the jobs, one by one to whoever is free; those of a worker
/// that dies go to the others.
class RankPool : public WorkerPool {
 public:
  RankPool(int threads, std::function<bool()> interrupted);
  RankPool(const RankPool&) = delete;
  RankPool& operator=(const RankPool&) = delete;
  ~RankPool() override;
  std::vector<std::string> run(int count, const Job& job, const Done& done) override;
  int size() const override { return threads_ * ranks().size; }  ///< if all ranks have as many threads as this

 private:
  bool told_to_end() const;
  std::vector<std::string> lead(Worker& worker, int count, const Done& done);
  void serve(Worker& worker);
  void say_goodbye();

  int threads_;
  std::function<bool()> interrupted_;
  int parent_;  // the launcher's process
  std::unique_ptr<MpiLink> link_;
  int campaign_ = 0;        // counts them
  bool left_ = false;       // the first rank has said that there will be no other campaign
  bool abandoned_ = false;  // interrupted: the launcher is about to kill us, and ranks may be gone already
};

}  // namespace fathom::cli
