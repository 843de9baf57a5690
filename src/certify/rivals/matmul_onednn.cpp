// One primitive a call, made once; both API generations (2.6 on Debian 12, 3.x on 13).
#include "certify/rivals/matmul_onednn.h"

#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <utility>

namespace tileops::certify {
namespace {

using Dims = dnnl::memory::dims;

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

/// A dense matrix as rows x columns, whichever way it is stored.
dnnl::memory::desc describe(const TensorView& matrix,
                            dnnl::memory::data_type type,
                            bool transposed) {
  const std::int64_t rows = matrix.sizes[0], columns = matrix.sizes[1];
  if (transposed) return {Dims{columns, rows}, type, Dims{1, columns}};
  return {Dims{rows, columns}, type, Dims{columns, 1}};
}

struct Program {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::memory a, b, d;
  dnnl::matmul primitive;

  Program(const dnnl::memory::desc& a_desc,
          const dnnl::memory::desc& b_desc,
          const dnnl::memory::desc& d_desc)
      : a(a_desc, engine, DNNL_MEMORY_NONE),
        b(b_desc, engine, DNNL_MEMORY_NONE),
        d(d_desc, engine, DNNL_MEMORY_NONE) {
#if DNNL_VERSION_MAJOR >= 3
    primitive = dnnl::matmul(dnnl::matmul::primitive_desc(engine, a_desc, b_desc, d_desc));
#else
    primitive = dnnl::matmul(
        dnnl::matmul::primitive_desc(dnnl::matmul::desc(a_desc, b_desc, d_desc), engine));
#endif
  }

  void run(std::span<const TensorView> inputs, std::span<const TensorView> outputs) {
    a.set_data_handle(inputs[0].data);
    b.set_data_handle(inputs[1].data);
    d.set_data_handle(outputs[0].data);
    primitive.execute(stream, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, d}});
    stream.wait();
  }
};

std::string version() {
  const dnnl_version_t* v = dnnl_version();
  return std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch);
}

}  // namespace

std::optional<Rival> matmul_onednn(const TensorView& a,
                                   const TensorView& b,
                                   const TensorView& d,
                                   MatmulLayout layout) {
  const auto type = data_type(a.dtype);
  if (!type || a.numel() == 0 || b.numel() == 0) return std::nullopt;
  try {
    auto program = std::make_shared<Program>(describe(a, *type, layout.transposed_a),
                                             describe(b, *type, layout.transposed_b),
                                             describe(d, *type, false));
    return Rival{"onednn", version(),
                 [program](std::span<const TensorView> inputs,
                           std::span<const TensorView> outputs) { program->run(inputs, outputs); }};
  } catch (const dnnl::error&) {
    return std::nullopt;  // oneDNN has no program for this dtype on this machine
  }
}

}  // namespace tileops::certify
