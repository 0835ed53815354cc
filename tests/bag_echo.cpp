// fathom_bag_echo BAG [whole]: what the bag BAG holds, as text: topics with their columns, then their rows with
// every bit. `whole`: of a truncated file what is whole.
// fathom_bag_echo IN OUT.mcap lz4|zstd|none: writes the dataset in the folder IN.
// tests/oracle/check_bags.py compares both with other libraries.
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "fathom/log/bag.hpp"
#include "fathom/log/csv_reader.hpp"
#include "fathom/log/mcap_writer.hpp"

namespace {

using namespace fathom::log;

void print(const Bag& bag) {
  fmt::print("start {}\n", bag.start_ns());
  std::vector<std::size_t> wanted;
  for (std::size_t k = 0; k < bag.topics().size(); ++k) {
    const Topic& topic = bag.topics()[k];
    fmt::print("topic {} {} {}\n", topic.name, topic.type, topic.messages);
    for (const std::string& column : topic.columns) fmt::print("column {}\n", column);
    if (topic.columns.empty())
      fmt::print("why {}\n", topic.why_not);
    else
      wanted.push_back(k);
  }
  const auto counts = bag.read(wanted, [&](std::size_t k, std::span<const double> row) {
    fmt::print("row {}", bag.topics()[wanted[k]].name);
    for (const double x : row) fmt::print(" {}", x);
    fmt::print("\n");
  });
  for (std::size_t k = 0; k < counts.size(); ++k)
    fmt::print("counts {} {} {} {}\n", bag.topics()[wanted[k]].name, counts[k].rows, counts[k].unreadable,
               counts[k].other_length);
  for (const auto& note : bag.notes()) fmt::print("note {}\n", note.text());
}

McapOptions::Compression compression_of(const std::string& word) {
  if (word == "lz4") return McapOptions::Compression::lz4;
  return word == "zstd" ? McapOptions::Compression::zstd : McapOptions::Compression::none;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) return 2;
  try {
    if (argc == 4)
      write_mcap(argv[2], read_dataset(argv[1]),
                 {.compression = compression_of(argv[3]),
                  .chunk_bytes = 1 << 14,
                  .start_ns = 1'700'000'000'123'456'789});
    else
      print(Bag(argv[1], {.allow_truncated = argc == 3}));
  } catch (const fathom::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}
