"""Protocols of materials science."""

from __future__ import annotations

from assay.suites.sgi.wet.machine import (
    ProtocolFamily,
    act,
    dilution,
    mass,
    sample,
    scaled,
    series,
    stated,
    word,
)

SOL_GEL = ProtocolFamily(
    name="sol-gel synthesis",
    discipline="material",
    story="Porous oxide monoliths are made by a sol-gel route and fired at different temperatures.",
    goal="porosity table",
    prefix=(
        act(
            "Hydrolyse Precursor",
            "",
            "sol",
            "Mix an alkoxide with water.",
            mass("precursor_mass", ("500", "800", "1000"), ("20", "25", "50"), ("152", "208", "228")),
            stated("duration", "min", "30", "60", "90"),
        ),
        act(
            "Gel Sol",
            "sol: sol",
            "wet gel",
            "Let a sol gel.",
            stated("temperature", "degC", "40", "50", "60"),
            word("catalyst", "ammonia", "fluoride"),
        ),
    ),
    side=(
        act(
            "Prepare Exchange Bath",
            "",
            "exchange bath",
            "Solvent for all pieces.",
            scaled("total_volume", "mL", ("20", "30", "45"), ("1", "2")),
            word("solvent", "ethanol", "acetone"),
        ),
    ),
    branch=(
        act(
            "Exchange Piece",
            "gel: wet gel, bath: exchange bath",
            "exchanged gel",
            "Replace the pore liquid of one piece.",
            sample("label"),
            stated("duration", "h", "6", "12", "24"),
        ),
        act(
            "Calcine Piece",
            "gel: exchanged gel",
            "oxide monolith",
            "Fire one piece.",
            series("temperature", "degC", "350", "450", "550", "650", "750", "900"),
        ),
    ),
    join=act(
        "Measure Sorption",
        "pieces: oxide monolith*",
        "sorption isotherms",
        "Nitrogen sorption of all pieces.",
        stated("outgassing", "h", "3", "6", "9"),
        stated("temperature", "K", "77", "87"),
    ),
    suffix=(
        act(
            "Fit Pore Model",
            "isotherms: sorption isotherms",
            "porosity table",
            "Fit surface and pores.",
            word("model", "slit", "cylinder", "ink bottle"),
        ),
    ),
    decoys=(
        act(
            "Crush Gel",
            "gel: wet gel",
            "gel powder",
            "Grind a wet gel.",
            stated("speed", "rpm", "100", "350"),
        ),
        act(
            "Supercritical Dry Piece",
            "gel: exchanged gel",
            "oxide monolith",
            "Dry without a meniscus.",
            stated("pressure", "bar", "80", "100"),
        ),
        act("Age Sol", "sol: sol", "sol", "Let a sol stand.", stated("duration", "h", "5", "15")),
        act(
            "Leach Monolith",
            "piece: oxide monolith",
            "leached monolith",
            "Dissolve the walls.",
            stated("acid", "mM", "100", "700"),
        ),
    ),
)

ELECTRODE = ProtocolFamily(
    name="electrode and cell assembly",
    discipline="material",
    story="A battery electrode is cast from a slurry and tested in coin cells at different rates.",
    goal="rate capability",
    prefix=(
        act(
            "Mix Slurry",
            "",
            "slurry",
            "Disperse active material, carbon and binder.",
            stated("active_mass", "g", "1.6", "2.4", "3.2"),
            stated("speed", "rpm", "800", "1200", "1500"),
        ),
        act(
            "Cast Film",
            "slurry: slurry",
            "cast film",
            "Coat a foil.",
            stated("gap", "um", "150", "200", "300"),
            word("foil", "aluminium", "copper"),
        ),
        act(
            "Dry Film",
            "film: cast film",
            "dry electrode",
            "Dry under vacuum.",
            stated("temperature", "degC", "80", "110", "120"),
            stated("duration", "h", "8", "12", "14"),
        ),
    ),
    side=(
        act(
            "Prepare Electrolyte",
            "",
            "electrolyte",
            "Dissolve a salt.",
            dilution(
                "stock_volume",
                "mL",
                "mM",
                ("2000", "4000", "5000"),
                ("500", "1000", "1200"),
                ("5", "10", "20"),
            ),
            word("solvent", "carbonate blend", "ether blend"),
        ),
    ),
    branch=(
        act(
            "Assemble Cell",
            "electrode: dry electrode, electrolyte: electrolyte",
            "coin cell",
            "Punch a disc and close one cell.",
            sample("label"),
            stated("electrolyte_volume", "uL", "60", "80", "100"),
        ),
        act(
            "Cycle Cell",
            "cell: coin cell",
            "cycling data",
            "Charge and discharge one cell.",
            series("current", "mA", "0.2", "0.5", "1", "2", "5", "8"),
        ),
    ),
    join=act(
        "Compare Capacities",
        "records: cycling data*",
        "rate capability",
        "Put all cells side by side.",
        stated("cut_off", "V", "2.5", "2.8", "3.0"),
    ),
    suffix=(),
    decoys=(
        act(
            "Press Pellet",
            "slurry: slurry",
            "slurry pellet",
            "Press a slurry.",
            stated("pressure", "MPa", "50", "200"),
        ),
        act(
            "Calender Film",
            "film: cast film",
            "dry electrode",
            "Roll a film dense.",
            stated("temperature", "degC", "60", "90"),
        ),
        act(
            "Short Cell",
            "cell: coin cell",
            "dead cell",
            "Connect both poles.",
            stated("duration", "s", "30", "100"),
        ),
        act(
            "Form Cell",
            "cell: coin cell",
            "coin cell",
            "A slow first cycle.",
            stated("current", "mA", "0.1", "0.3"),
        ),
    ),
)

PERFUSION = ProtocolFamily(
    name="perfusion culture on scaffolds",
    discipline="material",
    story="Cells are grown on printed scaffolds under flow, and the matrix they make is measured over time.",
    goal="matrix content",
    prefix=(
        act(
            "Print Scaffold",
            "",
            "printed scaffold",
            "Print a porous polymer.",
            stated("nozzle", "um", "250", "400", "600"),
            word("polymer", "polycaprolactone", "polylactide"),
        ),
        act(
            "Sterilise Scaffold",
            "scaffold: printed scaffold",
            "sterile scaffold",
            "Remove germs.",
            stated("ethanol", "%", "70", "75"),
            stated("duration", "min", "20", "40"),
        ),
        act(
            "Seed Scaffold",
            "scaffold: sterile scaffold, cells: cell suspension",
            "seeded scaffold",
            "Bring cells onto a scaffold.",
            stated("attachment", "h", "3", "5", "8"),
        ),
    ),
    side=(
        act(
            "Expand Cells",
            "",
            "cell suspension",
            "Grow cells and detach them.",
            stated("passage", "", "3", "4", "6"),
        ),
    ),
    branch=(
        act(
            "Perfuse Segment",
            "scaffold: seeded scaffold",
            "perfused segment",
            "Grow one segment under flow.",
            sample("label"),
            series("duration", "h", "24", "48", "96", "168", "240", "336"),
        ),
        act(
            "Lyse Segment",
            "segment: perfused segment",
            "segment lysate",
            "Dissolve one segment.",
            stated("enzyme", "ug", "50", "125", "200"),
        ),
    ),
    join=act(
        "Assay Matrix",
        "lysates: segment lysate*",
        "dye readings",
        "Stain all lysates in one plate.",
        stated("wavelength", "nm", "525", "595", "656"),
        scaled("dye_volume", "uL", ("180", "200", "240"), ("1", "2")),
    ),
    suffix=(
        act(
            "Normalise Readings",
            "readings: dye readings",
            "matrix content",
            "Divide by the number of cells.",
            word("reference", "nuclear count", "total protein"),
        ),
    ),
    decoys=(
        act(
            "Autoclave Scaffold",
            "scaffold: printed scaffold",
            "molten scaffold",
            "Hot steam.",
            stated("temperature", "degC", "121", "134"),
        ),
        act(
            "Irradiate Scaffold",
            "scaffold: printed scaffold",
            "sterile scaffold",
            "Ultraviolet light.",
            stated("duration", "h", "1", "4"),
        ),
        act(
            "Culture Statically",
            "scaffold: seeded scaffold",
            "perfused segment",
            "No flow at all.",
            stated("duration", "h", "20", "60"),
        ),
        act(
            "Freeze Cells",
            "cells: cell suspension",
            "frozen cells",
            "Store cells.",
            stated("temperature", "degC", "-80", "-196"),
        ),
    ),
)

THIN_FILM = ProtocolFamily(
    name="thin-film deposition",
    discipline="material",
    story="Oxide films are sputtered onto wafers, annealed, and compared by their sheet resistance.",
    goal="resistance map",
    prefix=(
        act(
            "Clean Wafer",
            "",
            "clean wafer",
            "Remove organics.",
            word("bath", "piranha", "acetone", "plasma"),
            stated("duration", "min", "5", "10", "15"),
        ),
        act(
            "Pump Chamber",
            "wafer: clean wafer",
            "loaded chamber",
            "Evacuate with the wafer inside.",
            stated("base_pressure", "mPa", "0.1", "0.5", "2"),
            stated("bake", "degC", "120", "180"),
        ),
    ),
    side=(
        act(
            "Condition Target",
            "",
            "conditioned target",
            "Sputter off the oxide of a target.",
            stated("power", "W", "80", "150", "200"),
            stated("duration", "min", "8", "16"),
        ),
    ),
    branch=(
        act(
            "Sputter Film",
            "chamber: loaded chamber, target: conditioned target",
            "sputtered film",
            "Deposit one film.",
            sample("label"),
            series("thickness", "nm", "20", "40", "60", "100", "150", "250"),
        ),
        act(
            "Anneal Film",
            "film: sputtered film",
            "annealed film",
            "Heat one film.",
            stated("temperature", "degC", "250", "350", "500"),
            word("atmosphere", "argon", "oxygen", "forming gas"),
        ),
    ),
    join=act(
        "Probe Resistance",
        "films: annealed film*",
        "raw resistances",
        "Four-point probe on all films.",
        stated("current", "mA", "0.1", "1", "5"),
    ),
    suffix=(
        act(
            "Correct Geometry",
            "values: raw resistances",
            "resistance map",
            "Apply the geometric factor.",
            stated("spacing", "mm", "1.0", "1.6", "2.5"),
        ),
    ),
    decoys=(
        act(
            "Etch Film",
            "film: sputtered film",
            "bare wafer",
            "Dissolve a film.",
            stated("acid", "mM", "50", "300"),
        ),
        act(
            "Evaporate Film",
            "chamber: loaded chamber",
            "sputtered film",
            "Thermal evaporation.",
            stated("current", "A", "40", "90"),
        ),
        act(
            "Scribe Wafer",
            "wafer: clean wafer",
            "wafer pieces",
            "Break a wafer.",
            stated("load", "g", "10", "35"),
        ),
        act(
            "Anneal Twice",
            "film: annealed film",
            "annealed film",
            "Heat once more.",
            stated("temperature", "degC", "200", "600"),
        ),
    ),
)

FAMILIES = (SOL_GEL, ELECTRODE, PERFUSION, THIN_FILM)
