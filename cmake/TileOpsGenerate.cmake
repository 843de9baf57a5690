# The build-time program prints what follows from the manifest; the library embeds it.
add_executable(tileops_emit_program src/emit/main.cpp)
set_target_properties(tileops_emit_program PROPERTIES OUTPUT_NAME tileops-emit)
target_link_libraries(tileops_emit_program PRIVATE tileops_emit)
tileops_warnings(tileops_emit_program)

set(TILEOPS_GENERATED ${CMAKE_BINARY_DIR}/generated)
file(GLOB manifest_files CONFIGURE_DEPENDS manifest/*.yaml)
# Headers are outputs too: only then are their users compiled again in the same build. Files whose
# text stays the same are not written, so their users are not (ninja's restat).
set(generated_files ${TILEOPS_GENERATED}/embedded_manifest.cpp ${TILEOPS_GENERATED}/kernel_table.cpp)
foreach(manifest_file IN LISTS manifest_files)
  get_filename_component(family ${manifest_file} NAME_WE)
  list(APPEND generated_files ${TILEOPS_GENERATED}/include/tileops/ops/${family}.h)
endforeach()
add_custom_command(
  OUTPUT ${generated_files}
  COMMAND tileops_emit_program --manifest ${PROJECT_SOURCE_DIR}/manifest --out ${TILEOPS_GENERATED}
  DEPENDS tileops_emit_program ${manifest_files} ${PROJECT_SOURCE_DIR}/manifest/prelude
  COMMENT "Printing what follows from the manifest")

# Certificates and records name what they were made from.
file(GLOB kernel_sources CONFIGURE_DEPENDS kernels/cpu/*.cpp kernels/cpu/*.h src/lower/*.cpp src/lower/*.h
     src/backend/cpu/*.cpp src/backend/cpu/*.h)
add_custom_command(
  OUTPUT ${TILEOPS_GENERATED}/kernel_hashes.cpp
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}
          -DOUT=${TILEOPS_GENERATED}/kernel_hashes.cpp -P ${CMAKE_CURRENT_LIST_DIR}/kernel_hashes.cmake
  DEPENDS ${kernel_sources} ${CMAKE_CURRENT_LIST_DIR}/kernel_hashes.cmake
  COMMENT "Hashing kernels")
target_sources(tileops_certify PRIVATE ${TILEOPS_GENERATED}/kernel_hashes.cpp)

# The whole library for C++ users: include <tileops/ops/FAMILY.h>, link tileops.
# The generated objects join every program, so that libraries need no order among themselves.
add_library(tileops_generated OBJECT ${generated_files})
target_include_directories(tileops_generated PUBLIC ${TILEOPS_GENERATED}/include)
target_link_libraries(tileops_generated PUBLIC tileops_runtime tileops_kernels_cpu tileops_backend_cpu)
tileops_warnings(tileops_generated)
add_library(tileops INTERFACE)
target_link_libraries(tileops INTERFACE tileops_generated)
target_sources(tileops INTERFACE $<TARGET_OBJECTS:tileops_generated>)
add_library(TileOps::tileops ALIAS tileops)

file(GLOB cli_sources CONFIGURE_DEPENDS src/cli/*.cpp)
add_executable(tileops_cli ${cli_sources})
set_target_properties(tileops_cli PROPERTIES OUTPUT_NAME tileops)
target_link_libraries(tileops_cli PRIVATE tileops tileops_certify tileops_emit tileops_dep_cli11
                                          tileops_dep_json tileops_dep_fmt)
tileops_warnings(tileops_cli)
