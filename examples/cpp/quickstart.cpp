// The README's example: a matrix product of two bfloat16 tensors.
#include <tileops/ops/gemm.h>

#include <cstdio>

int main() {
  const auto a = tileops::Tensor::full({128, 64}, tileops::DType::kBFloat16, 0.5);
  const auto b = tileops::Tensor::full({32, 64}, tileops::DType::kBFloat16, 2.0);
  const tileops::GemmFwdOp gemm{{.trans_b = true}};
  const tileops::Tensor d = gemm(a, b);
  std::printf("d is %s, d[0, 0] = %g\n", tileops::shape_text(d.shape()).c_str(),
              tileops::load_element(d, 0));
}
