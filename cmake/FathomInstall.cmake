# Install and export, so that an outside project can say find_package(fathom).
include(CMakePackageConfigHelpers)
get_property(modules GLOBAL PROPERTY FATHOM_MODULES)

add_library(fathom INTERFACE)
add_library(fathom::fathom ALIAS fathom)
set(module_targets "")
foreach(module ${modules})
  list(APPEND module_targets fathom_${module})
endforeach()
target_link_libraries(fathom INTERFACE ${module_targets})

install(TARGETS fathom ${module_targets} EXPORT fathomTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(FATHOM_CLI)
  install(TARGETS fathom_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES cli/completion/fathom.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME fathom)
endif()
install(EXPORT fathomTargets NAMESPACE fathom:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/fathom)
install(DIRECTORY fathom DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp" PATTERN "internal" EXCLUDE PATTERN "test" EXCLUDE PATTERN "web" EXCLUDE)
install(DIRECTORY data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/fathom)
# Schemas follow from the tables of keys: the program prints them.
install(CODE "
  set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/fathom/schemas\")
  file(MAKE_DIRECTORY \"\${folder}\")
  foreach(format robot arm assembly hull scenario problem description trajectory towing decay)
    execute_process(COMMAND \"$<TARGET_FILE:fathom_cli>\" schema \${format}
                    OUTPUT_FILE \"\${folder}/\${format}.schema.json\" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()")
install(DIRECTORY studies/ DESTINATION ${CMAKE_INSTALL_DATADIR}/fathom/studies  # what is read, not what is compiled
  PATTERN "*.[ch]pp" EXCLUDE PATTERN "CMakeLists.txt" EXCLUDE)

set(packages_of_modules "")
foreach(module ${modules})
  get_target_property(packages fathom_${module} FATHOM_PACKAGES)
  string(APPEND packages_of_modules "set(fathom_packages_of_${module} ${packages})\n")
endforeach()
configure_package_config_file(cmake/fathomConfig.cmake.in fathomConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/fathom)
write_basic_package_version_file(fathomConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/fathomConfig.cmake ${PROJECT_BINARY_DIR}/fathomConfigVersion.cmake cmake/FathomCompression.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/fathom)

# In the build tree the program finds the robots where an installed one would: ../share beside bin.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/fathom)
foreach(kind robots arms assemblies scenarios problems)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/data/${kind} ${PROJECT_BINARY_DIR}/share/fathom/${kind} SYMBOLIC)
endforeach()
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/studies ${PROJECT_BINARY_DIR}/share/fathom/studies SYMBOLIC)
