# tileops_library(name FOLDER dir LINKS our libraries... PRIVATE outside libraries...)
# One static library `tileops_<name>` of the folder's own *.cpp and of its rooms, which are no
# layers of their own (spec/checks, certify/inputs ...).
set(TILEOPS_ROOMS checks inputs rivals twins)

function(tileops_library name)
  cmake_parse_arguments(ARG "" "FOLDER" "LINKS;PRIVATE" ${ARGN})
  set(target tileops_${name})
  set(sources_glob ${ARG_FOLDER}/*.cpp)
  foreach(room IN LISTS TILEOPS_ROOMS)
    list(APPEND sources_glob ${ARG_FOLDER}/${room}/*.cpp)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${sources_glob})
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  add_library(${target} STATIC ${sources})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/include
                                              ${PROJECT_SOURCE_DIR}/src)
  tileops_headers(${target} ${ARG_FOLDER})
  foreach(link IN LISTS ARG_LINKS)
    target_link_libraries(${target} PUBLIC tileops_${link})
  endforeach()
  foreach(link IN LISTS ARG_PRIVATE)
    target_link_libraries(${target} PRIVATE tileops_dep_${link})
  endforeach()
  tileops_warnings(${target})
  tileops_alone(${sources})
endfunction()

# Sources that Highway includes again for each instruction set cannot share a unit.
function(tileops_alone)
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} again REGEX "foreach_target" LIMIT_COUNT 1)
    if(again)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()

# Each header compiles alone: `cmake --build --target all_verify_interface_header_sets`.
function(tileops_headers target folder)
  set(headers_glob ${folder}/*.h)
  foreach(room IN LISTS TILEOPS_ROOMS)
    list(APPEND headers_glob ${folder}/${room}/*.h)
  endforeach()
  file(GLOB headers CONFIGURE_DEPENDS ${headers_glob})
  list(FILTER headers EXCLUDE REGEX "-inl\\.h$")  # Highway's: compiled once for each target
  if(headers)
    string(REGEX REPLACE "/.*" "" base ${folder})
    target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/${base}
                                    FILES ${headers})
    set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  endif()
endfunction()

function(tileops_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow
                                           -Wnon-virtual-dtor)
  if(TILEOPS_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
