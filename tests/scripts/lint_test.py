"""What scripts/lint decides by itself is refused where it must be: sizes of files, sorted lists."""

import pathlib
import runpy

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def lint(tmp_path):
    """The script's functions, looking at an empty folder."""
    functions = runpy.run_path(str(ROOT / "scripts/lint"))
    functions["sizes"].__globals__["ROOT"] = tmp_path
    return functions


def write_files(folder, lengths):
    for index, length in enumerate(lengths):
        (folder / f"f{index}.cpp").write_text("x\n" * length)
    return [f"f{index}.cpp" for index in range(len(lengths))]


@pytest.mark.parametrize(
    "lengths,problem",
    [
        ([100] * 20 + [601], "f20.cpp:1: 601 lines, at most 600"),
        ([160] * 20, "median file has 160 lines"),
        ([100] * 8 + [450] * 2, "nine files in ten must stay under 400 lines"),
    ],
)
def test_sizes_refuse(lint, tmp_path, lengths, problem):
    assert problem in lint["sizes"](write_files(tmp_path, lengths))


def test_sizes_accept(lint, tmp_path):
    assert lint["sizes"](write_files(tmp_path, [140] * 9 + [600])) == ""


def test_glossary_is_sorted_within_a_section(lint, tmp_path):
    for name in lint["SORTED"]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("a\nb\n")
    glossary = tmp_path / "docs/glossary.md"
    glossary.parent.mkdir()
    glossary.write_text("## One\n\n**a** x\n\n**b** x\n\n## Two\n\n**a** x\n")
    assert lint["sorted_lists"]() == ""
    glossary.write_text("## One\n\n**b** x\n\n**a** x\n")
    assert "docs/glossary.md:5: a must stand before b" in lint["sorted_lists"]()
    (tmp_path / lint["SORTED"][0]).write_text("b\na\n")
    assert f"{lint['SORTED'][0]}:1: keep the lines sorted" in lint["sorted_lists"]()
