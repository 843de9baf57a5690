# The build-time program prints what follows from the manifest; the library embeds it.
add_executable(tileops_emit_program src/emit/main.cpp)
set_target_properties(tileops_emit_program PROPERTIES OUTPUT_NAME tileops-emit)
target_link_libraries(tileops_emit_program PRIVATE tileops_emit)
tileops_warnings(tileops_emit_program)

set(TILEOPS_GENERATED ${CMAKE_BINARY_DIR}/generated)
file(GLOB manifest_files CONFIGURE_DEPENDS manifest/*.yaml)
add_custom_command(
  OUTPUT ${TILEOPS_GENERATED}/embedded_manifest.cpp ${TILEOPS_GENERATED}/kernel_table.cpp
         ${TILEOPS_GENERATED}/stamp
  COMMAND tileops_emit_program --manifest ${PROJECT_SOURCE_DIR}/manifest --out ${TILEOPS_GENERATED}
  COMMAND ${CMAKE_COMMAND} -E touch ${TILEOPS_GENERATED}/stamp
  DEPENDS tileops_emit_program ${manifest_files} ${PROJECT_SOURCE_DIR}/manifest/prelude
  COMMENT "Printing what follows from the manifest")

# The whole library for C++ users: include <tileops/ops/FAMILY.h>, link tileops.
add_library(tileops STATIC ${TILEOPS_GENERATED}/embedded_manifest.cpp
                           ${TILEOPS_GENERATED}/kernel_table.cpp)
target_include_directories(tileops PUBLIC ${TILEOPS_GENERATED}/include)
target_link_libraries(tileops PUBLIC tileops_runtime tileops_kernels_cpu tileops_backend_cpu)
tileops_warnings(tileops)
add_library(TileOps::tileops ALIAS tileops)

file(GLOB cli_sources CONFIGURE_DEPENDS src/cli/*.cpp)
add_executable(tileops_cli ${cli_sources})
set_target_properties(tileops_cli PROPERTIES OUTPUT_NAME tileops)
target_link_libraries(tileops_cli PRIVATE tileops tileops_certify tileops_emit tileops_dep_cli11
                                          tileops_dep_json tileops_dep_fmt)
tileops_warnings(tileops_cli)
