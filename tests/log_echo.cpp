// fathom_log_echo IN OUT: reads the folder IN as a dataset and writes it to OUT. tests/log_files.py looks at
// both.
#include <cstdio>

#include "fathom/log/csv_reader.hpp"
#include "fathom/log/csv_writer.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    fathom::log::write_dataset(argv[2], fathom::log::read_dataset(argv[1]));
  } catch (const fathom::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}
