// Loads by dtype.
#include "certify/oracle/leaves.h"

#include "certify/oracle/inner_loops.h"

namespace tileops::certify::oracle {

void load_elements(
    const TensorView& view, std::int64_t offset, std::int64_t step, std::size_t count, double* to) {
  const auto* base = static_cast<const std::byte*>(view.data) +
                     offset * static_cast<std::int64_t>(size_bytes(view.dtype));
  switch (view.dtype) {
    case DType::kBFloat16:
      return load_bfloat16(base, step, count, to);
    case DType::kFloat16:
      return load_float16(base, step, count, to);
    case DType::kFloat32:
      return load_float32(base, step, count, to);
    default:
      for (std::size_t i = 0; i < count; ++i) {
        to[i] = load_element(view, offset + static_cast<std::int64_t>(i) * step);
      }
  }
}

void mark_subnormals(DType dtype, int lanes, Block& block) {
  if (dtype != DType::kFloat32 && dtype != DType::kBFloat16) return;
  double any = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(lanes); ++i) {
    double magnitude = std::abs(block.x[i]);
    bool subnormal = (magnitude < 0x1p-126) & (magnitude > 0);
    any += subnormal ? 1.0 : 0.0;
  }
  if (any == 0) return;
  block.make_inexact();
  for (int lane = 0; lane < lanes; ++lane) {
    auto i = static_cast<std::size_t>(lane);
    if (std::abs(block.x[i]) < 0x1p-126) block.b[i] = std::abs(block.x[i]);
  }
}

}  // namespace tileops::certify::oracle
