"""Builds the image of the Containerfile twice and compares the two: `sudo python3 packaging/image.py`.

It needs Linux, root, git, buildah and a network, and debootstrap unless `--base` names an image. Both images
are made from clean clones of the last commit that lie in different folders, without a cache between them. The
digest of an image covers its layers and its configuration. Where the digests differ, the files that differ
are listed.

Nothing of it stays: layers and clones are in a temporary folder (some 10 GB), unless `--keep` names one.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EPOCH = "1735689600"
"""The time of all files of a layer, as in the Containerfile."""

PROGRAMS = ("git", "buildah")
PACKAGES = "python3,python3-venv,make,ca-certificates"
"""What the base must have. Debian's name of each."""

CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")

Member = tuple[str, int, int, int, str, str]
"""What counts of a file of a layer: type, mode, owner, group, target of a link, hash of the content."""


class Engine:
    """Buildah with a storage of its own, so that no image of the machine is used or left behind.

    Args:
        folder: Where the storage lies.
    """

    def __init__(self, folder: Path) -> None:
        storage = ["--root", str(folder / "storage"), "--runroot", str(folder / "run")]
        self._command = ["buildah", *storage, "--storage-driver", "vfs"]
        # Isolation by chroot needs no cgroups and sets no limits, which virtual machines may refuse.
        self._environment = {**os.environ, "BUILDAH_ISOLATION": "chroot"}

    def run(self, *words: str, network: bool = True, folder: Path = ROOT) -> str:
        """Run a command of buildah; returns what it prints, and shows its messages.

        Raises:
            subprocess.CalledProcessError: If it fails.
        """
        alone = [] if network else ["unshare", "--net"]
        command = [*alone, *self._command, *words]
        done = subprocess.run(
            command, cwd=folder, env=self._environment, check=True, stdout=subprocess.PIPE, text=True
        )
        return done.stdout.strip()

    def build(self, folder: Path, name: str, *options: str) -> str:
        """Build the Containerfile of a folder; returns the digest of the image."""
        how = ("--timestamp", EPOCH, "--no-cache", "--quiet", *options)
        printed = self.run("build", *how, "--file", "Containerfile", "--tag", name, ".", folder=folder)
        return printed.splitlines()[-1].removeprefix("sha256:")

    def layers(self, name: str, folder: Path) -> list[Path]:
        """Write the layers of an image as files of tar; returns their paths in order."""
        self.run("push", "--quiet", "--disable-compression", name, f"dir:{folder}")
        manifest = json.loads((folder / "manifest.json").read_text())
        return [folder / layer["digest"].partition(":")[2] for layer in manifest["layers"]]


def missing(base: str | None = None) -> list[str]:
    """Return what this machine lacks for building images, as words for a message."""
    programs = (*PROGRAMS, *(() if base else ("debootstrap",)))
    lacking = [
        name for name in programs if shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin") is None
    ]
    return [*lacking, *([] if os.geteuid() == 0 else ["root"])]


def make_base(engine: Engine, folder: Path, suite: str) -> str:
    """Make a Debian image with Python, venv and make; returns its name.

    It trusts the certificates that this machine trusts, since the index may be reached through a proxy.
    """
    root = folder / "root"
    # In a mount namespace of its own: otherwise an interrupted debootstrap leaves /proc of this machine
    # mounted in the folder, and whoever removes the folder then tries to remove what is below the mount, too.
    command = ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", suite, str(root)]
    subprocess.run(["unshare", "--mount", *command], check=True, stdout=sys.stderr)
    if CERTIFICATES.is_file():
        shutil.copyfile(CERTIFICATES, root / CERTIFICATES.relative_to("/"))
    (root / "etc/pip.conf").write_text(f"[global]\ncert = {CERTIFICATES}\n")
    archive = folder / "root.tar"
    subprocess.run(["tar", "--sort=name", "--numeric-owner", "-C", root, "-cf", archive, "."], check=True)
    shutil.rmtree(root)
    (folder / "Containerfile").write_text("FROM scratch\nADD root.tar /\n")
    engine.build(folder, "assay-base")
    archive.unlink()
    return "localhost/assay-base"


def members(layer: Path) -> dict[str, Member]:
    """Return what counts of each file of a layer, by its path."""
    result = {}
    with tarfile.open(layer) as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() else None
            digest = hashlib.sha256(content.read()).hexdigest() if content else ""
            kind = member.type.decode()
            result[member.name] = (kind, member.mode, member.uid, member.gid, member.linkname, digest)
    return result


def differing(first: Sequence[Path], second: Sequence[Path]) -> list[str]:
    """Return the paths that two lists of layers do not have in common with equal type, owner and content."""
    names: list[str] = []
    for one, other in zip(first, second, strict=True):
        if one.name != other.name:  # they are named by their digests
            here, there = members(one), members(other)
            names += [
                name for name in sorted(here.keys() | there.keys()) if here.get(name) != there.get(name)
            ]
    return names


def build_twice(engine: Engine, base: str, folder: Path) -> tuple[str, str]:
    """Build the image from two clones of the last commit, as `assay-first` and `assay-second`.

    Returns:
        Their digests.
    """
    commit = _git("rev-parse", "HEAD", folder=ROOT)
    digests = []
    for name in ("first", "second"):
        clone = folder / name / "clone"
        _git("clone", "--quiet", "--shared", "--no-checkout", str(ROOT), str(clone), folder=ROOT)
        _git("checkout", "--quiet", commit, folder=clone)
        digests.append(engine.build(clone, f"assay-{name}", "--build-arg", f"BASE={base}"))
        shutil.rmtree(clone)
    return digests[0], digests[1]


def _git(*words: str, folder: Path) -> str:
    # The checkout may belong to another user than root.
    command = ["git", "-c", "safe.directory=*", *words]
    return subprocess.check_output(command, cwd=folder, text=True).strip()


def main() -> int:
    """Build twice and compare; the exit code is 0 if the digests are equal, else 1."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--base", help="the image to begin with, NAME@sha256:...; default: made by debootstrap"
    )
    parser.add_argument("--suite", default="bookworm", help="the release of Debian for debootstrap")
    parser.add_argument("--keep", type=Path, help="a folder for clones and layers that is not removed")
    arguments = parser.parse_args()
    if lacking := missing(arguments.base):
        parser.error(f"needed and not here: {', '.join(lacking)}; docs/container.md")
    folder = arguments.keep or Path(tempfile.mkdtemp(prefix="assay-image-"))
    folder.mkdir(parents=True, exist_ok=True)
    engine = Engine(folder)
    try:
        base = arguments.base or make_base(engine, folder, arguments.suite)
        first, second = build_twice(engine, base, folder)
        print(f"first  {first}\nsecond {second}")
        if first == second:
            return 0
        pair = [engine.layers(f"assay-{name}", folder / name) for name in ("first", "second")]
        for path in differing(*pair) or ["(no file; order, times, or the configuration of the image)"]:
            print(path)
        return 1
    finally:
        if not arguments.keep:
            with suppress(OSError):
                shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
