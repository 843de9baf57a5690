"""The oracles of three operators against PyTorch in float64, on random and on edge inputs."""

import itertools

import pytest
import torch
import torch.nn.functional as F

HALVES = [torch.float16, torch.bfloat16]
EDGES = pytest.mark.parametrize("edges", [False, True], ids=["random", "edges"])


@EDGES
@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("trans_a,trans_b", list(itertools.product([False, True], repeat=2)))
@pytest.mark.parametrize(
    "size", [(33, 17, 129), (1, 1, 1), (5, 7, 0), (0, 3, 4), (4, 0, 3)], ids=str
)
def test_gemm(oracle, values, agree, size, trans_a, trans_b, dtype, edges):
    M, N, K = size
    a = values((K, M) if trans_a else (M, K), dtype, edges, seed=1)
    b = values((N, K) if trans_b else (K, N), dtype, edges, seed=2)
    params = {"trans_a": str(trans_a).lower(), "trans_b": str(trans_b).lower()}
    got = oracle("GemmFwdOp", {"a": a, "b": b}, params)["d"]
    left = (a.T if trans_a else a).double()
    right = (b.T if trans_b else b).double()
    agree(got, left @ right, scale=(left.abs() @ right.abs()))


@EDGES
@pytest.mark.parametrize("dtype", [*HALVES, torch.float32], ids=str)
@pytest.mark.parametrize("size", [(3, 257), (1, 1), (0, 8), (4, 0), (513, 3)], ids=str)
def test_silu_and_mul(oracle, values, agree, size, dtype, edges):
    M, N = size
    x = values((M, 2 * N), dtype, edges)
    got = oracle("SiluAndMulFwdOp", {"x": x})["output"]
    expected = F.silu(x[:, :N].double()) * x[:, N:].double()
    agree(got, expected)
    assert torch.equal(got.signbit()[got == 0], expected.signbit()[got == 0])


@EDGES
@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("eps", [None, 1e-6, 1e-5, 0.5])
@pytest.mark.parametrize(
    "leading,normalized",
    [((7,), (257,)), ((2, 3), (4, 5)), ((), (33,)), ((0,), (8,)), ((3,), (0,)), ((5,), (1,))],
    ids=str,
)
def test_rms_norm(oracle, values, agree, leading, normalized, eps, dtype, edges):
    x = values((*leading, *normalized), dtype, edges, seed=1)
    weight = values(normalized, dtype, edges, seed=2)
    params = {"normalized_shape": list(normalized), "eps": "none" if eps is None else eps}
    got = oracle("RMSNormFwdOp", {"x": x, "weight": weight}, params)["output"]
    # The entry's none is 1e-6; PyTorch's would be the machine epsilon of the dtype.
    expected = F.rms_norm(x.double(), normalized, weight.double(), 1e-6 if eps is None else eps)
    agree(got, expected)


def test_rms_norm_of_zeros_is_zero(oracle, agree):
    zeros, ones = torch.zeros(2, 16, dtype=torch.float16), torch.ones(16, dtype=torch.float16)
    got = oracle("RMSNormFwdOp", {"x": zeros, "weight": ones}, {"normalized_shape": [16]})["output"]
    agree(got, torch.zeros(2, 16, dtype=torch.float64))
