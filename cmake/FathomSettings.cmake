# Settings that every target of this build shares.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

include(GNUInstallDirs)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Sloppiness: what ccache asks for with precompiled headers. Clang's hold absolute paths, so only builds in the same folder share the cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()

# A linker that takes a quarter of the time.
find_program(FATHOM_LLD ld.lld)
mark_as_advanced(FATHOM_LLD)
if(FATHOM_LLD AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_link_options(-fuse-ld=lld)
endif()

add_library(fathom_settings INTERFACE)
# No compile flag changes results: no -march, no -ffast-math, and no fused multiply-add that the source does
# not ask for. tests/same_numbers.py compares the release and the sanitizer build byte for byte.
target_compile_options(fathom_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion $<$<BOOL:${FATHOM_WERROR}>:-Werror> -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(fathom_settings INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)  # GCC PR 105651: false alarms on std::string
  if(FATHOM_LARGE_UNITS)  # in large units it sees too much of Eigen's storage at once: false alarms too
    target_compile_options(fathom_settings INTERFACE -Wno-maybe-uninitialized -Wno-use-after-free)
  endif()
endif()
# Large units define it anew for each file (FathomModule.cmake).
target_compile_definitions(fathom_settings INTERFACE FATHOM_UNIT=unit)
# For what ships: library and program. Tests are not looked into themselves, a fifth of building and most of running them.
add_library(fathom_sanitized INTERFACE)
if(FATHOM_SANITIZE)
  # Null, misaligned and overflowing pointers are left to the address sanitizer: checking each of Eigen's accesses for
  # them makes the build many times slower. Nor are there debug symbols, a third of its time: reports have the names of
  # functions, and what is undefined comes with file and line; -DCMAKE_CXX_FLAGS="-O1 -g1" gives lines everywhere.
  target_compile_options(fathom_sanitized INTERFACE -fsanitize=address,undefined
    -fno-sanitize=null,alignment,vptr,pointer-overflow,object-size
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # An assertion of Eigen stops without its text, a tenth of the build; the sanitizer tells in which function, preset dev the rest.
  target_compile_options(fathom_settings INTERFACE "-Deigen_assert(x)=((x)?void(0):__builtin_trap())")
  target_link_options(fathom_settings INTERFACE -fsanitize=address,undefined)
  target_compile_definitions(fathom_settings INTERFACE FATHOM_SANITIZED)  # malloc is the sanitizer's: some tests care
endif()

# So that ccache sees through precompiled headers.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(fathom_settings INTERFACE -fpch-preprocess)
else()
  target_compile_options(fathom_settings INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
endif()

# For tests: making good code of them would be half of building them, four fifths under the sanitizers. What they call often is the
# library's or stands in fathom_NAME_testing.
add_library(fathom_test_build INTERFACE)
target_compile_options(fathom_test_build INTERFACE -O0)
target_link_libraries(fathom_test_build INTERFACE fathom_settings)

# For code that is not hot: the command line. In preset dev nothing is optimised: a file is to compile in seconds. Nor is it under the
# sanitizers.
add_library(fathom_quick_build INTERFACE)
target_compile_options(fathom_quick_build INTERFACE $<IF:$<BOOL:${FATHOM_SANITIZE}>,-O0,$<$<NOT:$<CONFIG:Debug>>:-O1>>)
if(NOT FATHOM_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(fathom_quick_build INTERFACE "SHELL:-mllvm -inline-threshold=25")  # a sixth less time, code as large
endif()
target_link_libraries(fathom_quick_build INTERFACE fathom_settings fathom_sanitized)

# For the library beneath a fuzzer: what reads reports which branches it takes; without that the fuzzer is blind to all but its own lines.
add_library(fathom_fuzzed INTERFACE)
target_link_libraries(fathom_fuzzed INTERFACE fathom_sanitized)
if(FATHOM_FUZZ)
  target_compile_options(fathom_fuzzed INTERFACE -fsanitize=fuzzer-no-link
    -fsanitize-coverage-allowlist=${PROJECT_SOURCE_DIR}/fuzz/guided_by.txt)
endif()
