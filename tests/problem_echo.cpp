// fathom_problem_echo FILE MODELS: reads FILE as a problem of excitation, with the robots of the folder MODELS,
// and prints what is wrong with it. tests/problem_schema.py compares that with the schema.
#include <cstdio>

#include "fathom/base/error.hpp"
#include "fathom/excite/problem.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return 1;
  try {
    fathom::excite::read_problem(argv[1], {argv[2]});
  } catch (const fathom::InputError& error) {
    std::printf("%s\n", error.what());
    return 2;
  }
  return 0;
}
