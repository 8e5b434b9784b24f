"""Inputs and outputs on object storage: Snakemake's plugin for S3 and a local server; docs/storage.md."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.workflow.checkout import SMALL, Checkout

PYTHON = os.environ.get("ASSAY_STORAGE", "")
KEYS = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_DEFAULT_REGION": "us-east-1"}
PLUGIN = {"SNAKEMAKE_STORAGE_S3_ACCESS_KEY": "a", "SNAKEMAKE_STORAGE_S3_SECRET_KEY": "b"}
# The plugin's interpreter also finds the packages of this one.
ENVIRONMENT = {**KEYS, **PLUGIN, "PYTHONPATH": f"src:.:{sysconfig.get_path('purelib')}", "ASSAY_STORE": "off"}
TARGETS = ("results/madeup/summary.parquet", "reports/figures/madeup/scores.svg")
INPUTS = ("tests/protocol/tasks/**/*.json", "config/**/*.yaml", "Snakefile")

MOVE = """
import sys, boto3
from pathlib import Path
client = boto3.client("s3", endpoint_url=sys.argv[1])
if sys.argv[2] == "up":
    client.create_bucket(Bucket="assay")
    for name in sys.argv[3:]:
        client.upload_file(name, "assay", f"build/{name}")
else:
    for name in sys.argv[3:]:
        client.download_file("assay", f"build/{name}", Path(name).name)
"""

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not PYTHON, reason="ASSAY_STORAGE names no Python with the plugin; docs/storage.md"),
]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address of a server that speaks S3."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [PYTHON, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with (
        (tmp_path / "server.log").open("w") as log,
        subprocess.Popen(command, stdout=log, stderr=log) as process,
    ):
        try:
            for _ in range(600):
                if process.poll() is not None:
                    pytest.skip(f"no server: {(tmp_path / 'server.log').read_text()[-300:]}")
                with socket.socket() as asked:
                    if asked.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()


@pytest.fixture
def remote(server: str, tmp_path: Path) -> Checkout:
    """A copy of the checkout whose inputs lie in the server's bucket, too."""
    checkout = Checkout.fresh(tmp_path / "remote", SMALL)
    names = {str(f.relative_to(checkout.root)) for each in INPUTS for f in checkout.root.glob(each)}
    sent = checkout.do(PYTHON, "-c", MOVE, server, "up", *sorted(names), **ENVIRONMENT)
    assert sent.code == 0, sent.output
    return checkout


def snakemake(checkout: Checkout, server: str, *arguments: str, targets: tuple[str, ...]) -> str:
    """Run Snakemake with all inputs and outputs on the server; returns what it prints."""
    storage = ("--default-storage-provider", "s3", "--default-storage-prefix", "s3://assay/build")
    where = (*storage, "--storage-s3-endpoint-url", server, *arguments)
    command = (PYTHON, "-m", "snakemake", "--configfile", SMALL, *where, "--", *targets)
    run = checkout.do(*command, **ENVIRONMENT)
    assert run.code == 0, run.output
    return run.output


def test_a_build_on_object_storage_has_the_same_bytes(remote: Checkout, server: str, tmp_path: Path) -> None:
    snakemake(remote, server, "--cores", "1", targets=TARGETS)
    assert not [target for target in TARGETS if (remote.root / target).exists()]
    local = Checkout.fresh(tmp_path / "local", SMALL)
    local.build(TARGETS[1], target=TARGETS[0], ASSAY_STORE="off")
    got = remote.do(PYTHON, "-c", MOVE, server, "down", *TARGETS, **ENVIRONMENT)
    assert got.code == 0, got.output
    for target in map(Path, TARGETS):
        assert (remote.root / target.name).read_bytes() == (local.root / target).read_bytes(), target


def test_a_dry_run_on_kubernetes_plans_the_same_jobs(remote: Checkout, server: str) -> None:
    if subprocess.run([PYTHON, "-c", "import snakemake_executor_plugin_kubernetes"]).returncode:
        pytest.skip("snakemake-executor-plugin-kubernetes is not installed; docs/storage.md")
    how = ("--dry-run", "--executor", "kubernetes", "--jobs", "2", "--container-image", "localhost/assay")
    targets = (TARGETS[0],)
    pods = snakemake(remote, server, *how, targets=targets)
    here = snakemake(remote, server, "--dry-run", "--cores", "1", targets=targets)
    assert planned(pods) == planned(here) != []


def planned(output: str) -> list[str]:
    """The numbers of jobs by rule that a dry run prints."""
    return re.findall(r"^(\w+ +\d+)$", output, re.MULTILINE)
