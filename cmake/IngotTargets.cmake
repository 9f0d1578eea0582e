# Targets from folders: what lies in a folder is built, so that adding a file needs no edit here.

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

# C++ sources of the folders (relative to the current one) into `result`.
function(ingot_sources result)
  list(TRANSFORM ARGN APPEND "/*.cpp")
  file(GLOB sources CONFIGURE_DEPENDS ${ARGN})
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# Include paths, and the wait for generated headers.
function(ingot_common target)
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
  if(TARGET ingot_gen)
    add_dependencies(${target} ingot_gen)
  endif()
endfunction()

# ingot_library(name SOURCES files... LINK targets...)
function(ingot_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  if(NOT arg_SOURCES)
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${arg_LINK})
    return()
  endif()
  add_library(${name} STATIC ${arg_SOURCES})
  ingot_common(${name})
  target_precompile_headers(${name} PRIVATE <fmt/format.h> "${PROJECT_SOURCE_DIR}/program/program.h")
  target_link_libraries(${name} PUBLIC ${arg_LINK})
endfunction()

# ingot_executable(name SOURCES files... LINK targets...)
function(ingot_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  if(NOT arg_SOURCES)
    return()
  endif()
  add_executable(${name} ${arg_SOURCES})
  ingot_common(${name})
  target_link_libraries(${name} PRIVATE ${arg_LINK})
endfunction()
