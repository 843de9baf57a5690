"""The oracles of the operators against PyTorch in float64, on random and on edge inputs."""

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

@EDGES
@pytest.mark.parametrize("dtype", [*HALVES, torch.float32], ids=str)
@pytest.mark.parametrize("alpha", [1, -2, 0, 0.5])
@pytest.mark.parametrize(
    "left,right",
    [
        ((3, 5), (3, 5)),
        ((2, 3, 4), (3, 1)),
        ((1, 4), (3, 1)),
        ((), (2, 3)),
        ((0, 3), (3,)),
        ((5,), ()),
    ],
    ids=str,
)
def test_add(oracle, values, agree, left, right, alpha, dtype, edges):
    a, b = values(left, dtype, edges, seed=1), values(right, dtype, edges, seed=2)
    got = oracle("AddFwdOp", {"input": a, "other": b}, {"alpha": alpha})["output"]
    expected = torch.add(a.double(), b.double(), alpha=alpha)
    agree(got, expected, scale=a.double().abs() + (alpha * b.double()).abs())


@EDGES
@pytest.mark.parametrize("dtype", [*HALVES, torch.float32], ids=str)
@pytest.mark.parametrize(
    "shape,dim",
    [
        ((7,), None),
        ((3, 300), None),
        ((4, 3, 5), None),
        ((2, 3, 4, 5), None),
        ((3, 5, 4), 1),
        ((3, 5), -1),
        ((0, 5), 1),
        ((3, 0), 0),
    ],
    ids=str,
)
def test_softmax(oracle, values, agree, shape, dim, dtype, edges):
    x = values(shape, dtype, edges)
    got = oracle("SoftmaxFwdOp", {"x": x}, {"dim": "none" if dim is None else dim})["output"]
    implicit = 0 if len(shape) in (0, 1, 3) else 1  # PyTorch's rule, which it warns about
    agree(got, F.softmax(x.double(), implicit if dim is None else dim))


def test_softmax_of_minus_infinity_is_nan(oracle):
    x = torch.full((2, 4), float("-inf"))
    assert oracle("SoftmaxFwdOp", {"x": x}, {"dim": 1})["output"].isnan().all()


@EDGES
@pytest.mark.parametrize("dtype", [*HALVES, torch.float32], ids=str)
@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize(
    "shape,dim",
    [
        ((3, 300), None),
        ((3, 300), []),
        ((3, 300), [-1]),
        ((3, 4, 5), [0, 2]),
        ((3, 4, 5), [-2]),
        ((), None),
        ((2, 0, 3), [1]),
        ((0, 3), [1]),
    ],
    ids=str,
)
def test_sum(oracle, values, agree, shape, dim, keepdim, dtype, edges):
    x = values(shape, dtype, edges)
    params = {"dim": "none" if dim is None else dim, "keepdim": str(keepdim).lower()}
    got = oracle("SumFwdOp", {"x": x}, params)["output"]
    agree(
        got,
        torch.sum(x.double(), dim=dim, keepdim=keepdim),
        scale=torch.sum(x.double().abs(), dim=dim, keepdim=keepdim),
    )
