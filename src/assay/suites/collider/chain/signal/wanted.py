"""Which sample and region each task wants. Imports no numpy: the plan of the workflow asks here, too."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from assay.errors import UnknownName

CHAIN_PREFIX = "pythia-"
"""With this begin the names of the generators of the physics chain, one a paper."""


@dataclass(frozen=True)
class Wanted:
    """What a task wants: a region of a search, at a point, generated with a filter."""

    paper: str
    region: str
    point: str
    filter_name: str

    @property
    def card(self) -> dict[str, str]:
        """The card of its sample, as tools and ledger have it."""
        return {"generator": name_of(self.paper), "point": self.point, "filter": self.filter_name}


def name_of(paper: str) -> str:
    """The name of the generator of a paper's variables, e.g. pythia-sus-16-046."""
    return CHAIN_PREFIX + paper.removeprefix("CMS-").lower()


WANTED: Mapping[str, Wanted] = {
    "sus-16-034 TChiWZ": Wanted("CMS-SUS-16-034", "VZ", "TChiWZ_550_200", "dilepton"),
    "sus-16-046 T5Wg": Wanted("CMS-SUS-16-046", "signal", "T5Wg_1750_1700", "hard-photon"),
    "sus-16-046 TChiWg": Wanted("CMS-SUS-16-046", "signal", "TChiWg_700", "hard-photon"),
    "sus-16-047 T5Wg_highHT": Wanted("CMS-SUS-16-047", "high", "T5Wg_1600_100", "photon-ptmiss"),
    "sus-16-047 T5Wg_lowHT": Wanted("CMS-SUS-16-047", "low", "T5Wg_1600_100", "photon-ptmiss"),
    "sus-16-047 T6gg_highHT": Wanted("CMS-SUS-16-047", "high", "T6gg_1750_1650", "photon-ptmiss"),
    "sus-16-047 T6gg_lowHT": Wanted("CMS-SUS-16-047", "low", "T6gg_1750_1650", "photon-ptmiss"),
    "sus-16-051 T2bW_SRG": Wanted("CMS-SUS-16-051", "G", "T2bW_900_475_50", "lepton-ptmiss"),
    "sus-16-051 T2tt_SRG": Wanted("CMS-SUS-16-051", "G", "T2tt_1000_50", "lepton-ptmiss"),
    "sus-16-051 T2tt_comp": Wanted("CMS-SUS-16-051", "compressed", "T2tt_800_400", "lepton"),
    "atlas-susy-2016-07 T1_SR4j": Wanted("ATLAS-SUSY-2016-07", "4j-2200", "T1_1800_800", "none"),
    "atlas-susy-2016-07 T2qq_SR2j": Wanted("ATLAS-SUSY-2016-07", "2j-2800", "T2qq_1500_0", "none"),
    "atlas-susy-2016-07 T5WW_SR2jB": Wanted("ATLAS-SUSY-2016-07", "2jB-2400", "T5WW_1600_1590_60", "none"),
    "atlas-susy-2016-07 T5WW_SR6j": Wanted("ATLAS-SUSY-2016-07", "6j-2600", "T5WW_1705_865_25", "none"),
    **{
        f"atlas-susy-2018-22 {name.replace('-', '')}_{short}": Wanted(
            "ATLAS-SUSY-2018-22", f"{name}, {told}", point, "none"
        )
        for name, point in (("MB-SSd", "Sq_1800_600"), ("MB-GGd", "Gl_2400_400"), ("MB-C", "Sq_850_825"))
        for short, told in (("meff", "m_eff"), ("metSig", "significance"))
    },
}
"""By analysis and point: ten tasks of CMS, in whichever form (all bins, shape, total) they are asked, and ten
of ATLAS.
"""

_TASK = re.compile(r"^(?P<analysis>.+)_(sim|shape|yield)-(?P<signal>.+?)(_26bins)?$")


def wanted_by(task_id: str, lowest: float) -> Wanted:
    """What the task of a published id wants, whose histogram begins at `lowest` (GeV); `UnknownName` where
    the chain has no selection for it.
    """
    match = _TASK.match(task_id)
    name = f"{match['analysis']} {match['signal']}" if match else ""
    if name not in WANTED:
        raise UnknownName(
            f"the chain has no selection for {task_id!r}",
            "name one of cms-v0 or atlas-jets-v0; the table `coverage` says what the others still need",
        )
    found = WANTED[name]
    if found.filter_name == "photon-ptmiss" and lowest < 350.0:
        return Wanted(found.paper, found.region, found.point, "photon")
    return found
