// The CPU's kernel for every operator that has no better one.
#pragma once

#include "tileops/kernel.h"

namespace tileops::cpu {

const KernelDescriptor& derived_kernel();

}  // namespace tileops::cpu
