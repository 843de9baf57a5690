// oneDNN's matmul primitive with a scratchpad of ours, so that one primitive serves many threads.
#include "dnnl_matmul.h"

#include <omp.h>

#include <oneapi/dnnl/dnnl.hpp>
#include <utility>

namespace tileops::kernels {
namespace {

/// oneDNN takes as many threads as OpenMP says, when a primitive is made and when it runs.
class ThreadScope {
 public:
  explicit ThreadScope(int threads) : before_(omp_get_max_threads()) {
    if (threads != before_) omp_set_num_threads(threads);
  }
  ~ThreadScope() { omp_set_num_threads(before_); }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
};

const dnnl::engine& cpu_engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

std::optional<dnnl::memory::data_type> data_type(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return dnnl::memory::data_type::f32;
    case DType::kBFloat16:
      return dnnl::memory::data_type::bf16;
    case DType::kFloat16:
      return dnnl::memory::data_type::f16;
    default:
      return std::nullopt;
  }
}

dnnl::memory::desc describe(const MatrixLayout& matrix, dnnl::memory::data_type type) {
  return {{matrix.rows, matrix.columns}, type, {matrix.row_step, matrix.column_step}};
}

dnnl::matmul::primitive_desc describe_product(const dnnl::memory::desc& a,
                                              const dnnl::memory::desc& b,
                                              const dnnl::memory::desc& d) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
#if DNNL_VERSION_MAJOR >= 3
  return {cpu_engine(), a, b, d, attributes};
#else
  return {dnnl::matmul::desc(a, b, d), attributes, cpu_engine()};
#endif
}

}  // namespace

struct DnnlMatmul::Program {
  dnnl::memory::desc a, b, d, scratchpad;
  dnnl::matmul primitive;
};

std::optional<DnnlMatmul> DnnlMatmul::make(
    DType dtype, const MatrixLayout& a, const MatrixLayout& b, const MatrixLayout& d, int threads) {
  const auto type = data_type(dtype);
  if (!type) return std::nullopt;
  const ThreadScope scope(threads);
  try {
    auto program = std::make_shared<Program>();
    program->a = describe(a, *type);
    program->b = describe(b, *type);
    program->d = describe(d, *type);
    const auto product = describe_product(program->a, program->b, program->d);
    program->scratchpad = product.scratchpad_desc();
    program->primitive = dnnl::matmul(product);
    return DnnlMatmul(std::move(program));
  } catch (const dnnl::error&) {
    return std::nullopt;
  }
}

std::size_t DnnlMatmul::workspace_bytes() const {
  return program_->scratchpad.get_size();
}

void DnnlMatmul::run(const void* a, const void* b, void* d, void* workspace, int threads) const {
  const ThreadScope scope(threads);
  dnnl::stream stream(cpu_engine());
  const auto memory = [](const dnnl::memory::desc& desc, const void* data) {
    // oneDNN has no const memory; sources are only read.
    return dnnl::memory(desc, cpu_engine(), const_cast<void*>(data));
  };
  program_->primitive.execute(stream,
                              {{DNNL_ARG_SRC, memory(program_->a, a)},
                               {DNNL_ARG_WEIGHTS, memory(program_->b, b)},
                               {DNNL_ARG_DST, memory(program_->d, d)},
                               {DNNL_ARG_SCRATCHPAD, memory(program_->scratchpad, workspace)}});
  stream.wait();
}

}  // namespace tileops::kernels
