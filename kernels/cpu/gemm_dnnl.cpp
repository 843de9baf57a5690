// Matrix product by oneDNN: d = op(a) op(b), either operand stored transposed, sums in float32.
//
// Strides are taken as they are where one axis of a matrix is contiguous; otherwise the engine
// makes the operand dense. A dtype that oneDNN lacks on this machine (float16 before its version 3)
// goes through float32 copies in the workspace: one conversion for each operand element, against K
// multiplications for each output element. Bound: 2 M N K over the machine's peak.
#include <omp.h>

#include <algorithm>
#include <memory>
#include <string>

#include "dnnl_matmul.h"
#include "half_float.h"
#include "tileops/error.h"
#include "tileops/kernel.h"

namespace tileops::kernels {

const KernelDescriptor& gemm_dnnl();

namespace {

constexpr std::size_t kAlignment = 128;

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

MatrixLayout layout_of(const TensorView& tensor, bool transposed) {
  MatrixLayout matrix{tensor.sizes[0], tensor.sizes[1], tensor.steps[0], tensor.steps[1]};
  // The step of an axis of one element says nothing; give it the one of a dense matrix.
  if (matrix.columns == 1) matrix.column_step = 1;
  if (matrix.rows == 1) matrix.row_step = std::max<std::int64_t>(1, matrix.columns);
  if (transposed) {
    std::swap(matrix.rows, matrix.columns);
    std::swap(matrix.row_step, matrix.column_step);
  }
  return matrix;
}

MatrixLayout dense(std::int64_t rows, std::int64_t columns) {
  return {rows, columns, std::max<std::int64_t>(1, columns), 1};
}

bool has_contiguous_rows(const MatrixLayout& matrix) {
  return matrix.column_step == 1 && matrix.row_step >= matrix.columns;
}
bool has_contiguous_axis(const MatrixLayout& matrix) {
  return has_contiguous_rows(matrix) || (matrix.row_step == 1 && matrix.column_step >= matrix.rows);
}

struct Product {
  DType dtype = DType::kFloat32;
  MatrixLayout a, b, d;
};

Product product_of(const KernelCall& call) {
  return {call.inputs[0].dtype, layout_of(call.inputs[0], std::get<bool>(call.params[0])),
          layout_of(call.inputs[1], std::get<bool>(call.params[1])),
          layout_of(call.outputs[0], false)};
}

std::int64_t elements(const MatrixLayout& matrix) {
  return matrix.rows * matrix.columns;
}

template <class Half>
void widen(const MatrixLayout& from, const void* source, float* dense_rows, int threads) {
  const auto* in = static_cast<const std::uint16_t*>(source);
  // Whichever way the operand is stored, its float32 copy is stored the same way.
  const bool by_rows = from.column_step == 1;
  const std::int64_t lines = by_rows ? from.rows : from.columns;
  const std::int64_t length = by_rows ? from.columns : from.rows;
  const std::int64_t step = by_rows ? from.row_step : from.column_step;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t line = 0; line < lines; ++line) {
    const std::uint16_t* from_line = in + line * step;
    float* to_line = dense_rows + line * length;
#pragma omp simd
    for (std::int64_t i = 0; i < length; ++i) to_line[i] = Half::widen(from_line[i]);
  }
}

template <class Half>
void narrow(const float* dense_rows, const MatrixLayout& to, void* target, int threads) {
  auto* out = static_cast<std::uint16_t*>(target);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t row = 0; row < to.rows; ++row) {
    const float* from_row = dense_rows + row * to.columns;
    std::uint16_t* to_row = out + row * to.row_step;
#pragma omp simd
    for (std::int64_t i = 0; i < to.columns; ++i) to_row[i] = Half::narrow(from_row[i]);
  }
}

/// A float32 copy of an operand keeps its orientation.
MatrixLayout widened(const MatrixLayout& matrix) {
  if (matrix.column_step == 1) return dense(matrix.rows, matrix.columns);
  return {matrix.rows, matrix.columns, 1, std::max<std::int64_t>(1, matrix.rows)};
}

class DirectProgram : public HostProgram {
 public:
  explicit DirectProgram(DnnlMatmul matmul) : matmul_(std::move(matmul)) {}
  void run(const KernelArgs& args) const override {
    matmul_.run(args.inputs[0], args.inputs[1], args.outputs[0], args.workspace, args.threads);
  }

 private:
  DnnlMatmul matmul_;
};

/// Where the copies of a, b and d lie in the workspace, the scratchpad last.
struct WidePlan {
  explicit WidePlan(const Product& product)
      : b(aligned(sizeof(float) * static_cast<std::size_t>(elements(product.a)))),
        d(b + aligned(sizeof(float) * static_cast<std::size_t>(elements(product.b)))),
        scratchpad(d + aligned(sizeof(float) * static_cast<std::size_t>(elements(product.d)))) {}
  std::size_t b, d, scratchpad;
};

template <class Half>
class WideProgram : public HostProgram {
 public:
  WideProgram(const Product& product, DnnlMatmul matmul)
      : product_(product), plan_(product), matmul_(std::move(matmul)) {}
  void run(const KernelArgs& args) const override {
    auto* memory = static_cast<std::byte*>(args.workspace);
    auto* a = reinterpret_cast<float*>(memory);
    auto* b = reinterpret_cast<float*>(memory + plan_.b);
    auto* d = reinterpret_cast<float*>(memory + plan_.d);
    widen<Half>(product_.a, args.inputs[0], a, args.threads);
    widen<Half>(product_.b, args.inputs[1], b, args.threads);
    matmul_.run(a, b, d, memory + plan_.scratchpad, args.threads);
    narrow<Half>(d, product_.d, args.outputs[0], args.threads);
  }

 private:
  Product product_;
  WidePlan plan_;
  DnnlMatmul matmul_;
};

/// A sum over no terms is zero.
class ZeroProgram : public HostProgram {
 public:
  explicit ZeroProgram(const Product& product) : d_(product.d), bytes_(size_bytes(product.dtype)) {}
  void run(const KernelArgs& args) const override {
    auto* out = static_cast<std::byte*>(args.outputs[0]);
    const std::size_t line = static_cast<std::size_t>(d_.columns) * bytes_;
    for (std::int64_t row = 0; row < d_.rows; ++row) {
      std::fill_n(out + static_cast<std::size_t>(row * d_.row_step) * bytes_, line, std::byte{0});
    }
  }

 private:
  MatrixLayout d_;
  std::size_t bytes_;
};

std::optional<DnnlMatmul> direct_matmul(const Product& product, int threads) {
  return DnnlMatmul::make(product.dtype, product.a, product.b, product.d, threads);
}
std::optional<DnnlMatmul> wide_matmul(const Product& product, int threads) {
  return DnnlMatmul::make(DType::kFloat32, widened(product.a), widened(product.b),
                          dense(product.d.rows, product.d.columns), threads);
}

class GemmDnnl : public KernelDescriptor {
 public:
  std::string_view name() const override { return "gemm_dnnl"; }

  Applies applies(const KernelCall& call, const DeviceInfo&) const override {
    if (call.inputs.size() != 2 || call.outputs.size() != 1 || call.params.size() != 2 ||
        !std::holds_alternative<bool>(call.params[0]) ||
        !std::holds_alternative<bool>(call.params[1])) {
      return Applies::no("it takes two matrices and whether each is transposed");
    }
    const DType dtype = call.inputs[0].dtype;
    if (dtype != DType::kFloat16 && dtype != DType::kBFloat16 && dtype != DType::kFloat32) {
      return Applies::no(std::string(dtype_name(dtype)) +
                         " is neither float16, bfloat16 nor float32");
    }
    const Product product = product_of(call);
    if (!has_contiguous_rows(product.d))
      return Applies::no("rows of the output are not contiguous");
    Applies answer;
    if (!has_contiguous_axis(product.a)) answer.dense_inputs |= 1U;
    if (!has_contiguous_axis(product.b)) answer.dense_inputs |= 2U;
    return answer;
  }

  std::size_t workspace_bytes(const KernelCall& call, const KernelConfig&) const override {
    const Product product = product_of(call);
    if (product.a.columns == 0) return 0;
    if (const auto direct = direct_matmul(product, call.threads)) return direct->workspace_bytes();
    const auto wide = wide_matmul(product, call.threads);
    return WidePlan(product).scratchpad + (wide ? wide->workspace_bytes() : 0);
  }

  Launch launch(const KernelCall& call, const KernelConfig&) const override {
    const Product product = product_of(call);
    if (product.a.columns == 0) return {std::make_shared<ZeroProgram>(product)};
    if (auto direct = direct_matmul(product, call.threads)) {
      return {std::make_shared<DirectProgram>(std::move(*direct))};
    }
    auto wide = wide_matmul(product, call.threads);
    if (!wide) {
      throw Error(ErrorKind::kMachine, {std::string(call.op),
                                        "kernel gemm_dnnl",
                                        "a float32 matrix product of oneDNN",
                                        "none",
                                        {}});
    }
    if (product.dtype == DType::kFloat16) {
      return {std::make_shared<WideProgram<Float16>>(product, std::move(*wide))};
    }
    return {std::make_shared<WideProgram<BFloat16>>(product, std::move(*wide))};
  }
};

}  // namespace

const KernelDescriptor& gemm_dnnl() {
  static const GemmDnnl kernel;
  return kernel;
}

}  // namespace tileops::kernels
