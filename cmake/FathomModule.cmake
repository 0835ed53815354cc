# Files of one target share what they instantiate of Eigen's templates, which is most of the work. They see each other's
# unnamed namespaces then: tests have a namespace each, named as their file, and FATHOM_UNIT names a namespace of one file
# (CONTRIBUTING.md). Larger units than these save little, and take more than 3 GB of memory.
function(fathom_large_units TARGET)
  if(FATHOM_LARGE_UNITS)
    set_target_properties(${TARGET} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 18 UNITY_BUILD_UNIQUE_ID FATHOM_UNIT)
  endif()
endfunction()

# fathom_packages(NAME DEPENDS module ... LINK target ...): notes which packages a user of the module needs, of the modules below it, too.
function(fathom_packages NAME)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  set(packages "")
  foreach(module ${ARG_DEPENDS})
    get_target_property(earlier fathom_${module} FATHOM_PACKAGES)
    list(APPEND packages ${earlier})
  endforeach()
  foreach(library ${ARG_LINK})
    if(NOT library MATCHES "BUILD_INTERFACE")
      string(REGEX REPLACE "::.*" "" package ${library})
      string(REPLACE "SQLite" "SQLite3" package ${package})
      list(APPEND packages ${package})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES packages)
  set_target_properties(fathom_${NAME} PROPERTIES FATHOM_PACKAGES "${packages}")
endfunction()

# fathom_module(NAME [DEPENDS module ...] [TEST_DEPENDS module ...] [LINK target ...] [PRIVATE_LINK target ...] [GENERATED file ...] [LONG_TESTS test/a_test.cpp ...])
# Adds one module of the library: folder fathom/NAME, target fathom::NAME. Its sources are all *.cpp of the folder but those in
# test/; its tests are test/*_test.cpp and */test/*_test.cpp. LONG_TESTS are the files with tests of label long.
# TEST_DEPENDS are modules that only the tests use; they may stand below the module.
function(fathom_module NAME)
  cmake_parse_arguments(ARG "" "" "DEPENDS;TEST_DEPENDS;LINK;PRIVATE_LINK;GENERATED;LONG_TESTS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/test/")
  set(target fathom_${NAME})
  set(kind STATIC)
  if(FATHOM_SANITIZE)
    # Its calls stay inside: a linker that sees two copies of one of Eigen's templates may keep that of a test, which is
    # not optimised there, for the library too.
    set(kind SHARED)
  endif()
  add_library(${target} ${kind} ${sources} ${ARG_GENERATED})
  if(FATHOM_SANITIZE)
    set_target_properties(${target} PROPERTIES DEFINE_SYMBOL "")
    target_link_options(${target} PRIVATE -Wl,-Bsymbolic-functions)
  endif()
  add_library(fathom::${NAME} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${NAME})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  foreach(module ${ARG_DEPENDS})
    target_link_libraries(${target} PUBLIC fathom_${module})
  endforeach()
  target_link_libraries(${target} PUBLIC ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK}
    $<BUILD_INTERFACE:fathom_settings> $<BUILD_INTERFACE:fathom_fuzzed>)
  target_precompile_headers(${target} REUSE_FROM fathom_headers)
  fathom_large_units(${target})
  set_property(GLOBAL APPEND PROPERTY FATHOM_MODULES ${NAME})
  fathom_packages(${NAME} DEPENDS ${ARG_DEPENDS} LINK ${ARG_LINK} ${ARG_PRIVATE_LINK})

  if(FATHOM_TESTS)
    list(TRANSFORM ARG_TEST_DEPENDS PREPEND fathom_)
    fathom_module_tests(${NAME} LONG ${ARG_LONG_TESTS} LINK ${ARG_TEST_DEPENDS} ${ARG_PRIVATE_LINK})  # tests look inside
  endif()
endfunction()

# fathom_gtest(TARGET PREFIX SOURCES a_test.cpp ... [LONG b_test.cpp ...] LINK target ...): a program of tests, with the files that
# FATHOM_TEST_LABELS ask for: all, or only LONG, those of them with tests of label long. A suite whose name ends in Long has that label,
# any other the label quick. Quick tests are two tests of ctest, halves of the program: a process for each would take most of the time.
function(fathom_gtest TARGET PREFIX)
  cmake_parse_arguments(ARG "" "" "SOURCES;LONG;LINK" ${ARGN})
  if(NOT "quick" IN_LIST FATHOM_TEST_LABELS)
    set(ARG_SOURCES ${ARG_LONG})
  endif()
  if(NOT ARG_SOURCES)
    return()
  endif()
  add_executable(${TARGET} ${ARG_SOURCES})
  target_compile_definitions(${TARGET} PRIVATE FATHOM_ROOT="${PROJECT_SOURCE_DIR}" FATHOM_SOURCE_DIR="${PROJECT_SOURCE_DIR}" FATHOM_ROBOTS_DIR="${PROJECT_SOURCE_DIR}/data/robots")
  target_link_libraries(${TARGET} PRIVATE ${ARG_LINK} GTest::gtest_main)
  fathom_as_test(${TARGET})
  fathom_large_units(${TARGET})
  if("quick" IN_LIST FATHOM_TEST_LABELS)
    foreach(half 0 1)
      add_test(NAME ${PREFIX}:${half} COMMAND ${TARGET} --gtest_brief=1 --gtest_filter=-*Long.*)
      set_tests_properties(${PREFIX}:${half} PROPERTIES LABELS quick COST 50 ENVIRONMENT "GTEST_TOTAL_SHARDS=2;GTEST_SHARD_INDEX=${half}")
    endforeach()
  endif()
  if("long" IN_LIST FATHOM_TEST_LABELS AND ARG_LONG)
    gtest_discover_tests(${TARGET} TEST_PREFIX ${PREFIX}: TEST_FILTER *Long.* PROPERTIES LABELS long
      DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60)
  endif()
endfunction()

# fathom_module_tests(NAME [LONG test/a_test.cpp ...] [LINK target ...]). A source beside the tests that is no *_test.cpp is shared with the
# tests of later modules as fathom_NAME_testing, which is optimised as the library is: plants and oracles that run long.
function(fathom_module_tests NAME)
  cmake_parse_arguments(ARG "" "" "LONG;LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/test/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/*/test/*.cpp)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  if(sources)
    add_library(fathom_${NAME}_testing STATIC ${sources})
    target_compile_definitions(fathom_${NAME}_testing PRIVATE FATHOM_SOURCE_DIR="${PROJECT_SOURCE_DIR}" FATHOM_ROBOTS_DIR="${PROJECT_SOURCE_DIR}/data/robots")
    get_property(earlier GLOBAL PROPERTY FATHOM_TESTING)
    target_link_libraries(fathom_${NAME}_testing PUBLIC fathom_${NAME} ${ARG_LINK} ${earlier} GTest::gtest PRIVATE fathom_settings fathom_fuzzed)
    target_precompile_headers(fathom_${NAME}_testing REUSE_FROM fathom_headers)
    fathom_large_units(fathom_${NAME}_testing)
    set_property(GLOBAL APPEND PROPERTY FATHOM_TESTING fathom_${NAME}_testing)
  endif()
  get_property(testing GLOBAL PROPERTY FATHOM_TESTING)
  fathom_gtest(fathom_${NAME}_test ${NAME} SOURCES ${tests} LONG ${ARG_LONG} LINK fathom_${NAME} ${testing} ${ARG_LINK})
  list(TRANSFORM ARG_LONG PREPEND fathom/${NAME}/)
  set_property(GLOBAL APPEND PROPERTY FATHOM_LONG_TESTS ${ARG_LONG})
endfunction()
