// DLPack in and out, without copies. https://dmlc.github.io/dlpack/latest/c_api.html
#include <algorithm>

#include "tileops/error.h"
#include "tileops/tensor.h"

namespace tileops {
namespace {

struct Pair {
  DType dtype;
  std::uint8_t code, bits;
};
// DLPack of Debian 12 has no codes for float8 yet; these are the values that DLPack 1.1 gave them.
constexpr std::uint8_t kDLFloat8E4M3FN = 10, kDLFloat8E5M2 = 12, kDLBoolCode = 6;
constexpr Pair kPairs[] = {
    {DType::kBool, kDLBoolCode, 8},
    {DType::kUInt8, kDLUInt, 8},
    {DType::kInt8, kDLInt, 8},
    {DType::kInt16, kDLInt, 16},
    {DType::kInt32, kDLInt, 32},
    {DType::kInt64, kDLInt, 64},
    {DType::kFloat8E4M3, kDLFloat8E4M3FN, 8},
    {DType::kFloat8E5M2, kDLFloat8E5M2, 8},
    {DType::kFloat16, kDLFloat, 16},
    {DType::kBFloat16, kDLBfloat, 16},
    {DType::kFloat32, kDLFloat, 32},
    {DType::kFloat64, kDLFloat, 64},
    {DType::kComplex64, kDLComplex, 64},
    {DType::kComplex128, kDLComplex, 128},
};

DType dtype_of(const DLDataType& type) {
  for (const Pair& pair : kPairs) {
    if (pair.code == type.code && pair.bits == type.bits && type.lanes == 1) return pair.dtype;
  }
  throw Error(ErrorKind::kType,
              {{},
               "tensor",
               "a DLPack dtype of one lane that TileOps knows",
               "code " + std::to_string(type.code) + ", " + std::to_string(type.bits) + " bits, " +
                   std::to_string(type.lanes) + " lanes",
               {}});
}

Device device_of(const DLDevice& device) {
  switch (device.device_type) {
    case kDLCPU:
    case kDLCUDAHost:
      return {DeviceType::kCpu, 0};
    case kDLCUDA:
      return {DeviceType::kCuda, device.device_id};
    default:
      throw Error(ErrorKind::kValue, {{},
                                      "tensor",
                                      "a tensor on the CPU or a CUDA device",
                                      "DLPack device type " + std::to_string(device.device_type),
                                      {}});
  }
}

}  // namespace

TensorView view_of(const DLTensor& tensor) {
  if (tensor.ndim < 0 || tensor.ndim > kMaxRank) {
    throw Error(ErrorKind::kValue, {{},
                                    "tensor",
                                    "at most " + std::to_string(kMaxRank) + " axes",
                                    std::to_string(tensor.ndim),
                                    {}});
  }
  auto rank = static_cast<std::size_t>(tensor.ndim);
  TensorView view(nullptr, dtype_of(tensor.dtype), {tensor.shape, rank}, device_of(tensor.device));
  if (tensor.strides) std::copy(tensor.strides, tensor.strides + rank, view.steps.begin());
  if (tensor.data) view.data = static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  return view;
}

DLTensor to_dlpack(const TensorView& view) {
  DLTensor tensor{};
  tensor.data = view.data;
  tensor.ndim = std::max(view.rank, 0);
  for (const Pair& pair : kPairs) {
    if (pair.dtype == view.dtype) tensor.dtype = {pair.code, pair.bits, 1};
  }
  tensor.device.device_type = view.device.type == DeviceType::kCpu ? kDLCPU : kDLCUDA;
  tensor.device.device_id = view.device.index;
  // DLPack has no const: it describes memory, and changes nothing.
  tensor.shape = const_cast<std::int64_t*>(view.sizes.data());
  tensor.strides = const_cast<std::int64_t*>(view.steps.data());
  return tensor;
}

}  // namespace tileops
