"""The published tasks: what each asks for, and the reference that is hidden from agents.

The facts are in the YAML files of the folder `data`, which are read once and checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, NamedTuple

from assay.suites.collider.formats import documents
from assay.suites.collider.formats.histogram import Binning
from assay.suites.collider.formats.printed import printed_resolution
from assay.suites.collider.problems.reference import Mode, Reference

DATA_FILES = ("../data/atlas.yaml", "../data/cms.yaml", "../data/cross_sections.yaml", "../data/papers.yaml")

CMS_LUMINOSITY_FB = 35.9
WALLTIME = "2h30m"

Order = Literal["nlo_nll", "nnlo_approx_nnll"]
NLO_NLL: Order = "nlo_nll"
NNLO_NNLL: Order = "nnlo_approx_nnll"


class Value(NamedTuple):
    """A cross section in fb with its relative error, which is None if it is not known."""

    value: float
    relative_error: float | None


@dataclass(frozen=True)
class CrossSection:
    """A stored cross section in fb at 13 TeV, at two orders.

    Errors are relative; None if they are not known. `states` describes the states that it includes.
    """

    process: str
    states: str
    mass: float
    nlo_nll: float
    nnlo_approx_nnll: float
    relative_error: float | None
    nnlo_relative_error: float | None = None

    def to(self, order: Order) -> Value:
        """Return the cross section at one order."""
        if order == NLO_NLL:
            return Value(self.nlo_nll, self.relative_error)
        return Value(self.nnlo_approx_nnll, self.nnlo_relative_error)


@dataclass(frozen=True)
class Entry:
    """One published task.

    Attributes:
        process: the name of its stored cross section; None if none is stored.
        mass: the mass (GeV) of its stored cross section; None if none is stored.
        order: the order of the cross section that the paper uses.
        suspect: why the reference is in doubt; empty if it is not.
        needs: keywords for what a reference solver would still need.
        full: the binning and the yields of an earlier revision of the reference.
        inclusive: a total yield that is published separately.
    """

    id: str
    paper: str
    point: str
    signal: str
    region: str
    text: str
    binning: Binning
    overflow: str | None
    luminosity_fb: float
    difficulty: str
    walltime: str
    yields: tuple[float, ...]
    process: str | None
    mass: float | None
    errors: tuple[float, ...] | None = None
    order: Order = NLO_NLL
    suspect: str = ""
    note: str = ""
    needs: tuple[str, ...] = ()
    full: tuple[Binning, tuple[float, ...]] | None = None
    inclusive: float | None = None

    def reference(self, mode: Mode = "shape_norm", full: bool = False) -> Reference:
        """Return the reference; `full` selects the binning and yields of the earlier revision."""
        binning, yields, errors = self.binning, self.yields, self.errors
        if full:
            assert self.full is not None
            binning, yields = self.full
            errors = None
        if mode == "yield":
            total = self.inclusive if self.inclusive is not None else round(sum(yields), 6)
            ends = (binning.edges[0], binning.edges[-1])
            binning = Binning(binning.series, binning.observable, binning.units, ends)
            # Correlations of published errors are not known: the total has the error of its printed digits.
            yields, errors = (total,), None
        return Reference(
            binning,
            yields,
            errors or printed_resolution(yields),
            published=errors is not None,
            cross_section_error=self.rate_error,
            mode=mode,
        )

    @property
    def rate_error(self) -> float | None:
        """The relative error of the cross section to which the reference is normalised.

        It is None if no cross section is stored, or its error is not known.
        """
        kept = None if self.process is None or self.mass is None else cross_section(self.process, self.mass)
        return kept.to(self.order).relative_error if kept else None


@cache
def cms() -> tuple[Entry, ...]:
    """Return the ten tasks of the paper, in the order of its table."""
    return tuple(map(_cms, documents.packaged("cms.yaml")))


@cache
def atlas() -> tuple[Entry, ...]:
    """Return the 34 tasks that were added later."""
    return tuple(map(_atlas, documents.packaged("atlas.yaml")))


def rate_error(point: str) -> float | None:
    """Return the relative error of the rate of a published point; None if it is not known."""
    return next((entry.rate_error for entry in (*cms(), *atlas()) if entry.point == point), None)


def explained(needs: tuple[str, ...]) -> list[str]:
    """Return the explanations of the keywords of `Entry.needs`."""
    words = documents.packaged("papers.yaml")["needs"]
    return [words[need] for need in needs]


def beyond_the_chain(needs: tuple[str, ...]) -> list[str]:
    """Return the keywords of `Entry.needs` that the physics chain does not provide."""
    return [need for need in needs if need not in documents.packaged("papers.yaml")["chain"]]


def paper_title(paper: str) -> str:
    """Return the subject of a paper."""
    title: str = documents.packaged("papers.yaml")["papers"][paper]
    return title


@cache
def cross_sections() -> tuple[CrossSection, ...]:
    """Return all stored cross sections, by process and mass."""
    return tuple(
        CrossSection(process, table["states"], **{**point, "mass": float(point["mass"])})
        for process, table in sorted(documents.packaged("cross_sections.yaml").items())
        for point in table["points"]
    )


def cross_section(process: str, mass: float) -> CrossSection | None:
    """Return the stored cross section of a process at a mass (GeV); None if there is none."""
    return next((c for c in cross_sections() if (c.process, c.mass) == (process, mass)), None)


_ALIKE = ("id", "point", "overflow", "difficulty")
"""Fields that the files of both experiments have under the name of the attribute."""


def _cms(row: Mapping[str, Any]) -> Entry:
    binning = _binning(row, tuple(float(edge) for edge in row["edges"]), row["series"])
    full = None
    if "full" in row:
        edges = tuple(float(edge) for edge in row["full"]["edges"])
        full = (_binning(row, edges, row["series"]), _yields(row["full"], edges))
    return Entry(
        **{name: row[name] for name in (*_ALIKE, "paper", "signal", "region", "process")},
        text=row["observable"]["text"],
        binning=binning,
        luminosity_fb=CMS_LUMINOSITY_FB,
        walltime=WALLTIME,
        yields=_yields(row, binning.edges),
        errors=tuple(float(e) for e in row["errors"]) if "errors" in row else None,
        mass=float(row["mass"]),
        suspect=row.get("suspect", ""),
        full=full,
        inclusive=row.get("inclusive"),
    )


def _atlas(row: Mapping[str, Any]) -> Entry:
    papers = documents.packaged("papers.yaml")
    low, high, step = (float(row["edges"][end]) for end in ("low", "high", "step"))
    bins = round((high - low) / step)
    edges = tuple(round(low + k * step, 6) for k in range(bins + 1))
    model, *masses = row["point"].split("_")
    paper = row["id"].partition("_")[0].upper()
    binning = _binning(row, edges, row["point"])
    return Entry(
        **{name: row[name] for name in (*_ALIKE, "walltime")},
        paper=paper,
        signal=f"{papers['signals'][model]}; masses {', '.join(masses)} GeV, in the order of the decay chain",
        region=row["observable"]["text"],
        text=row["observable"]["text"].partition(" in ")[0],
        binning=binning,
        luminosity_fb=float(row["luminosity_fb"]),
        yields=_yields(row, edges),
        process=papers["processes"].get(model),
        mass=float(masses[0]),
        order=papers["orders"].get(paper, NLO_NLL),
        note=papers["notes"].get(row["observable"]["name"], ""),
        needs=tuple(row["needs"]),
    )


def _binning(row: Mapping[str, Any], edges: tuple[float, ...], series: str) -> Binning:
    return Binning(series, row["observable"]["name"], row["observable"]["units"], edges)


def _yields(row: Mapping[str, Any], edges: tuple[float, ...]) -> tuple[float, ...]:
    """Return the yields of a row, one per bin. Raises `ValueError` if there are more or fewer than bins."""
    yields = tuple(float(value) for value in row["yields"])
    if len(yields) != len(edges) - 1:
        raise ValueError(f"{row.get('id', 'full')}: {len(yields)} yields in {len(edges) - 1} bins")
    return yields
