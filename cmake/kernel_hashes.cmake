# cmake -DSOURCE=dir -DOUT=file -P kernel_hashes.cmake: the hash of each kernel's sources as C++.
# One for each kernel of kernels/cpu, together with the parts that kernels share (files that have a
# header), and one for `derived`: the lowering and the interpreter.
cmake_policy(VERSION 3.25)

function(hash_of result)
  set(all "")
  foreach(file IN LISTS ARGN)
    file(SHA256 ${file} hash)
    string(APPEND all ${hash})
  endforeach()
  string(SHA256 hash "${all}")
  string(SUBSTRING ${hash} 0 16 hash)
  set(${result} ${hash} PARENT_SCOPE)
endfunction()

set(rows "")
file(GLOB shared ${SOURCE}/kernels/cpu/*.h)
file(GLOB kernels ${SOURCE}/kernels/cpu/*.cpp)
foreach(header IN LISTS shared)
  string(REGEX REPLACE "h$" "cpp" part ${header})
  if(EXISTS ${part})
    list(APPEND shared ${part})
    list(REMOVE_ITEM kernels ${part})
  endif()
endforeach()
list(SORT shared)
foreach(kernel IN LISTS kernels)
  get_filename_component(name ${kernel} NAME_WE)
  hash_of(hash ${kernel} ${shared})
  string(APPEND rows "    {\"${name}\", \"${hash}\"},\n")
endforeach()
file(GLOB derived ${SOURCE}/src/lower/*.h ${SOURCE}/src/lower/*.cpp ${SOURCE}/src/backend/cpu/*.h
     ${SOURCE}/src/backend/cpu/*.cpp)
list(SORT derived)
hash_of(hash ${derived})
string(APPEND rows "    {\"derived\", \"${hash}\"},\n")

file(WRITE ${OUT} "// Printed by cmake/kernel_hashes.cmake.
#include \"certify/kernel_hash.h\"

namespace tileops::certify {

std::span<const KernelHash> kernel_hashes() {
  static constexpr KernelHash kHashes[] = {
${rows}  };
  return kHashes;
}

}  // namespace tileops::certify
")
