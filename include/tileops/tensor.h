// Tensors at the border: a view that never owns, and a handle that does.
#pragma once

#include <dlpack/dlpack.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "tileops/dtype.h"

namespace tileops {

/// Most axes of a tensor; more are refused by name.
inline constexpr int kMaxRank = 8;

enum class DeviceType : std::uint8_t { kCpu, kCuda, kMusa };

struct Device {
  DeviceType type = DeviceType::kCpu;
  std::int32_t index = 0;
  bool operator==(const Device&) const = default;
};

/// A borrowed tensor. Strides count elements and may be 0; `data` points at element 0.
/// Whoever makes a view keeps the memory alive. The default view is absent (an optional input
/// that was not given).
struct TensorView {
  void* data = nullptr;
  std::int32_t rank = -1;  ///< -1: absent
  DType dtype = DType::kFloat32;
  Device device;
  std::array<std::int64_t, kMaxRank> sizes{};
  std::array<std::int64_t, kMaxRank> steps{};

  TensorView() = default;
  /// Dense, row-major. Throws Error for a rank above kMaxRank or a negative size.
  TensorView(void* data, DType dtype, std::span<const std::int64_t> shape, Device device = {});

  bool given() const { return rank >= 0; }
  std::span<const std::int64_t> shape() const { return {sizes.data(), rank_or_zero()}; }
  std::span<const std::int64_t> strides() const { return {steps.data(), rank_or_zero()}; }

  /// Number of elements. Throws Error when the product does not fit 64 bits.
  std::int64_t numel() const;
  /// Row-major without gaps; axes of size 1 and empty tensors count as dense.
  bool is_dense() const;
  std::int64_t size_bytes() const;

 private:
  std::size_t rank_or_zero() const { return rank < 0 ? 0 : static_cast<std::size_t>(rank); }
};

/// Reads a DLPack tensor; nothing is copied. Throws Error for dtypes, lanes or devices unknown
/// here.
TensorView view_of(const DLTensor& tensor);
/// Describes a view as DLPack. `shape` and `strides` of the result point into `view`.
DLTensor to_dlpack(const TensorView& view);

/// A tensor that shares ownership of its memory. Copies share; they do not copy elements.
class Tensor {
 public:
  Tensor() = default;
  Tensor(TensorView view, std::shared_ptr<void> memory) : view_(view), memory_(std::move(memory)) {}

  /// Uninitialised, dense, on the CPU, aligned to 128 bytes.
  static Tensor empty(std::span<const std::int64_t> shape, DType dtype);
  static Tensor empty(std::initializer_list<std::int64_t> shape, DType dtype);
  /// Dense, on the CPU, every element `value` rounded to the dtype.
  static Tensor full(std::initializer_list<std::int64_t> shape, DType dtype, double value);

  const TensorView& view() const { return view_; }
  operator const TensorView&() const { return view_; }  // NOLINT(google-explicit-constructor)

  template <class T>
  T* data() const {
    return static_cast<T*>(view_.data);
  }
  std::span<const std::int64_t> shape() const { return view_.shape(); }
  DType dtype() const { return view_.dtype; }

 private:
  TensorView view_;
  std::shared_ptr<void> memory_;
};

/// One element as float64 (bool and integers exactly up to 2^53), and back with one rounding to
/// nearest even. `offset` counts elements from `data`.
double load_element(const TensorView& tensor, std::int64_t offset);
void store_element(const TensorView& tensor, std::int64_t offset, double value);

/// "[2048, 4096]".
std::string shape_text(std::span<const std::int64_t> shape);

}  // namespace tileops
