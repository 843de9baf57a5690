"""Drives the oracle through the command line. Without PyTorch all is skipped, and said to be."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TILEOPS = ROOT / os.environ.get("TILEOPS_BUILD", "build/dev") / "bin" / "tileops"

try:
    import numpy
    import torch
except ImportError as error:
    # ctest shows 77 as "skipped"; continuous integration asks for a failure instead.
    pytest.exit(
        f"SKIPPED: oracles are not compared with PyTorch: {error}",
        returncode=1 if os.environ.get("TILEOPS_REQUIRE_TORCH") else 77,
    )


@pytest.fixture
def oracle(tmp_path):
    """oracle(op, {name: tensor}, {param: text}) -> {output: float64 tensor}, before rounding."""

    def run(op, inputs, params=None):
        given, saved = tmp_path / "given", tmp_path / "saved"
        given.mkdir()
        for name, tensor in inputs.items():
            numpy.save(given / f"{name}.npy", tensor.to(torch.float32).numpy())
        dtype = str(next(iter(inputs.values())).dtype).removeprefix("torch.")
        command = [
            TILEOPS,
            "run",
            op,
            "--dtype",
            dtype,
            "--load",
            given,
            "--save",
            saved,
            "--oracle",
        ]
        for name, value in (params or {}).items():
            command += ["--param", f"{name}={value}"]
        result = subprocess.run(command, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr
        suffix = ".oracle.npy"
        return {
            file.name.removesuffix(suffix): torch.from_numpy(numpy.load(file))
            for file in saved.glob("*" + suffix)
        }

    return run


@pytest.fixture
def values():
    """values(shape, dtype, edges): random values, or random ones among values at the edges."""

    def make(shape, dtype, edges=False, seed=0):
        generator = torch.Generator().manual_seed(seed)
        if not edges:
            return torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype)
        info = torch.finfo(dtype)
        finite = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            info.max,
            info.min,
            info.tiny,
            info.smallest_normal / 2,
            88.0,
        ]
        table = torch.tensor([*finite, float("inf"), float("-inf"), float("nan")]).to(dtype)
        # Mostly finite, so that not every sum ends in nan.
        weights = torch.tensor([8.0] * len(finite) + [1.0, 1.0, 1.0])
        count = max(1, int(torch.tensor(shape).prod()))
        picked = torch.multinomial(weights, count, replacement=True, generator=generator)
        return table[picked][: int(torch.tensor(shape).prod())].reshape(shape)

    return make


@pytest.fixture
def agree():
    """agree(got, expected, scale): equal but for float64's rounding of terms of size `scale`."""

    def check(got, expected, scale=None):
        assert got.dtype == torch.float64
        assert got.shape == expected.shape
        assert torch.equal(got.isnan(), expected.isnan())
        infinite = expected.isinf()
        assert torch.equal(got.isinf(), infinite)
        assert torch.equal(got[infinite], expected[infinite])
        finite = expected.isfinite()
        scale = expected.abs() if scale is None else scale
        # 64 units in the last place of float64: both sides round a few times, in any order.
        allowed = 64 * torch.finfo(torch.float64).eps * scale[finite]
        assert bool(((got - expected)[finite].abs() <= allowed).all())

    return check
