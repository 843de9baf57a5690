// The rates of this machine, measured (`tileops calibrate`).
#pragma once

#include "certify/cpu_profile.h"
#include "certify/progress.h"

namespace tileops::certify {

/// About three seconds. The rate of functions is that of our own loop, by a manifest of its own.
CpuProfile calibrate_cpu(int threads, const Progress& progress);

}  // namespace tileops::certify
