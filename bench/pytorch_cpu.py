"""Times PyTorch eager on the workloads of the manifest, for `tileops bench --rivals FILE`.

    .venv/bin/python bench/pytorch_cpu.py [--threads N] [--seconds S] [OP ...] > rivals.json

The protocol is that of `tileops bench`: equal threads, random data, outputs preallocated where
PyTorch takes `out=`; warm repeats on one set of buffers, cold rotates over sets larger than the
last cache; at least `--seconds` each; median, least and largest microseconds.
"""

import argparse
import itertools
import json
import pathlib
import statistics
import sys
import time

import torch
import torch.nn.functional as F
import yaml

MANIFEST = pathlib.Path(__file__).resolve().parents[1] / "manifest"
COLD_BYTES = 512 << 20  # rotate over this much, well above any last-level cache


def gemm(row, make):
    M, N, K = row["M"], row["N"], row["K"]
    trans_a, trans_b = row.get("trans_a", False), row.get("trans_b", True)
    a = make(K, M) if trans_a else make(M, K)
    b = make(N, K) if trans_b else make(K, N)
    out = make(M, N)
    left, right = a.T if trans_a else a, b.T if trans_b else b
    return [a, b, out], lambda: torch.mm(left, right, out=out)


def silu_and_mul(row, make):
    M, N = row["M"], row["N"]
    x, out = make(M, 2 * N), make(M, N)
    return [x, out], lambda: torch.mul(F.silu(x[:, :N]), x[:, N:], out=out)


def rms_norm(row, make):
    shape = row["C"]
    x, weight = make(*row["..."], *shape), make(*shape)
    return [x, weight], lambda: F.rms_norm(x, shape, weight, row.get("eps", 1e-6))


def add(row, make):
    shape = row["..."]
    a, b = make(*shape), make(*row.get("shapes", {}).get("other", shape))
    out = make(*shape)
    return [a, b, out], lambda: torch.add(a, b, alpha=row.get("alpha", 1), out=out)


def softmax(row, make):
    x = make(*row["S"])
    return [x], lambda: F.softmax(x, row["dim"])


def sum_over(row, make):
    x = make(*row["S"])
    return [x], lambda: torch.sum(x, dim=row["dim"], keepdim=row.get("keepdim", False))


CALLS = {
    "AddFwdOp": add,
    "GemmFwdOp": gemm,
    "RMSNormFwdOp": rms_norm,
    "SiluAndMulFwdOp": silu_and_mul,
    "SoftmaxFwdOp": softmax,
    "SumFwdOp": sum_over,
}


def workloads():
    for file in sorted(MANIFEST.glob("*.yaml")):
        for op, entry in yaml.safe_load(file.read_text()).items():
            for row in entry.get("workloads", []):
                for dtype in row["dtypes"]:
                    yield op, row, dtype


def microseconds(calls, seconds):
    """Samples of one call each, over `calls` in turn, after one warming round."""
    for call in calls:
        call()
    samples, end = [], time.perf_counter() + seconds
    for call in itertools.cycle(calls):
        start = time.perf_counter()
        call()
        stop = time.perf_counter()
        samples.append((stop - start) * 1e6)
        if stop > end and len(samples) >= 5:
            return samples


def measure(op, row, dtype, l2, seconds):
    def make(*shape):
        return torch.randn(shape, dtype=torch.float32).to(getattr(torch, dtype))

    tensors, call = CALLS[op](row, make)
    size = sum(t.numel() * t.element_size() for t in tensors)
    calls = [call]
    if l2 == "cold":
        calls += [CALLS[op](row, make)[1] for _ in range(min(63, COLD_BYTES // size))]
    samples = microseconds(calls, seconds)
    return {
        "op": op,
        "workload": row["label"],
        "dtype": dtype,
        "l2": l2,
        "threads": torch.get_num_threads(),
        "rival": "pytorch_eager",
        "version": torch.__version__,
        "us": round(statistics.median(samples), 3),
        "us_min": round(min(samples), 3),
        "us_max": round(max(samples), 3),
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("ops", nargs="*", default=sorted(CALLS))
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--seconds", type=float, default=0.25)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    rows = []
    with torch.inference_mode():
        for op, row, dtype in workloads():
            if op in args.ops and op in CALLS:
                for l2 in ("cold", "warm"):
                    rows.append(measure(op, row, dtype, l2, args.seconds))
                    print(f"{op} {row['label']} {dtype} {l2}: {rows[-1]['us']} us", file=sys.stderr)
    json.dump(rows, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
