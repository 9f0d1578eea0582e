# Every library comes from the system through pkg-config, as target PkgConfig::<name>. The version is the one that
# Ingot is tested with; an older one may work and gets a warning.

find_package(PkgConfig)
if(NOT PKG_CONFIG_FOUND)
  message(FATAL_ERROR "pkg-config is missing: install the Debian package pkg-config")
endif()

function(ingot_dependency name module tested debian_package)
  pkg_check_modules(${name} QUIET IMPORTED_TARGET GLOBAL ${module})
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "${module} is missing: install the Debian package ${debian_package} (or run scripts/setup)")
  endif()
  if(${name}_VERSION VERSION_LESS tested)
    message(WARNING "${module} is ${${name}_VERSION}, older than ${tested}, with which Ingot is tested")
  endif()
endfunction()

#                name         module         tested   Debian package
ingot_dependency(flatbuffers  flatbuffers    2.0.8    libflatbuffers-dev)
ingot_dependency(fmt          fmt            9.1.0    libfmt-dev)
ingot_dependency(xxhash       libxxhash      0.8.1    libxxhash-dev)
ingot_dependency(libzip       libzip         1.7.3    libzip-dev)
ingot_dependency(simdjson     simdjson       3.0.1    libsimdjson-dev)
ingot_dependency(cli11        CLI11          2.1.2    libcli11-dev)
ingot_dependency(json         nlohmann_json  3.11.2   nlohmann-json3-dev)
if(INGOT_TESTS)
  ingot_dependency(gtest      gtest_main     1.12.1   libgtest-dev)
endif()

find_program(INGOT_FLATC flatc)
if(NOT INGOT_FLATC)
  message(FATAL_ERROR "flatc is missing: install the Debian package flatbuffers-compiler (or run scripts/setup)")
endif()
