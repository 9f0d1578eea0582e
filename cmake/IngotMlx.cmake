# MLX from its wheels: target `mlx`, and OpenBLAS in front of it, since the BLAS inside the wheel is the plain one.
#
# The wheel's own CMake config is not used: that of the CUDA flavour asks for a whole toolkit to be found.

file(GLOB wheels "${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/mlx")
set(INGOT_MLX_ROOT "${wheels}" CACHE PATH "The folder `mlx` of an environment that MLX's wheels are installed in")
set(INGOT_MLX_TESTED 0.32.4)

find_library(INGOT_MLX_LIBRARY mlx PATHS "${INGOT_MLX_ROOT}/lib" NO_DEFAULT_PATH)
if(NOT INGOT_MLX_LIBRARY)
  message(FATAL_ERROR "MLX is missing in '${INGOT_MLX_ROOT}': run scripts/setup, set INGOT_MLX_ROOT, or configure with "
                      "-DINGOT_MLX=OFF")
endif()

# There is no promise about MLX's binary interface, so the version is exact.
file(STRINGS "${INGOT_MLX_ROOT}/include/mlx/version.h" version REGEX "MLX_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+")
string(REGEX REPLACE "[^0-9;]" "" version "${version}")
string(REPLACE ";" "." version "${version}")
if(NOT version STREQUAL INGOT_MLX_TESTED)
  message(FATAL_ERROR "MLX is ${version}, expected ${INGOT_MLX_TESTED}")
endif()

add_library(mlx SHARED IMPORTED GLOBAL)
set_target_properties(mlx PROPERTIES IMPORTED_LOCATION "${INGOT_MLX_LIBRARY}")
target_include_directories(mlx SYSTEM INTERFACE "${INGOT_MLX_ROOT}/include")

# Symbols are looked up in the order of linking; without the flag the linker drops OpenBLAS, which nobody here calls.
if(NOT APPLE)
  ingot_dependency(openblas openblas 0.3.21 libopenblas-dev)
  set_property(TARGET mlx PROPERTY INTERFACE_LINK_LIBRARIES
                      "-Wl,--push-state,--no-as-needed" "$<TARGET_PROPERTY:PkgConfig::openblas,INTERFACE_LINK_LIBRARIES>" "-Wl,--pop-state")
endif()
