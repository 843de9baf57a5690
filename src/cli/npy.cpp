// The header is a Python literal; only the three keys that NumPy writes are read.
#include "cli/npy.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "certify/elements.h"
#include "tileops/error.h"

namespace tileops::cli {
namespace {

using Row = std::pair<std::string_view, DType>;
constexpr std::array<Row, 11> kCodes{{{"<f4", DType::kFloat32},
                                      {"<f8", DType::kFloat64},
                                      {"<f2", DType::kFloat16},
                                      {"|b1", DType::kBool},
                                      {"|u1", DType::kUInt8},
                                      {"|i1", DType::kInt8},
                                      {"<i2", DType::kInt16},
                                      {"<i4", DType::kInt32},
                                      {"<i8", DType::kInt64},
                                      {"<c8", DType::kComplex64},
                                      {"<c16", DType::kComplex128}}};
constexpr std::string_view kMagic{"\x93NUMPY\x01\x00", 8};

std::optional<std::string_view> code_of(DType dtype) {
  if (dtype == DType::kFloat16) return std::nullopt;  // readers of bfloat16 files expect float32
  for (const auto& [code, known] : kCodes) {
    if (known == dtype) return code;
  }
  return std::nullopt;
}

[[noreturn]] void refuse(ErrorKind kind, const std::filesystem::path& path, std::string actual) {
  throw Error(kind, {.op = "npy",
                     .argument = path.string(),
                     .expected = "a readable .npy file, format 1.0, C order",
                     .actual = std::move(actual),
                     .mend = "save it with numpy.save(numpy.ascontiguousarray(x))"});
}

/// What follows `key` in the header, up to `end`.
std::string field(const std::string& header, const std::string& key, char end) {
  const std::size_t at = header.find("'" + key + "':");
  if (at == std::string::npos) return {};
  const std::size_t from = header.find_first_not_of(' ', at + key.size() + 3);
  const std::size_t to = header.find(end, from + 1);
  return to == std::string::npos ? std::string() : header.substr(from, to - from);
}

std::vector<std::int64_t> shape_of(const std::string& text) {
  std::vector<std::int64_t> shape;
  std::int64_t value = -1;
  for (const char c : text + ",") {
    if (c >= '0' && c <= '9') {
      value = (value < 0 ? 0 : value * 10) + (c - '0');
    } else if (value >= 0) {
      shape.push_back(value);
      value = -1;
    }
  }
  return shape;
}

}  // namespace

Tensor convert(const TensorView& tensor, DType dtype) {
  Tensor result = Tensor::empty(tensor.shape(), dtype);
  const std::int64_t count = tensor.numel();
  if (tensor.dtype == dtype && tensor.is_dense()) {
    if (count > 0) {
      std::memcpy(result.data<void>(), tensor.data, static_cast<std::size_t>(tensor.size_bytes()));
    }
    return result;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    store_element(result, i, certify::element(tensor, i));
  }
  return result;
}

void write_npy(const std::filesystem::path& path, const TensorView& tensor) {
  const auto own = code_of(tensor.dtype);
  const Tensor dense = convert(tensor, own ? tensor.dtype : DType::kFloat32);
  std::string shape;
  for (const std::int64_t size : tensor.shape()) shape += std::to_string(size) + ", ";
  std::string header = "{'descr': '" + std::string(own.value_or("<f4")) +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  constexpr std::size_t kAlignment = 64, kBefore = 10;
  header.append(kAlignment - (kBefore + header.size() + 1) % kAlignment, ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file.write(kMagic.data(), static_cast<std::streamsize>(kMagic.size()));
  file.put(static_cast<char>(header.size() & 0xFF));
  file.put(static_cast<char>(header.size() >> 8));
  file.write(header.data(), static_cast<std::streamsize>(header.size()));
  file.write(dense.data<const char>(), dense.view().size_bytes());
  if (!file.flush()) refuse(ErrorKind::kMachine, path, "cannot be written");
}

Tensor read_npy(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 10> start{};
  if (!file.read(start.data(), start.size())) refuse(ErrorKind::kMachine, path, "cannot be read");
  if (std::string_view(start.data(), kMagic.size()) != kMagic) {
    refuse(ErrorKind::kValue, path, "another format or version");
  }
  const auto length = static_cast<std::size_t>(static_cast<unsigned char>(start[8])) +
                      256 * static_cast<std::size_t>(static_cast<unsigned char>(start[9]));
  std::string header(length, ' ');
  file.read(header.data(), static_cast<std::streamsize>(length));
  if (field(header, "fortran_order", ',') != "False") {
    refuse(ErrorKind::kValue, path, "Fortran order");
  }
  const std::string quoted = field(header, "descr", ',');
  for (const auto& [code, dtype] : kCodes) {
    if (quoted != "'" + std::string(code) + "'") continue;
    Tensor tensor = Tensor::empty(shape_of(field(header, "shape", ')')), dtype);
    const std::int64_t size = tensor.view().size_bytes();
    if (size > 0 && !file.read(tensor.data<char>(), size)) {
      refuse(ErrorKind::kValue, path, "a truncated file");
    }
    return tensor;
  }
  refuse(ErrorKind::kValue, path, "dtype " + quoted);
}

}  // namespace tileops::cli
