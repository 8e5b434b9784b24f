"""A blurred profile is made sharp again, with a Gaussian prior."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.numbers.rng import Stream
from assay.suites.sgi.methods.support import Numbers, Picks


def prepare(p: Numbers, stream: Stream) -> dict[str, Any]:
    """Data of an instance; a sum of twelve uniform draws is noise enough."""

    def noise() -> float:
        return sum(stream.uniform() for _ in range(12)) - 6

    at, width = 3 + 8 * stream.uniform(), 1 + 2 * stream.uniform()
    return {"d": [round(1 + 3 * 2 ** -(((i - at) / width) ** 2) + p["s"] * noise(), 4) for i in range(16)]}


def deconvolution(p: Numbers, pick: Picks) -> list[float]:
    """The posterior mean: its average and its value at pixel 6; five times the standard deviation there."""
    d = np.array(p["d"])
    n = len(d)
    lag = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    if pick["blur"] == "gaussian":
        kernel = np.exp(-(lag**2) / (2 * p["width"] ** 2))
    else:
        kernel = np.exp(-lag / p["width"])
    kernel = kernel / kernel.sum(axis=1, keepdims=True)
    if pick["noise"] == "constant":
        sigma = np.full(n, p["s"])
    else:
        sigma = p["s"] * np.sqrt(np.maximum(d, 0.1))
    root = np.eye(n) / p["l"]
    if pick["prior"] == "walk":
        root = (np.eye(n) - np.eye(n, k=-1)) / p["l"]
    if pick["method"] == "right":
        stacked = np.vstack([kernel / sigma[:, None], root])
        q, r = np.linalg.qr(stacked)
        inverse = np.linalg.inv(r)
        mean = inverse @ (q.T @ np.concatenate([d / sigma, np.zeros(n)]))
        spread = float(np.linalg.norm(inverse[6]))
    elif pick["method"] == "second":
        prior = np.linalg.inv(root.T @ root)
        gain = prior @ kernel.T @ np.linalg.inv(kernel @ prior @ kernel.T + np.diag(sigma**2))
        mean = gain @ d
        spread = float(np.sqrt((prior - gain @ kernel @ prior)[6, 6]))
    elif pick["method"] == "naive":
        mean = np.linalg.lstsq(kernel, d, rcond=None)[0]
        spread = float(sigma[6])
    else:
        mean = np.zeros(n)
        for _ in range(15):
            mean = mean + kernel.T @ (d - kernel @ mean)
        spread = float(sigma[6])
    return [abs(float(mean.mean())), abs(float(mean[6])), 5 * spread]
