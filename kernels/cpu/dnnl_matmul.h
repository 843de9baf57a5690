// One oneDNN matrix product, made once and run many times: the one file that sees the library, in
// both its generations (2.6 on Debian 12, 3.x on 13). Knows nothing of operators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "tileops/dtype.h"

namespace tileops::kernels {

/// A matrix in memory: element (row, column) lies at row * row_step + column * column_step.
struct MatrixLayout {
  std::int64_t rows = 0, columns = 0;
  std::int64_t row_step = 0, column_step = 0;
};

/// d = a b, sums in float32, on `threads` OpenMP threads.
class DnnlMatmul {
 public:
  /// Nothing where oneDNN has no program for this dtype on this machine.
  static std::optional<DnnlMatmul> make(DType dtype,
                                        const MatrixLayout& a,
                                        const MatrixLayout& b,
                                        const MatrixLayout& d,
                                        int threads);

  std::size_t workspace_bytes() const;
  /// May be called from any thread at once; `workspace` is of one call.
  void run(const void* a, const void* b, void* d, void* workspace, int threads) const;

 private:
  struct Program;
  explicit DnnlMatmul(std::shared_ptr<const Program> program) : program_(std::move(program)) {}
  std::shared_ptr<const Program> program_;
};

}  // namespace tileops::kernels
