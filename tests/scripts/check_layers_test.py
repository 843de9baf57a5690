"""Every arrow of scripts/check_layers has a violation here that it must refuse by file and line."""

import pathlib
import runpy
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "check_layers"
TABLES = runpy.run_path(str(SCRIPT))
LAYERS, DOORS, OUTSIDE = TABLES["LAYERS"], TABLES["DOORS"], TABLES["OUTSIDE"]


def check(root):
    problems = [*TABLES["check_sources"](root), *TABLES["check_links"](root)]
    return (1 if problems else 0), "\n".join(problems)


def include_name(layer):
    """How a header of that layer is included: its path below include/ or src/."""
    folder = LAYERS[layer][0]
    return folder.removeprefix("include/").removeprefix("src/") + "/thing.h"


def write(root, path, text):
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def allowed_header(source, target):
    door = DOORS.get((source, target))
    if door is None:
        return include_name(target)
    return sorted(door)[0].removeprefix("include/").removeprefix("src/")


PAIRS = [(a, b) for a in LAYERS for b in LAYERS if a != b]


@pytest.mark.parametrize("source,target", [p for p in PAIRS if p[1] not in LAYERS[p[0]][1]])
def test_forbidden_arrow_is_refused(tmp_path, source, target):
    path = LAYERS[source][0] + "/wrong.cpp"
    write(tmp_path, path, f'// One line.\n#include "{include_name(target)}"\n')
    code, text = check(tmp_path)
    assert code == 1
    assert f"{path}:2: {source} may not know {target}" in text


@pytest.mark.parametrize("source,target", [p for p in PAIRS if p[1] in LAYERS[p[0]][1]])
def test_allowed_arrow_passes(tmp_path, source, target):
    write(
        tmp_path, LAYERS[source][0] + "/right.cpp", f'#include "{allowed_header(source, target)}"\n'
    )
    assert check(tmp_path) == (0, "")


@pytest.mark.parametrize("source,target", DOORS)
def test_door_lets_nothing_else_through(tmp_path, source, target):
    write(tmp_path, LAYERS[source][0] + "/wrong.cpp", f'#include "{include_name(target)}"\n')
    code, text = check(tmp_path)
    assert code == 1
    assert f"{source} may only know" in text


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("library", OUTSIDE)
def test_outside_library_only_where_entered(tmp_path, library, layer):
    patterns, files = OUTSIDE[library]
    folder = LAYERS[layer][0]
    header = patterns[0].replace("*", "x.h").replace("x.hintrin.h", "immintrin.h")
    write(tmp_path, f"{folder}/any.cpp", f"#include <{header}>\n")
    code, text = check(tmp_path)
    if any(f"{folder}/".startswith(allowed[:-1]) for allowed in files if allowed.endswith("/*")):
        assert (code, text) == (0, "")
    else:
        assert code == 1
        assert f"{folder}/any.cpp:1: {library} is only for" in text


def test_yaml_and_grammar_stay_in_their_files(tmp_path):
    write(tmp_path, "src/spec/manifest_reader.cpp", "#include <yaml-cpp/yaml.h>\n")
    write(tmp_path, "src/spec/grammar.cpp", "#include <tao/pegtl.hpp>\n")
    assert check(tmp_path) == (0, "")
    write(
        tmp_path,
        "src/spec/checks/axes.cpp",
        "#include <yaml-cpp/yaml.h>\n#include <tao/pegtl.hpp>\n",
    )
    code, text = check(tmp_path)
    assert code == 1
    assert "src/spec/checks/axes.cpp:1: yaml-cpp" in text
    assert "src/spec/checks/axes.cpp:2: PEGTL" in text


def test_unknown_library_and_folder_are_refused(tmp_path):
    write(tmp_path, "src/core/a.cpp", "#include <boost/any.hpp>\n")
    write(tmp_path, "src/elsewhere/a.cpp", "#include <vector>\n")
    code, text = check(tmp_path)
    assert code == 1
    assert "src/core/a.cpp:1: boost/any.hpp is neither ours" in text
    assert "src/elsewhere/a.cpp:1: lies in no layer" in text


def test_standard_headers_and_own_folder_pass(tmp_path):
    write(tmp_path, "src/core/a.h", "#pragma once\n")
    write(
        tmp_path, "src/core/a.cpp", '#include "core/a.h"\n#include <vector>\n#include <cstdint>\n'
    )
    assert check(tmp_path) == (0, "")


@pytest.mark.parametrize(
    "source,target",
    [
        p
        for p in PAIRS
        if p[1] not in LAYERS[p[0]][1]
        and p != ("kernels_cpu", "core")
        and p[0] not in ("api", "cli")
    ],
)
def test_forbidden_link_is_refused(tmp_path, source, target):
    write(
        tmp_path,
        "CMakeLists.txt",
        f"\ntileops_library({source} FOLDER {LAYERS[source][0]} LINKS {target})\n",
    )
    code, text = check(tmp_path)
    assert code == 1
    assert f"CMakeLists.txt:2: {source} may not link {target}" in text


@pytest.mark.parametrize(
    "text,expected",
    [
        ("tileops_library(spec FOLDER src/spec PRIVATE dnnl)", "spec may not link dnnl"),
        ("tileops_library(spec FOLDER src/core)", "spec must be built from src/spec"),
        ("tileops_library(extra FOLDER src/extra)", "library extra is no layer"),
        (
            "target_link_libraries(tileops_oracle PUBLIC tileops_lower)",
            "oracle links by tileops_library",
        ),
        ("target_link_libraries(tileops_cli PRIVATE tileops_dep_dnnl)", "cli may not link dnnl"),
    ],
)
def test_link_lists(tmp_path, text, expected):
    write(tmp_path, "CMakeLists.txt", text + "\n")
    code, output = check(tmp_path)
    assert code == 1
    assert f"CMakeLists.txt:1: {expected}" in output


def test_a_violation_put_into_this_tree_is_found(tmp_path):
    for folder in ("include", "src", "kernels", "cmake"):
        if (ROOT / folder).is_dir():
            shutil.copytree(ROOT / folder, tmp_path / folder)
    shutil.copy(ROOT / "CMakeLists.txt", tmp_path)
    assert check(tmp_path) == (0, "")
    header = tmp_path / "src/certify/oracle/oracle.h"
    header.write_text('#include "lower/operation_count.h"\n' + header.read_text())
    result = subprocess.run(
        [sys.executable, SCRIPT, "--root", tmp_path], capture_output=True, text=True
    )
    assert result.returncode == 1
    assert "src/certify/oracle/oracle.h:1: oracle may not know lower" in result.stdout
