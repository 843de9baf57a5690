"""The documents keep their word: links lead somewhere, the README's commands and example run."""

import os
import pathlib
import re
import shlex
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
README = (ROOT / "README.md").read_text()
BUILD = ROOT / os.environ.get("TILEOPS_BUILD", "build/dev")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def commands():
    lines = "".join(blocks(README, "sh")).splitlines()
    return [line.split("#")[0].strip() for line in lines if line.strip()]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(), flags=re.S)
    targets = [t for t in LINK.findall(text) if "://" not in t]
    assert [t for t in targets if not (page.parent / t).exists()] == []


def test_every_page_is_in_the_navigation():
    nav = re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text())
    pages = [p.relative_to(ROOT / "docs").as_posix() for p in ROOT.glob("docs/**/*.md")]
    assert sorted(nav) == sorted(pages)


def test_readme_example_is_the_one_that_is_built():
    example = (ROOT / "examples/cpp/quickstart.cpp").read_text()
    (block,) = blocks(README, "cpp")
    assert example.endswith(block)
    assert len([line for line in block.splitlines() if line.strip()]) <= 14


def test_readme_entry_is_the_shipped_one():
    (block,) = blocks(README, "yaml")
    entry = (ROOT / "manifest/normalization.yaml").read_text()
    shipped = {line.strip() for line in entry.splitlines()}
    assert [line for line in block.splitlines() if line.strip() not in shipped] == []


@pytest.mark.parametrize("command", [c for c in commands() if c.startswith("build/")])
def test_readme_command_runs(command):
    program, *arguments = shlex.split(command)
    program = BUILD / pathlib.PurePath(program).relative_to("build/release")
    if not program.exists():
        pytest.skip(f"{program} is not built")
    result = subprocess.run([program, *arguments], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("command", [c for c in commands() if c.startswith("scripts/")])
def test_readme_script_is_there(command):
    script = ROOT / shlex.split(command)[0]
    assert os.access(script, os.X_OK)
    assert subprocess.run(["bash", "-n", script]).returncode == 0


def test_manual_shows_the_grammar_that_runs():
    """Every rule of the grammar is in the manual, but for those of single words and marks."""
    source = (ROOT / "src/spec/grammar.h").read_text()
    rules = set(re.findall(r"^struct (\w+)\s*:", source, re.M))
    marks = set(
        re.findall(r"^struct (\w+)\s*: (?:mark<|keyword<|seq<string<|string<)", source, re.M)
    )
    unshown = marks | {
        "comment",
        "blanks",
        "token",
        "mark",
        "colon",
        "question",
        "equals",
        "defined_as",
    }
    (grammar,) = blocks((ROOT / "docs/manifest.md").read_text(), "ebnf")
    shown = set(re.findall(r"^(\w+) +=", grammar, re.M))
    assert shown == rules - unshown


def test_manual_names_every_field():
    manual = (ROOT / "docs/manifest.md").read_text()
    readers = "".join(file.read_text() for file in ROOT.glob("src/spec/read_*.cpp"))
    fields = set(re.findall(r'(?:required|optional|read|text)\("(\w+)"', readers))
    assert {f for f in fields if f"`{f}`" not in manual and f"`{f}:" not in manual} <= {
        "type",
        "default",
        "promote_every",
    }
