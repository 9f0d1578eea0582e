# Headers that are made, under <build>/gen and included as "gen/name.h": by the schema generator (target ingot_gen), and
# the facts of this build and tree.

set(INGOT_GEN_DIR "${PROJECT_BINARY_DIR}/gen")

# What `ingot-schema` writes into gen/. Sources among them become part of ingot_program.
set(INGOT_GENERATED enums.h ops.h fields.h fields.cpp families.h options.h builder_methods.inc builder_methods.cpp op_pages.h
    ingot_generated.h)
list(TRANSFORM INGOT_GENERATED PREPEND "${INGOT_GEN_DIR}/")

set(INGOT_BUILD_COMPILER "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/build_facts.h.in" "${INGOT_GEN_DIR}/build_facts.h" @ONLY)
