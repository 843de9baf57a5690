// Every environment variable that the library reads, in one table.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tileops::runtime {

struct Variable {
  std::string_view name, meaning;
};

std::span<const Variable> variables();
/// Read once; empty where it is not set. The name must be in the table.
const std::string& variable(std::string_view name);

/// Threads of a call that does not say: TILEOPS_THREADS, or the processors of this process.
int default_threads();

/// Whether this process was forked from one that used the library. OpenMP's threads stay in the
/// parent, and a child that waits for them hangs: its calls run on one thread, with the same bits.
bool is_forked_child();

}  // namespace tileops::runtime
