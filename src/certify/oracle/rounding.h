// R_out: rounding of a float64 to a tensor's type, to nearest even.
#pragma once

#include "tileops/dtype.h"

namespace tileops::certify::oracle {

/// As stored and read back: overflow gives infinity (nan for e4m3), integers truncate.
double rounded(DType dtype, double value);
/// The same with values beyond the largest finite one brought to it.
double rounded_saturating(DType dtype, double value);
/// Distance of x to the reals that are stored as y: 0 where x itself is.
double distance_to_rounding(DType dtype, double x, double y);

}  // namespace tileops::certify::oracle
