"""The laboratory of this task: `lab.py brief`, or `lab.py call TOOL '{"argument": 1}'`."""

import json
import os
import sys
import urllib.request
from pathlib import Path
from typing import Any

LAB = os.environ.get("ASSAY_LAB", "http://world:8000")


def ask(path: str, value: object = None) -> Any:
    """Return the reply to a request."""
    data = None if value is None else json.dumps(value).encode()
    request = urllib.request.Request(LAB + path, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


if __name__ == "__main__":
    words = sys.argv[1:]
    if words[:1] == ["brief"]:
        reply = ask("/brief")
    elif words[:1] == ["call"] and len(words) in (2, 3):
        reply = ask("/call", {"tool": words[1], "arguments": json.loads(words[2]) if len(words) == 3 else {}})
    elif words[:1] == ["replay"] and len(words) == 2:
        reply = [ask("/call", call) for call in json.loads(Path(words[1]).read_text("utf-8"))]
    elif words[:1] == ["score"] and len(words) == 2:
        reply = ask("/score", {"token": Path(words[1]).read_text("utf-8").strip()})["score"]
    else:
        sys.exit(__doc__)
    print(json.dumps(reply, indent=1, ensure_ascii=False))
