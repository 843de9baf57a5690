// Compiled for each instruction set and chosen at run time, by Highway.
#include "certify/oracle/inner_loops.h"

#include <bit>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "certify/oracle/inner_loops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tileops::certify::oracle::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, kGroup / 2>;
using Floats = hn::Rebind<float, Doubles>;

/// Two vectors of a group at a time: their chains of additions hide each other's latency, and the
/// six accumulators stay in registers.
void add_products_of(const double* HWY_RESTRICT a,
                     const float* HWY_RESTRICT panel,
                     std::size_t terms,
                     std::size_t lane,
                     const SumArrays& sums) {
  const Doubles d;
  const Floats f;
  const std::size_t second = lane + hn::Lanes(d);
  auto s0 = hn::LoadU(d, sums.s + lane), s1 = hn::LoadU(d, sums.s + second);
  auto largest0 = hn::LoadU(d, sums.largest_prefix + lane);
  auto largest1 = hn::LoadU(d, sums.largest_prefix + second);
  auto squares0 = hn::LoadU(d, sums.squares + lane), squares1 = hn::LoadU(d, sums.squares + second);
  for (std::size_t k = 0; k < terms; ++k, panel += kGroup) {
    const auto factor = hn::Set(d, a[k]);
    const auto t0 = hn::Mul(factor, hn::PromoteTo(d, hn::LoadU(f, panel)));
    const auto t1 = hn::Mul(factor, hn::PromoteTo(d, hn::LoadU(f, panel + hn::Lanes(d))));
    s0 = hn::Add(s0, t0);
    s1 = hn::Add(s1, t1);
    largest0 = hn::Max(largest0, hn::Abs(s0));
    largest1 = hn::Max(largest1, hn::Abs(s1));
    squares0 = hn::MulAdd(t0, t0, squares0);
    squares1 = hn::MulAdd(t1, t1, squares1);
  }
  hn::StoreU(s0, d, sums.s + lane), hn::StoreU(s1, d, sums.s + second);
  hn::StoreU(largest0, d, sums.largest_prefix + lane);
  hn::StoreU(largest1, d, sums.largest_prefix + second);
  hn::StoreU(squares0, d, sums.squares + lane), hn::StoreU(squares1, d, sums.squares + second);
}

void add_products(const double* a,
                  const float* panel,
                  std::size_t terms,
                  std::size_t lanes,
                  const SumArrays& sums) {
  const std::size_t pair = 2 * hn::Lanes(Doubles());
  for (std::size_t lane = 0; lane < lanes; lane += pair) {
    const float* group = panel + lane / kGroup * kGroup * terms + lane % kGroup;
    add_products_of(a, group, terms, lane, sums);
  }
}

void add_product_errors(const double* HWY_RESTRICT ea,
                        const double* HWY_RESTRICT ba,
                        const float* HWY_RESTRICT panel,
                        std::size_t terms,
                        std::size_t lanes,
                        double* HWY_RESTRICT e2,
                        double* HWY_RESTRICT b) {
  const Doubles d;
  const Floats f;
  for (std::size_t lane = 0; lane < lanes; lane += hn::Lanes(d)) {
    const float* at = panel + lane / kGroup * kGroup * terms + lane % kGroup;
    auto variance = hn::LoadU(d, e2 + lane), bias = hn::LoadU(d, b + lane);
    for (std::size_t k = 0; k < terms; ++k, at += kGroup) {
      const auto factor = hn::PromoteTo(d, hn::LoadU(f, at));
      const auto error = hn::Mul(factor, hn::Set(d, ea[k]));
      variance = hn::MulAdd(error, error, variance);
      bias = hn::MulAdd(hn::Abs(factor), hn::Set(d, ba[k]), bias);
    }
    hn::StoreU(variance, d, e2 + lane);
    hn::StoreU(bias, d, b + lane);
  }
}

void load_bfloat16(const void* from, std::ptrdiff_t step, std::size_t count, double* to) {
  const auto* bits = static_cast<const std::uint16_t*>(from);
  for (std::size_t i = 0; i < count; ++i) {
    auto wide = static_cast<std::uint32_t>(bits[static_cast<std::ptrdiff_t>(i) * step]) << 16;
    to[i] = static_cast<double>(std::bit_cast<float>(wide));
  }
}

void load_float16(const void* from, std::ptrdiff_t step, std::size_t count, double* to) {
  const auto* halves = static_cast<const std::uint16_t*>(from);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t half = halves[static_cast<std::ptrdiff_t>(i) * step];
    // Exponent and mantissa in a float's places, then scaled by the difference of the biases.
    float value = std::bit_cast<float>((half & 0x7FFFU) << 13) * 0x1p112F;
    std::uint32_t bits = std::bit_cast<std::uint32_t>(value) | (half & 0x8000U) << 16;
    if ((half & 0x7C00U) == 0x7C00U) bits |= 0x7F800000U;  // infinity or nan
    to[i] = static_cast<double>(std::bit_cast<float>(bits));
  }
}

void load_float32(const void* from, std::ptrdiff_t step, std::size_t count, double* to) {
  const auto* floats = static_cast<const float*>(from);
  for (std::size_t i = 0; i < count; ++i) {
    to[i] = static_cast<double>(floats[static_cast<std::ptrdiff_t>(i) * step]);
  }
}

}  // namespace tileops::certify::oracle::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tileops::certify::oracle {
HWY_EXPORT(add_products);
HWY_EXPORT(add_product_errors);
HWY_EXPORT(load_bfloat16);
HWY_EXPORT(load_float16);
HWY_EXPORT(load_float32);

void add_products(const double* a,
                  const float* panel,
                  std::size_t terms,
                  std::size_t lanes,
                  const SumArrays& sums) {
  HWY_DYNAMIC_DISPATCH(add_products)(a, panel, terms, lanes, sums);
}
void add_product_errors(const double* ea,
                        const double* ba,
                        const float* panel,
                        std::size_t terms,
                        std::size_t lanes,
                        double* e2,
                        double* b) {
  HWY_DYNAMIC_DISPATCH(add_product_errors)(ea, ba, panel, terms, lanes, e2, b);
}
void load_bfloat16(const void* from, std::ptrdiff_t step, std::size_t count, double* to) {
  HWY_DYNAMIC_DISPATCH(load_bfloat16)(from, step, count, to);
}
void load_float16(const void* from, std::ptrdiff_t step, std::size_t count, double* to) {
  HWY_DYNAMIC_DISPATCH(load_float16)(from, step, count, to);
}
void load_float32(const void* from, std::ptrdiff_t step, std::size_t count, double* to) {
  HWY_DYNAMIC_DISPATCH(load_float32)(from, step, count, to);
}

}  // namespace tileops::certify::oracle
#endif
