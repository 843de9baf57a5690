// results/<device>/<Op>.json: measured rows, kept one a workload, dtype, cache state and kernel.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "certify/bench.h"

namespace tileops::cli {

/// Rows timed out of process (bench/pytorch_cpu.py) join the rows that they belong to: the same
/// op, workload, dtype, cache state and threads. Returns how many did.
int merge_rivals(std::vector<certify::BenchRow>& rows, const std::filesystem::path& file);

/// Replaces the rows of the same op, workload, dtype, params, l2 and kernel; keeps the others.
void record(const std::filesystem::path& results, const std::vector<certify::BenchRow>& rows);

/// The commit of the working tree, or "" outside one.
std::string current_commit();
/// "2026-12-01", in UTC.
std::string current_date();

}  // namespace tileops::cli
