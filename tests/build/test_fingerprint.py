from __future__ import annotations

import ast
import copy
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.small_checkout import ASSAY, SmallCheckout

from assay.build import fingerprint as fp
from assay.errors import SourceError

ENGINE = '''\
"""An engine."""

from typing import TYPE_CHECKING

from assay.deep import constant

if TYPE_CHECKING:
    from assay.unused import Nothing

RATE = 0.5
"""How fast it goes."""


class Engine:
    """Turns."""

    speed: int = 3

    def turn(self, n: int = 1) -> "Nothing":
        """Turn it."""
        if n > 2 and self.speed:
            return [RATE * k for k in range(n)]
        return constant.VALUE + f"{n}"
'''

ROOTS = ("assay.stages.scores", "workflow/scripts/scores.py")


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[SmallCheckout]:
    small = SmallCheckout(tmp_path)
    small.write(
        {
            "src/assay/__init__.py": "",
            "src/assay/unused.py": "Nothing = 1\n",
            "src/assay/deep/__init__.py": "",
            "src/assay/deep/constant.py": 'DATA_FILES = ("table.json", "more/x.bin")\nVALUE = "v"\n',
            "src/assay/deep/table.json": "[1, 2]",
            "src/assay/deep/more/x.bin": "abc",
            "src/assay/engine.py": ENGINE,
            "src/assay/stages/__init__.py": "",
            "src/assay/stages/scores.py": "def run(job):\n    from assay import engine\n    return engine\n",
            "workflow/scripts/scores.py": '"""Score."""\n'
            "from assay.build.job import run\nrun(None, __doc__)\n",
            "envs/base.lock": "# made by hand\nnumpy==1.0 \\\n    --hash=sha256:00\n    # via scipy\n",
        }
    )
    fp.forget()
    yield small
    fp.forget()


def fingerprint(checkout: SmallCheckout, *roots: str) -> str:
    fp.forget()
    return fp.fingerprint(roots or ROOTS, checkout.root)


def names(checkout: SmallCheckout, *roots: str) -> set[str]:
    fp.forget()
    return set(fp.closure(roots, checkout.root))


class TestClosure:
    def test_follows_imports_everywhere_and_adds_the_packages_around(self, checkout: SmallCheckout) -> None:
        assert names(checkout, *ROOTS) == {
            "assay",
            "assay.deep",
            "assay.deep.constant",
            "assay.engine",
            "assay.stages",
            "assay.stages.scores",
            "workflow/scripts/scores.py",
        }

    @pytest.mark.parametrize(
        ("module", "statement", "found"),
        [
            ("deep/a.py", "import assay.unused", "assay.unused"),
            ("deep/a.py", "import assay.unused as short", "assay.unused"),
            ("deep/a.py", "from assay import unused", "assay.unused"),
            ("deep/a.py", "from assay.unused import Nothing", "assay.unused"),
            ("deep/a.py", "from .. import unused", "assay.unused"),
            ("deep/a.py", "from ..unused import Nothing", "assay.unused"),
            ("deep/a.py", "from . import constant", "assay.deep.constant"),
            ("deep/a.py", "from .constant import VALUE", "assay.deep.constant"),
            ("deep/a.py", "from assay.deep import *", "assay.deep.constant"),
            ("deep/a.py", "from . import *", "assay.deep.constant"),
            ("deep/__init__.py", "from . import constant", "assay.deep.constant"),
            ("deep/__init__.py", "from .constant import VALUE", "assay.deep.constant"),
            ("deep/__init__.py", "from ..unused import Nothing", "assay.unused"),
            (
                "deep/a.py",
                "def f():\n    try:\n        import assay.unused\n    finally:\n        pass",
                "assay.unused",
            ),
            ("deep/a.py", "class A:\n    async def f(self):\n        from .. import unused", "assay.unused"),
            ("deep/a.py", "if TYPE_CHECKING:\n    pass\nelse:\n    import assay.unused", "assay.unused"),
            ("deep/a.py", "if not TYPE_CHECKING:\n    import assay.unused", "assay.unused"),
        ],
    )
    def test_every_form_of_import(
        self, checkout: SmallCheckout, module: str, statement: str, found: str
    ) -> None:
        root = "assay." + module.removesuffix("/__init__.py").removesuffix(".py").replace("/", ".")
        checkout.write({f"src/assay/{module}": ""})
        assert found not in names(checkout, root)
        checkout.write({f"src/assay/{module}": statement + "\n"})
        assert found in names(checkout, root)

    @pytest.mark.parametrize("test", ["TYPE_CHECKING", "typing.TYPE_CHECKING"])
    def test_imports_for_annotations_only_are_not_followed(self, checkout: SmallCheckout, test: str) -> None:
        checkout.write({"src/assay/a.py": f"if {test}:\n    import assay.unused\n"})
        assert names(checkout, "assay.a") == {"assay", "assay.a"}

    @pytest.mark.parametrize("program", ["a.py", "workflow/scripts/scores.py"])
    def test_a_string_that_names_a_function_is_followed(self, checkout: SmallCheckout, program: str) -> None:
        roots = ("assay.a",) if program == "a.py" else ("assay.a", program)
        file = f"src/assay/{program}" if program == "a.py" else program
        checkout.write(
            {"src/assay/a.py": "", file: 'MADE = {"turns": Spec("assay.engine:Engine", "turns")}\n'}
        )
        assert names(checkout, *roots) >= {"assay.engine", "assay.deep.constant"}
        before = fingerprint(checkout, *roots)
        checkout.write({"src/assay/engine.py": ENGINE.replace("RATE = 0.5", "RATE = 0.6")})
        assert fingerprint(checkout, *roots) != before

    @pytest.mark.parametrize(
        "text",
        ["assay.engine", "assay.engine:", "see assay.engine:Engine", "engine:Engine", "assay:engine:x"],
    )
    def test_other_strings_are_not(self, checkout: SmallCheckout, text: str) -> None:
        checkout.write({"src/assay/a.py": f"TEXT = {text!r}\n"})
        assert names(checkout, "assay.a") == {"assay", "assay.a"}

    def test_other_packages_and_missing_modules_are_ignored(self, checkout: SmallCheckout) -> None:
        checkout.write(
            {
                "src/assay/a.py": "import numpy, assay.absent, toolbox.x\nfrom ..... import far\n",
                "toolbox/x.py": "",
            }
        )
        assert names(checkout, "assay.a") == {"assay", "assay.a"}

    def test_the_package_of_a_root_is_first_party(self, checkout: SmallCheckout) -> None:
        checkout.write(
            {
                "tests/made_up/world.py": "import tests.made_up.near\nimport assay.unused\n",
                "tests/made_up/near.py": "",
                "tests/__init__.py": "",
            }
        )
        found = names(checkout, "tests.made_up.world")
        assert found == {"tests", "tests.made_up.near", "tests.made_up.world", "assay", "assay.unused"}

    @pytest.mark.parametrize("wrapper", ["job", "store", "damage", "fingerprint", "interruption"])
    def test_the_wrapper_is_neither_counted_nor_followed(self, checkout: SmallCheckout, wrapper: str) -> None:
        checkout.write(
            {
                "src/assay/build/__init__.py": "",
                f"src/assay/build/{wrapper}.py": "import assay.unused\n",
                "src/assay/a.py": f"from assay.build import {wrapper}\nimport assay.build.{wrapper}\n",
            }
        )
        assert names(checkout, "assay.a") == {"assay", "assay.a", "assay.build"}

    def test_import_cycles_end(self, checkout: SmallCheckout) -> None:
        checkout.write({"src/assay/a.py": "import assay.b\n", "src/assay/b.py": "import assay.a\n"})
        assert names(checkout, "assay.a") == {"assay", "assay.a", "assay.b"}

    @pytest.mark.parametrize(
        "root", ["assay.absent", "absent", "workflow/scripts/absent.py", "/etc/passwd.py"]
    )
    def test_a_root_that_does_not_exist(self, checkout: SmallCheckout, root: str) -> None:
        with pytest.raises(SourceError, match="is no module or program") as error:
            names(checkout, root)
        assert root in error.value.message

    def test_a_syntax_error_names_file_and_line(self, checkout: SmallCheckout) -> None:
        checkout.write({"src/assay/engine.py": "x = 1\n\ndef f(:\n"})
        with pytest.raises(SourceError, match=r"engine\.py, line 3: "):
            names(checkout, *ROOTS)

    def test_a_null_byte_is_an_error_too(self, checkout: SmallCheckout) -> None:
        checkout.write({"src/assay/engine.py": "x = 1\0\n"})
        with pytest.raises(SourceError, match=r"engine\.py, line 1"):
            names(checkout, *ROOTS)


class TestWhatCounts:
    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("RATE = 0.5", "RATE = 0.5  # a comment"),
            ("RATE = 0.5", "RATE   =   (0.50)"),
            ("RATE = 0.5", "\n\n\nRATE = \\\n  0.5"),
            ('"""An engine."""', '"""Another engine."""'),
            ('"""An engine."""\n', ""),
            ('"""Turns."""', '"""Stands."""'),
            ('        """Turn it."""\n', ""),
            ('"""How fast it goes."""', '"""How slow."""'),
            ("    from assay.unused import Nothing", "    from assay.other import Nothing"),
            ('-> "Nothing"', "-> 'Nothing'"),
            ("range(n)", "range(n,)"),
            ("return constant.VALUE", "return (constant.VALUE)"),
        ],
    )
    def test_what_cannot_matter_does_not(self, checkout: SmallCheckout, old: str, new: str) -> None:
        before = fingerprint(checkout)
        assert old in ENGINE
        checkout.write({"src/assay/engine.py": ENGINE.replace(old, new)})
        assert fingerprint(checkout) == before

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("RATE = 0.5", "RATE = 0.25"),
            ("RATE = 0.5", "RATE = 1"),
            ("RATE = 0.5", "RATE: float = 0.5"),
            ("n > 2", "n >= 2"),
            ("n > 2", "2 < n"),
            ("and self", "or self"),
            ("RATE * k", "RATE + k"),
            ("RATE * k", "k * RATE"),
            ("self.speed", "self.rate"),
            ("n: int = 1", "n: int = 2"),
            ("n: int = 1", "n: float = 1"),
            ("n: int = 1", "*, n: int = 1"),
            ("[RATE * k for k in range(n)]", "{RATE * k for k in range(n)}"),
            ("[RATE * k for k in range(n)]", "(RATE * k for k in range(n))"),
            ('f"{n}"', 'f"{n:2}"'),
            ('f"{n}"', 'f"{n!r}"'),
            ("class Engine:", "class Engine(dict):"),
            ("class Engine:", "@final\nclass Engine:"),
            ("    def turn", "    async def turn"),
            ("    speed: int = 3\n", ""),
            ("import constant", "import constant as constant2"),
        ],
    )
    def test_what_can_matter_does(self, checkout: SmallCheckout, old: str, new: str) -> None:
        before = fingerprint(checkout)
        assert old in ENGINE
        checkout.write({"src/assay/engine.py": ENGINE.replace(old, new)})
        assert fingerprint(checkout) != before

    def test_an_edit_counts_whatever_the_time_stamp_and_size(self, checkout: SmallCheckout) -> None:
        path = checkout.root / "src/assay/engine.py"
        before, status = fingerprint(checkout), path.stat()
        path.write_text(ENGINE.replace("0.5", "0.7"))
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        assert path.stat().st_mtime_ns == status.st_mtime_ns
        assert fingerprint(checkout) != before

    def test_touching_everything_counts_for_nothing(self, checkout: SmallCheckout) -> None:
        before = fingerprint(checkout)
        for path in checkout.root.rglob("*.*"):
            os.utime(path, (1, 1))
        assert fingerprint(checkout) == before

    def test_modules_that_nobody_imports_do_not_count(self, checkout: SmallCheckout) -> None:
        before = fingerprint(checkout)
        checkout.write({"src/assay/unused.py": "Nothing = 2\n", "src/assay/new.py": "x = 1\n"})
        assert fingerprint(checkout) == before

    @pytest.mark.parametrize(
        "file", ["src/assay/__init__.py", "src/assay/deep/__init__.py", "workflow/scripts/scores.py"]
    )
    def test_packages_and_programs_count(self, checkout: SmallCheckout, file: str) -> None:
        before = fingerprint(checkout)
        checkout.write({file: (checkout.root / file).read_text() + "import os\n"})
        assert fingerprint(checkout) != before

    def test_the_same_in_another_folder(
        self, checkout: SmallCheckout, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        other = tmp_path_factory.mktemp("other") / "checkout"
        checkout.root.rename(other)
        (checkout.root).mkdir()
        assert fp.fingerprint(ROOTS, other) == fingerprint(SmallCheckout(other))
        moved = fingerprint(SmallCheckout(other))
        checkout.root.rmdir()
        other.rename(checkout.root)
        assert fingerprint(checkout) == moved

    def test_the_order_of_roots_does_not_count(self, checkout: SmallCheckout) -> None:
        assert fingerprint(checkout, *ROOTS) == fingerprint(checkout, *reversed(ROOTS))

    def test_the_recipe_and_the_python_version_count(
        self, checkout: SmallCheckout, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        found = {fingerprint(checkout)}
        monkeypatch.setattr(fp, "PYTHON", "3.99")
        found.add(fingerprint(checkout))
        monkeypatch.setattr(fp, "RECIPE", fp.RECIPE + 1)
        found.add(fingerprint(checkout))
        assert len(found) == 3


class TestDocstrings:
    @pytest.mark.parametrize(
        "reader",
        [
            "text = run.__doc__",
            "text = __doc__",
            'text = getattr(run, "__doc__")',
            "import inspect\ntext = inspect.getdoc(run)",
            "from inspect import getdoc",
        ],
    )
    def test_they_count_where_the_module_reads_docstrings(self, checkout: SmallCheckout, reader: str) -> None:
        text = f'def run():\n    """What an agent is told."""\n{reader}\n'
        checkout.write({"src/assay/stages/scores.py": text})
        before = fingerprint(checkout)
        checkout.write({"src/assay/stages/scores.py": text.replace("told", "shown")})
        assert fingerprint(checkout) != before

    def test_in_such_a_module_comments_still_do_not(self, checkout: SmallCheckout) -> None:
        checkout.write({"src/assay/stages/scores.py": "def run(): ...\ntext = run.__doc__\n"})
        before = fingerprint(checkout)
        checkout.write({"src/assay/stages/scores.py": "def run():\n    ...  # none\ntext = run.__doc__\n"})
        assert fingerprint(checkout) == before

    def test_a_program_s_is_the_text_of_its_help(self, checkout: SmallCheckout) -> None:
        before = fingerprint(checkout)
        program = "workflow/scripts/scores.py"
        checkout.write({program: (checkout.root / program).read_text().replace("Score.", "Score it.")})
        assert fingerprint(checkout) == before

    def test_a_module_of_the_same_text_as_a_program_keeps_its_own(self, checkout: SmallCheckout) -> None:
        found = []
        for doc in ("A", "B"):
            text = f'"""{doc}"""\ntext = __doc__\n'
            checkout.write({"src/assay/a.py": text, "workflow/scripts/a.py": text})
            fp.forget()
            found.append(fp.closure(["workflow/scripts/a.py", "assay.a"], checkout.root))
        assert found[0]["assay.a"] != found[1]["assay.a"]
        assert found[0]["workflow/scripts/a.py"] == found[1]["workflow/scripts/a.py"]

    def test_a_comment_about_docstrings_reads_none(self, checkout: SmallCheckout) -> None:
        checkout.write({"src/assay/stages/scores.py": '"""A."""\n# not __doc__\n'})
        before = fingerprint(checkout)
        checkout.write({"src/assay/stages/scores.py": '"""B."""\n# not __doc__\n'})
        assert fingerprint(checkout) == before


class TestDataFiles:
    @pytest.mark.parametrize("file", ["table.json", "more/x.bin"])
    def test_their_bytes_count(self, checkout: SmallCheckout, file: str) -> None:
        before = fingerprint(checkout)
        checkout.write({f"src/assay/deep/{file}": "[1, 3]"})
        assert fingerprint(checkout) != before

    def test_other_files_do_not(self, checkout: SmallCheckout) -> None:
        before = fingerprint(checkout)
        checkout.write({"src/assay/deep/other.json": "[1, 3]"})
        assert fingerprint(checkout) == before

    def test_annotated_or_as_a_list(self, checkout: SmallCheckout) -> None:
        found = set()
        for content in ("a", "b"):
            for declaration in ('DATA_FILES: tuple[str, ...] = ("d",)', 'DATA_FILES = ["d"]'):
                checkout.write({"src/assay/a.py": declaration, "src/assay/d": content})
                found.add(fingerprint(checkout, "assay.a"))
        assert len(found) == 4

    def test_a_missing_one(self, checkout: SmallCheckout) -> None:
        (checkout.root / "src/assay/deep/table.json").unlink()
        with pytest.raises(
            SourceError, match=r"data file of assay\.deep\.constant .*table\.json: No such file"
        ):
            fingerprint(checkout)

    def test_one_outside_of_the_checkout(self, checkout: SmallCheckout) -> None:
        checkout.write({"src/assay/a.py": 'DATA_FILES = ("../../../outside",)'})
        with pytest.raises(SourceError, match="outside of the checkout"):
            fingerprint(checkout, "assay.a")

    @pytest.mark.parametrize("value", ["tuple(names)", '("a", 1)', '"a"', "name"])
    def test_only_literals(self, checkout: SmallCheckout, value: str) -> None:
        checkout.write({"src/assay/a.py": f"x = 1\nDATA_FILES = {value}"})
        with pytest.raises(SourceError, match=r"a\.py, line 2: DATA_FILES is not a literal"):
            fingerprint(checkout, "assay.a")


class TestEnvironment:
    @pytest.mark.parametrize(
        ("text", "counts"),
        [
            ("numpy==1.0 \\\n    --hash=sha256:00\n", False),
            ("# another comment\n\n\nnumpy==1.0 \\\n  --hash=sha256:00\n", False),
            ("numpy==1.1 \\\n    --hash=sha256:00\n", True),
            ("numpy==1.0 \\\n    --hash=sha256:01\n", True),
            ("numpy==1.0 \\\n    --hash=sha256:00\nscipy==1.0\n", True),
        ],
    )
    def test_the_lock_file_counts_but_for_its_comments(
        self, checkout: SmallCheckout, text: str, counts: bool
    ) -> None:
        before = fingerprint(checkout)
        checkout.write({"envs/base.lock": text})
        assert (fingerprint(checkout) != before) is counts

    def test_a_package_installed_in_another_version_counts(
        self, checkout: SmallCheckout, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        site = checkout.root / "elsewhere/site-packages"
        monkeypatch.setattr("sys.path", [str(site)])
        found = []
        for installed in ("numpy-1.0", "numpy-2.0", "unlocked-1.0"):
            (site / f"{installed}.dist-info").mkdir(parents=True)
            found.append(fingerprint(checkout))
            (site / f"{installed}.dist-info").rmdir()
        assert found[0] == found[2] != found[1]

    def test_the_lock_of_an_extra_counts_where_a_module_names_it(
        self, checkout: SmallCheckout, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        site = checkout.root / "elsewhere/site-packages"
        (site / "pythia-8.2.dist-info").mkdir(parents=True)
        monkeypatch.setattr("sys.path", [str(site)])
        checkout.write({"envs/far.lock": "pythia==8.2\n"})
        engine = ENGINE + 'DATA_FILES = ("../../envs/far.lock",)\n'
        without = fingerprint(checkout)
        checkout.write({"envs/far.lock": "pythia==8.3\n"})
        assert fingerprint(checkout) == without
        checkout.write({"src/assay/engine.py": engine})
        deviating = fingerprint(checkout)
        (site / "pythia-8.2.dist-info").rename(site / "pythia-8.3.dist-info")
        as_locked = fingerprint(checkout)
        checkout.write({"envs/far.lock": "pythia==8.4\n"})
        assert len({without, deviating, as_locked, fingerprint(checkout)}) == 4


class TestCache:
    def entries(self, checkout: SmallCheckout) -> dict[str, object]:
        return dict(json.loads((checkout.root / fp.CACHE).read_text())["sources"])

    def test_the_second_process_reads_no_syntax_tree(
        self, checkout: SmallCheckout, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = fingerprint(checkout)

        def parse(*_: object, **__: object) -> None:
            raise AssertionError("parsed again")

        monkeypatch.setattr(ast, "parse", parse)
        assert fingerprint(checkout) == before
        checkout.write({"src/assay/engine.py": ENGINE + "x = 1\n"})
        with pytest.raises(AssertionError, match="parsed again"):
            fingerprint(checkout)

    @pytest.mark.parametrize("damage", ["", "{", "[]", '{"sources": 3}', "\xff"])
    def test_a_damaged_file_is_ignored_and_mended(self, checkout: SmallCheckout, damage: str) -> None:
        before, entries = fingerprint(checkout), self.entries(checkout)
        checkout.write({str(fp.CACHE): damage})
        assert fingerprint(checkout) == before
        assert self.entries(checkout) == entries

    def test_damaged_entries_are_ignored(self, checkout: SmallCheckout) -> None:
        before, entries = fingerprint(checkout), self.entries(checkout)
        content = json.loads((checkout.root / fp.CACHE).read_text())
        for key, damaged in zip(
            content["sources"], (None, 3, [], ["a"], [1, 2, 3], ["a", [1], []]), strict=False
        ):
            content["sources"][key] = damaged
        checkout.write({str(fp.CACHE): json.dumps(content)})
        assert fingerprint(checkout) == before
        assert self.entries(checkout) == entries

    def test_another_python_or_recipe_does_not_read_it(
        self, checkout: SmallCheckout, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fingerprint(checkout)
        content = json.loads((checkout.root / fp.CACHE).read_text())
        for entry in content["sources"].values():
            entry[1] = ["assay.unused"]
        for other in ({"recipe": fp.RECIPE + 1}, {"python": "3.99"}):
            checkout.write({str(fp.CACHE): json.dumps(content | other)})
            assert "assay.unused" not in names(checkout, *ROOTS)

    def test_a_folder_that_cannot_be_written_does_no_harm(self, checkout: SmallCheckout) -> None:
        checkout.write({".snakemake": "a file"})
        assert fingerprint(checkout) == fingerprint(checkout)

    def test_one_process_sees_one_state(self, checkout: SmallCheckout) -> None:
        before = fp.fingerprint(ROOTS, checkout.root)
        checkout.write({"src/assay/engine.py": ENGINE + "x = 1\n"})
        assert fp.fingerprint(ROOTS, checkout.root) == before
        assert fingerprint(checkout) != before


class TestKernels:
    @pytest.fixture
    def compiled(self, checkout: SmallCheckout) -> SmallCheckout:
        checkout.write(
            {
                "src/assay/kernel.py": "from numba import njit\nfrom assay.inlined import f\n",
                "src/assay/inlined.py": "f = 1\n",
                "src/assay/a.py": "def f():\n    import assay.kernel\n",
            }
        )
        return checkout

    def digest(self, checkout: SmallCheckout) -> str:
        fp.forget()
        return fp.kernels(["assay.a"], checkout.root)

    @pytest.mark.parametrize("module", ["kernel", "inlined"])
    def test_compiled_modules_and_what_they_inline_count(self, compiled: SmallCheckout, module: str) -> None:
        before = self.digest(compiled)
        path = compiled.root / f"src/assay/{module}.py"
        path.write_text(path.read_text() + "x = 1\n")
        assert self.digest(compiled) != before

    def test_programs_and_the_packages_of_other_roots(self, checkout: SmallCheckout) -> None:
        checkout.write(
            {"tests/a.py": "", "tests/inlined.py": "f = 1\n", "p.py": "import numba, tests.inlined\n"}
        )
        found = set()
        for value in ("1", "2"):
            checkout.write({"tests/inlined.py": f"f = {value}\n"})
            fp.forget()
            found.add(fp.kernels(["tests.a", "p.py"], checkout.root))
        assert len(found) == 2

    def test_numba_itself_runs_what_is_written(self, compiled: SmallCheckout) -> None:
        """Numba's own cache would go on with the old inlined function."""
        jit = "from numba import njit\n"
        kernel = f"{jit}from assay.inlined import f\n@njit(cache=True)\ndef g():\n    return f()\n"
        program = (
            "from assay.build.job import run\ndef work(job):\n    from assay.kernel import g\n"
            "    job.output('x').write_text(str(g()))\nrun(work, None)\n"
        )
        compiled.add_wrapper()
        compiled.write({"src/assay/kernel.py": kernel, "p.py": program})
        for value in ("1", "2"):
            compiled.write({"src/assay/inlined.py": f"{jit}@njit\ndef f():\n    return {value}\n"})
            done = compiled.python("p.py", "--roots", "p.py", "--out", "x", "x")
            assert (done.returncode, done.stderr) == (0, "")
            assert (compiled.root / "x").read_text() == value
        assert len(list((compiled.root / ".cache/numba").iterdir())) == 2

    def test_other_modules_do_not(self, compiled: SmallCheckout) -> None:
        before = self.digest(compiled)
        compiled.write({"src/assay/a.py": "def f():\n    import assay.kernel\n    return 1\n"})
        assert self.digest(compiled) == before


class TestGuard:
    """In processes of their own, since what is loaded is what is judged."""

    @pytest.fixture
    def loaded(self, checkout: SmallCheckout) -> SmallCheckout:
        checkout.add_wrapper()
        checkout.write(
            {
                "src/assay/world.py": 'DATA_FILES = ("world.json",)\n',
                "src/assay/world.json": "1",
                "src/assay/a.py": "import json\nimport assay.world\n",
                "src/assay/undeclared.py": "",
                "tests/made_up.py": "",
                "loose.py": "",
            }
        )
        return checkout

    def judge(self, checkout: SmallCheckout, code: str, **environment: str) -> str:
        """Python code, then the guard for the root `assay.a`: what it says."""
        program = f"""
import sys
sys.path.insert(0, "{checkout.root}")
from assay.build import job
from assay.build import fingerprint
from assay.errors import SourceError
fingerprint.fingerprint(["assay.a"], ".")
{code}
try:
    fingerprint.guard(["assay.a"], ".")
except SourceError as problem:
    print(problem)
else:
    print("fine")
"""
        done = checkout.python("-c", program, **environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def test_declared_source_and_the_wrapper_are_fine(self, loaded: SmallCheckout) -> None:
        assert self.judge(loaded, "import assay.a, assay.build.job, assay.build.store, sqlite3") == "fine\n"

    @pytest.mark.parametrize(
        ("code", "file"),
        [
            ('__import__("assay.undeclared")', "src/assay/undeclared.py"),
            ('__import__("tests.made_up")', "tests/made_up.py"),
            ('__import__("loose")', "loose.py"),
            (
                "import importlib.util as u\n"
                's = u.spec_from_file_location("anything", "loose.py")\n'
                'sys.modules["anything"] = u.module_from_spec(s)',
                "loose.py",
            ),
        ],
    )
    def test_undeclared_source(self, loaded: SmallCheckout, code: str, file: str) -> None:
        assert f"undeclared source: {file} was loaded" in self.judge(loaded, code)

    def test_source_of_another_checkout(
        self, loaded: SmallCheckout, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        other = SmallCheckout(tmp_path_factory.mktemp("other"))
        other.add_wrapper()
        said = self.judge(loaded, "", PYTHONPATH=str(other.root / "src"))
        assert f"assay was imported from {other.root}/src/assay/__init__.py, not from the checkout" in said

    def test_a_data_file_edited_meanwhile(self, loaded: SmallCheckout) -> None:
        said = self.judge(loaded, 'open("src/assay/world.json", "w").write("2")')
        assert "world.json was edited while the job ran" in said

    def test_an_environment_below_the_checkout_is_not_its_source(self, loaded: SmallCheckout) -> None:
        loaded.write({".venv/lib/python3/site-packages/library.py": ""})
        code = 'sys.path.append(".venv/lib/python3/site-packages"); import library'
        assert self.judge(loaded, code) == "fine\n"


class TestPin:
    def run(self, checkout: SmallCheckout, code: str) -> str:
        checkout.add_wrapper()
        program = f"""
import os, sys
from assay.build import fingerprint
from assay.errors import SourceError
fingerprint.pin(["assay.a"], ".")
{code}
"""
        done = checkout.python("-c", program, PYTHONDONTWRITEBYTECODE="")
        assert done.returncode == 0, done.stderr
        return done.stdout

    def test_bytecode_of_the_same_time_and_size_is_not_trusted(self, checkout: SmallCheckout) -> None:
        path = checkout.root / "src/assay/a.py"
        path.write_text("VALUE = 1\n")
        status = path.stat()
        show = ("-c", "import assay.a; print(assay.a.VALUE)")
        assert checkout.python(*show, PYTHONDONTWRITEBYTECODE="").stdout == "1\n"
        path.write_text("VALUE = 2\n")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        assert checkout.python(*show).stdout == "1\n", (
            "Python itself has become careful: drop this part of pin"
        )
        assert self.run(checkout, "import assay.a; print(assay.a.VALUE)") == "2\n"

    def test_a_module_edited_after_the_fingerprint_is_not_loaded(self, checkout: SmallCheckout) -> None:
        checkout.write({"src/assay/a.py": "VALUE = 1\n"})
        code = (
            'open("src/assay/a.py", "a").write("# edited")\n'
            "try:\n    import assay.a\nexcept SourceError as problem:\n    print(problem)"
        )
        assert "a.py was edited while the job ran\nremedy: run again" in self.run(checkout, code)

    def test_packages_without_an_init_file_and_tracebacks_work(self, checkout: SmallCheckout) -> None:
        checkout.write({"src/assay/a.py": "import assay.bare.b\n", "src/assay/bare/b.py": "\n1 / 0\n"})
        code = (
            "import traceback\n"
            "try:\n    import assay.a\nexcept ZeroDivisionError:\n    print(traceback.format_exc())"
        )
        assert 'bare/b.py", line 2, in <module>\n    1 / 0' in self.run(checkout, code)


class TestRealSource:
    """The rules above, on the modules of Assay itself."""

    MODULES = sorted(ASSAY.rglob("*.py"))

    @pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ASSAY)))
    def test_a_rewritten_layout_does_not_count(self, path: Path) -> None:
        text = path.read_text()
        rewritten = ast.unparse(ast.parse(text))
        read = [fp_source(source, path) for source in (text, rewritten)]
        assert read[0] == read[1]

    def test_every_single_change_of_a_name_or_value_counts(self) -> None:
        tree = ast.parse((ASSAY / "numbers/rng.py").read_text())
        before = fp_source(ast.unparse(tree), ASSAY)
        changed = 0
        for at, node in enumerate(ast.walk(tree)):
            for field, value in ast.iter_fields(node):
                if (
                    field in ("ctx", "kind", "type_comment")
                    or isinstance(value, ast.AST | list)
                    or value is None
                ):
                    continue
                if field == "conversion" or (isinstance(value, str) and " " in value):
                    continue  # three values are legal; a docstring
                mutant = copy.deepcopy(tree)
                target = list(ast.walk(mutant))[at]
                setattr(target, field, f"{value}x" if isinstance(value, str) else value + 1)
                assert fp_source(ast.unparse(mutant), ASSAY) != before, (field, value, node.lineno)
                changed += 1
        assert changed > 100


def fp_source(text: str, path: Path) -> object:
    from assay.build.source import read

    return read(text.encode(), path, program=False)


REGISTRY = """\
from assay.specs import FigureSpec

FIGURES = {
    "one": FigureSpec("assay.drawn.one:draw", "the first"),
    "two": FigureSpec("assay.drawn.two:draw", "the second", ("assay.drawn.shared:SIZE",)),
    "three": FigureSpec("assay.drawn.one:again", "the third", ("assay.drawn.shared:SIZE",)),
    **{f"world-{name}": FigureSpec("assay.drawn.world:draw", name) for name in "ab"},
}
"""


def test_a_root_that_chooses_an_entry_follows_its_references_alone(checkout: SmallCheckout) -> None:
    checkout.write({"src/assay/figures.py": REGISTRY, "src/assay/drawn/__init__.py": ""})
    for name in ("one", "two", "shared", "world"):
        checkout.write({f"src/assay/drawn/{name}.py": "draw = again = SIZE = 1\n"})

    def drawn(*roots: str) -> set[str]:
        names = fp.closure(roots, checkout.root)
        return {name.rpartition(".")[2] for name in names if name.startswith("assay.drawn.")}

    everything = {"one", "two", "shared", "world"}
    assert drawn("assay.figures") == everything
    assert drawn("assay.figures#one") == {"one", "world"}  # which entry a computed key has is not known
    assert drawn("assay.figures#two") == {"two", "shared", "world"}
    assert drawn("assay.figures#world-a") == {"world"}
    assert drawn("assay.figures#one", "assay.figures#two") == everything
    assert drawn("assay.figures#one", "assay.figures") == everything


def test_an_edit_of_one_figure_leaves_the_others(checkout: SmallCheckout) -> None:
    checkout.write({"src/assay/figures.py": REGISTRY, "src/assay/drawn/__init__.py": ""})
    for name in ("one", "two", "shared", "world"):
        checkout.write({f"src/assay/drawn/{name}.py": "draw = again = SIZE = 1\n"})
    roots = [("assay.figures#one",), ("assay.figures#two",), ("assay.figures",)]
    before = [fp.fingerprint(each, checkout.root) for each in roots]
    checkout.write({"src/assay/drawn/one.py": "draw = again = SIZE = 2\n"})
    fp.forget()
    after = [fp.fingerprint(each, checkout.root) for each in roots]
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, True, False]
