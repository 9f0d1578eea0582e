# Language, warnings, sanitizers, and the two tools that only make builds faster.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough
                    -Werror)
# Designated initialisers that leave out fields with defaults are a habit of this code.
add_compile_options(-Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports overlapping and overlong copies inside std::string's operator+ that are not there (GCC bug 105651).
  # The same for variants and optionals that are not uninitialized (GCC bug 80635); clang's own analysis stays.
  add_compile_options(-Wno-restrict -Wno-array-bounds -Wno-maybe-uninitialized)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # The variant of all ops folds over them; clang's own limit is 256.
  add_compile_options(-fbracket-depth=4096)
endif()
add_compile_options(-fdiagnostics-color=auto)

if(INGOT_SANITIZE)
  add_compile_options(-fsanitize=${INGOT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${INGOT_SANITIZE})
endif()
if(INGOT_LIBFUZZER)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=mold INGOT_HAVE_MOLD)
if(INGOT_HAVE_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

find_program(INGOT_CCACHE ccache)
if(INGOT_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${PROJECT_SOURCE_DIR}/cmake/compile_with_ccache" ${INGOT_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()
