# Large headers, compiled once for all modules, once for the program and once for all tests: they are nine tenths of the lines that a
# source file of ours sees. Ours are among them in large units, which are made to build everything once; in preset dev they are not:
# they change.
set(large_headers <Eigen/Dense> <fmt/format.h> <algorithm> <array> <charconv> <chrono> <filesystem> <functional> <map> <memory> <optional>
    <random> <span> <string> <variant> <vector> <fathom/base/internal/eigen_templates.inc>)
if(FATHOM_LARGE_UNITS)
  list(APPEND large_headers <fathom/fields/yaml_values.hpp> <fathom/dynamics/vehicle.hpp> <fathom/dynamics/arm_regressor.hpp>)
endif()
set(nothing ${PROJECT_BINARY_DIR}/nothing.cpp)
file(WRITE ${nothing}.new "int main() {}\n")
file(COPY_FILE ${nothing}.new ${nothing} ONLY_IF_DIFFERENT)
set(as_base $<TARGET_PROPERTY:fathom_base,INTERFACE_COMPILE_DEFINITIONS>)  # how Eigen lays out its members

add_library(fathom_headers OBJECT ${nothing})
target_link_libraries(fathom_headers PRIVATE fathom_settings fathom_fuzzed Eigen3::Eigen fmt::fmt yaml-cpp)
target_include_directories(fathom_headers PRIVATE ${PROJECT_SOURCE_DIR})
target_compile_definitions(fathom_headers PRIVATE ${as_base})
target_precompile_headers(fathom_headers PRIVATE ${large_headers})

if(FATHOM_CLI)
  add_executable(fathom_program_headers EXCLUDE_FROM_ALL ${nothing})  # for programs, whose code is not placed as a library's is
  target_link_libraries(fathom_program_headers PRIVATE fathom_quick_build Eigen3::Eigen fmt::fmt CLI11::CLI11 nlohmann_json::nlohmann_json)
  target_include_directories(fathom_program_headers PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(fathom_program_headers PRIVATE ${as_base})
  target_precompile_headers(fathom_program_headers PRIVATE <CLI/CLI.hpp> <nlohmann/json.hpp> ${large_headers})
endif()

if(FATHOM_TESTS)
  add_executable(fathom_test_headers EXCLUDE_FROM_ALL ${nothing})
  target_link_libraries(fathom_test_headers PRIVATE fathom_test_build Eigen3::Eigen fmt::fmt GTest::gtest)
  target_include_directories(fathom_test_headers PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(fathom_test_headers PRIVATE ${as_base})
  target_precompile_headers(fathom_test_headers PRIVATE <gtest/gtest.h> ${large_headers})
endif()

# fathom_as_test(TARGET): a program that has the headers that were compiled for tests. It must be compiled as they were: with the
# definitions of gtest too.
function(fathom_as_test TARGET)
  target_link_libraries(${TARGET} PRIVATE fathom_test_build)
  if(NOT FATHOM_TESTS)
    return()
  endif()
  target_link_libraries(${TARGET} PRIVATE GTest::gtest)
  target_precompile_headers(${TARGET} REUSE_FROM fathom_test_headers)
endfunction()
