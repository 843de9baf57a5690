// Measured rows for people.
#pragma once

#include <string>
#include <vector>

#include "certify/bench.h"

namespace tileops::cli {

std::string bench_table(const std::vector<certify::BenchRow>& rows);

/// "12.3 us", "4.56 ms": three digits in the unit that suits.
std::string time_text(double us);

}  // namespace tileops::cli
