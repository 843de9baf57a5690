// The one exception type of the library: what was wrong, with which argument, and how to mend it.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace tileops {

/// Whose fault it is, and Python's exception for it.
enum class ErrorKind {
  kValue,           ///< caller: a bad value, shape or manifest (ValueError)
  kType,            ///< caller: a bad dtype or type of argument (TypeError)
  kNotImplemented,  ///< legal, but nothing here computes it (NotImplementedError)
  kMachine,         ///< no device, driver, compiler, memory, disk (RuntimeError)
  kBug,             ///< ours: please report it (RuntimeError)
};

/// The five parts of a message. Empty parts are left out when printed.
struct ErrorParts {
  std::string op;        ///< "GemmFwdOp"
  std::string argument;  ///< "b"
  std::string expected;  ///< "shape [N, K] with K = 64 (from a)"
  std::string actual;    ///< "[32, 60]"
  std::string mend;      ///< "pass b with 64 columns, or trans_b=false"
};

class Error : public std::exception {
 public:
  Error(ErrorKind kind, ErrorParts parts);

  ErrorKind kind() const noexcept { return kind_; }
  const ErrorParts& parts() const noexcept { return parts_; }

  /// "GemmFwdOp: b: expected ..., got ...; mend".
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorKind kind_;
  ErrorParts parts_;
  std::string message_;
};

}  // namespace tileops
