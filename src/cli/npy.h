// NumPy's .npy files (format 1.0), enough to hand tensors to Python and back.
#pragma once

#include <filesystem>

#include "tileops/tensor.h"

namespace tileops::cli {

/// Writes any strides row-major. float8, float16 and bfloat16 are stored as float32, exactly.
void write_npy(const std::filesystem::path& path, const TensorView& tensor);

/// Throws Error(kMachine) for an unreadable file, Error(kValue) for one it does not understand.
Tensor read_npy(const std::filesystem::path& path);

/// A dense copy with every element rounded to `dtype`.
Tensor convert(const TensorView& tensor, DType dtype);

}  // namespace tileops::cli
