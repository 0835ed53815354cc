# Files of one target share what they instantiate of Eigen's templates, which is most of the work. They see each other's
# unnamed namespaces then: tests have a namespace each, named as their file. Larger units than these save little, and
# take more than 3 GB of memory.
function(fathom_large_units TARGET)
  if(FATHOM_LARGE_UNITS)
    set_target_properties(${TARGET} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 18)
  endif()
endfunction()

# fathom_module(NAME [DEPENDS module ...] [LINK target ...] [PRIVATE_LINK target ...] [GENERATED file ...])
# Adds one module of the library: folder fathom/NAME, target fathom::NAME. Its sources are all *.cpp of the folder but those in
# test/; its tests are test/*_test.cpp and */test/*_test.cpp.
function(fathom_module NAME)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK;PRIVATE_LINK;GENERATED" ${ARGN})
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

  if(FATHOM_TESTS)
    fathom_module_tests(${NAME})
    if(TARGET ${target}_test)  # which looks inside
      target_link_libraries(${target}_test PRIVATE ${ARG_PRIVATE_LINK})
    endif()
  endif()
endfunction()

# fathom_keep_shortened(LIST): of these test sources keeps those that say that a build with FATHOM_SHORT_TESTS or under the sanitizers does
# not run all of them.
function(fathom_keep_shortened LIST)
  foreach(source ${${LIST}})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})  # what it says may change
    file(STRINGS ${source} says REGEX "test::repeats\\(|FATHOM_LONG_TEST|FATHOM_SANITIZED" LIMIT_COUNT 1)
    if(NOT says)
      list(REMOVE_ITEM ${LIST} ${source})
    endif()
  endforeach()
  set(${LIST} ${${LIST}} PARENT_SCOPE)
endfunction()

# *_test.cpp are the tests; any other source beside them is shared with the tests of later modules as fathom_NAME_testing, which is
# optimised as the library is: plants and oracles that run long.
function(fathom_module_tests NAME)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/test/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/*/test/*.cpp)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  if(NOT FATHOM_EVERY_TEST)
    fathom_keep_shortened(tests)
  endif()
  set(data_folders FATHOM_SOURCE_DIR="${PROJECT_SOURCE_DIR}" FATHOM_ROBOTS_DIR="${PROJECT_SOURCE_DIR}/data/robots")
  if(sources)
    add_library(fathom_${NAME}_testing STATIC ${sources})
    target_compile_definitions(fathom_${NAME}_testing PRIVATE ${data_folders})
    get_property(earlier GLOBAL PROPERTY FATHOM_TESTING)
    target_link_libraries(fathom_${NAME}_testing PUBLIC fathom_${NAME} ${earlier} GTest::gtest PRIVATE fathom_settings fathom_fuzzed)
    target_precompile_headers(fathom_${NAME}_testing REUSE_FROM fathom_headers)
    fathom_large_units(fathom_${NAME}_testing)
    set_property(GLOBAL APPEND PROPERTY FATHOM_TESTING fathom_${NAME}_testing)
  endif()
  if(tests)
    get_property(testing GLOBAL PROPERTY FATHOM_TESTING)
    add_executable(fathom_${NAME}_test ${tests})
    target_compile_definitions(fathom_${NAME}_test PRIVATE ${data_folders})
    target_link_libraries(fathom_${NAME}_test PRIVATE fathom_${NAME} ${testing} GTest::gtest_main)
    fathom_as_test(fathom_${NAME}_test)
    fathom_large_units(fathom_${NAME}_test)
    gtest_discover_tests(fathom_${NAME}_test TEST_PREFIX ${NAME}: DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60)
  endif()
endfunction()
