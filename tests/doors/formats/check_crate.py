"""Checks a crate with rocrate-validator: `python check_crate.py FOLDER CACHE PROFILE...`.

It runs in an environment that has the validator, and uses no network. The context of RO-Crate 1.1 is the one
that the package `rocrate` 0.13 brings. The context of the profiles of workflow runs is left empty, which
loses nothing as long as no term of it is used; the terms that a crate uses beyond those of RO-Crate are
printed. Every other address is refused.
"""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import requests
import rocrate  # type: ignore[import-not-found]
import urllib3
from rocrate_validator import models, services  # type: ignore[import-not-found]

ADDRESS = "https://w3id.org/ro/crate/1.1/context"
CONTEXT = json.loads((Path(rocrate.__file__).parent / "data/ro-crate.jsonld").read_text())
SERVED = {ADDRESS: CONTEXT, "https://w3id.org/ro/terms/workflow-run/context": {"@context": {}}}


def send(adapter: requests.adapters.HTTPAdapter, request: requests.PreparedRequest, **_: object) -> object:
    """Answer a request from `SERVED`, in place of the network."""
    if request.url not in SERVED:
        raise requests.ConnectionError(f"no network: {request.url}")
    body = io.BytesIO(json.dumps(SERVED[request.url]).encode())
    kind = {"Content-Type": "application/ld+json"}
    return adapter.build_response(
        request, urllib3.HTTPResponse(body, status=200, headers=kind, preload_content=False)
    )


def main(folder: Path, cache: Path, profiles: list[str]) -> None:
    """Print the verdicts as JSON: the issues of each profile, and the terms that RO-Crate does not define."""
    if CONTEXT["@id"] != ADDRESS:
        raise SystemExit(f"rocrate brings {CONTEXT['@id']}; install rocrate==0.13.0")
    requests.adapters.HTTPAdapter.send = send  # type: ignore[assignment, method-assign]
    issues = {}
    for profile in profiles:
        settings = models.ValidationSettings(
            rocrate_uri=str(folder),
            profile_identifier=profile,
            requirement_severity=models.Severity.REQUIRED,
            cache_path=str(cache),
        )
        result = services.validate(settings)
        issues[profile] = [f"{issue.check.identifier}: {issue.message}" for issue in result.get_issues()]
    graph = json.loads((folder / "ro-crate-metadata.json").read_text())["@graph"]
    types = [
        kind
        for entity in graph
        for kind in ([entity["@type"]] if isinstance(entity["@type"], str) else entity["@type"])
    ]
    used = {*types, *(key for entity in graph for key in entity if not key.startswith("@"))}
    print(json.dumps({"issues": issues, "unknown": sorted(used - CONTEXT["@context"].keys())}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
