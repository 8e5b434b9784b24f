"""Protocols of chemistry."""

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

COLUMN = ProtocolFamily(
    name="column purification",
    discipline="chemistry",
    story="A product is separated from its by-products on a silica column, fraction by fraction.",
    goal="pure product",
    prefix=(
        act(
            "Quench Reaction",
            "",
            "crude mixture",
            "Stop a reaction.",
            dilution(
                "acid_volume", "mL", "mM", ("1000", "2000", "5000"), ("50", "100", "200"), ("40", "60", "100")
            ),
            stated("temperature", "degC", "0", "10"),
        ),
        act(
            "Extract Organics",
            "mixture: crude mixture",
            "organic extract",
            "Shake with a solvent and separate.",
            word("solvent", "ethyl acetate", "dichloromethane", "ether"),
            stated("volume", "mL", "30", "45", "75"),
        ),
    ),
    side=(
        act(
            "Pack Column",
            "",
            "packed column",
            "Fill a column with silica.",
            stated("silica", "g", "25", "40", "80"),
            stated("height", "cm", "15", "20", "30"),
        ),
    ),
    branch=(
        act(
            "Elute Fraction",
            "column: packed column, extract: organic extract",
            "eluted fraction",
            "Collect one fraction.",
            sample("label"),
            series("polar_share", "%", "5", "10", "20", "35", "50", "80"),
        ),
        act(
            "Check Fraction",
            "fraction: eluted fraction",
            "checked fraction",
            "Thin-layer chromatography of a fraction.",
            word("stain", "iodine", "permanganate", "vanillin"),
        ),
    ),
    join=act(
        "Pool Fractions",
        "fractions: checked fraction*",
        "pooled fractions",
        "Combine clean fractions.",
        stated("volume_limit", "mL", "150", "250", "400"),
    ),
    suffix=(
        act(
            "Evaporate Solvent",
            "solution: pooled fractions",
            "residue",
            "Remove the solvent.",
            stated("pressure", "mbar", "80", "150", "240"),
            stated("bath", "degC", "35", "45"),
        ),
        act(
            "Recrystallise",
            "solid: residue",
            "pure product",
            "Dissolve hot and cool.",
            word("solvent", "ethanol", "hexane", "toluene"),
            stated("cooling", "h", "2", "6", "10"),
        ),
    ),
    decoys=(
        act(
            "Distil Extract",
            "extract: organic extract",
            "distillate",
            "Boil off volatile parts.",
            stated("bath", "degC", "90", "130"),
        ),
        act(
            "Filter Through Carbon",
            "extract: organic extract",
            "organic extract",
            "Decolourise.",
            stated("carbon", "g", "1", "3"),
        ),
        act(
            "Dump Fraction",
            "fraction: eluted fraction",
            "waste",
            "Discard.",
            word("container", "halogenated", "aqueous"),
        ),
        act(
            "Sublime Residue",
            "solid: residue",
            "pure product",
            "Sublime under vacuum.",
            stated("pressure", "Pa", "5", "20"),
        ),
    ),
)

ICP = ProtocolFamily(
    name="plasma spectrometry",
    discipline="chemistry",
    story="Trace metals in ores are quantified by plasma spectrometry after an acid digestion.",
    goal="metal contents",
    prefix=(
        act(
            "Grind Ore",
            "",
            "ore powder",
            "Mill rock.",
            stated("speed", "rpm", "250", "400", "550"),
            stated("duration", "min", "5", "10", "20"),
        ),
        act(
            "Dry Powder",
            "powder: ore powder",
            "dry powder",
            "Remove moisture.",
            stated("temperature", "degC", "95", "105", "120"),
            stated("duration", "h", "2", "4", "10"),
        ),
    ),
    side=(
        act(
            "Prepare Standard",
            "",
            "standard solution",
            "Dilute a certified standard.",
            dilution(
                "stock_volume", "mL", "mg/L", ("500", "1000", "2000"), ("1", "5", "10"), ("50", "100", "250")
            ),
            word("matrix", "nitric acid", "hydrochloric acid"),
        ),
    ),
    branch=(
        act(
            "Digest Portion",
            "powder: dry powder",
            "digest",
            "Dissolve one portion in hot acid.",
            sample("label"),
            series("portion", "mg", "100", "150", "200", "250", "300", "500"),
        ),
        act(
            "Dilute Digest",
            "digest: digest",
            "measuring solution",
            "Fill up to volume.",
            stated("final_volume", "mL", "25", "50", "100"),
        ),
    ),
    join=act(
        "Measure Emission",
        "solutions: measuring solution*, standard: standard solution",
        "emission table",
        "Measure standard and solutions in one run.",
        stated("power", "W", "1150", "1300", "1500"),
        stated("replicates", "", "3", "5"),
    ),
    suffix=(
        act(
            "Correct Drift",
            "readings: emission table",
            "corrected table",
            "Use the standard to correct drift.",
            word("model", "linear", "stepwise"),
        ),
        act(
            "Compute Contents",
            "table: corrected table",
            "metal contents",
            "Convert to mass fractions.",
            stated("blank", "", "0.01", "0.02", "0.05"),
        ),
    ),
    decoys=(
        act(
            "Fuse With Borate",
            "powder: dry powder",
            "digest",
            "Melt with borate.",
            stated("temperature", "degC", "1000", "1050"),
        ),
        act(
            "Sieve Powder",
            "powder: ore powder",
            "ore powder",
            "Keep the fine part.",
            stated("mesh", "um", "63", "125"),
        ),
        act(
            "Evaporate Digest",
            "digest: digest",
            "dry salts",
            "Boil to dryness.",
            stated("bath", "degC", "110", "150"),
        ),
        act(
            "Extract With Resin",
            "solution: standard solution",
            "loaded resin",
            "Bind metals.",
            stated("resin", "g", "2", "6"),
        ),
    ),
)

HPLC = ProtocolFamily(
    name="liquid chromatography calibration",
    discipline="chemistry",
    story="A liquid chromatography method is calibrated with a row of standards before it is used.",
    goal="calibration report",
    prefix=(
        act(
            "Weigh Reference",
            "",
            "weighed reference",
            "Weigh a reference substance.",
            mass("mass", ("2", "5", "10"), ("25", "50", "100"), ("180", "250", "400")),
        ),
        act(
            "Dissolve Reference",
            "solid: weighed reference",
            "stock solution",
            "Dissolve in a flask.",
            stated("flask", "mL", "25", "50", "100"),
            word("solvent", "acetonitrile", "methanol"),
        ),
    ),
    side=(
        act(
            "Prepare Eluent",
            "",
            "degassed eluent",
            "Mix and degas the mobile phase.",
            scaled("total_volume", "mL", ("40", "60", "75"), ("2", "3")),
            stated("acid", "%", "0.1", "0.2"),
        ),
        act(
            "Equilibrate Column",
            "eluent: degassed eluent",
            "ready column",
            "Flush a column.",
            stated("flow", "mL/min", "0.8", "1.0", "1.2"),
            stated("duration", "min", "20", "30", "40"),
        ),
    ),
    branch=(
        act(
            "Dilute Standard",
            "stock: stock solution",
            "standard vial",
            "Make one standard.",
            sample("label"),
            series("factor", "", "2", "5", "10", "20", "50", "100"),
        ),
        act(
            "Inject Standard",
            "vial: standard vial, column: ready column",
            "chromatogram",
            "Run one standard.",
            stated("injection", "uL", "5", "10", "20"),
        ),
    ),
    join=act(
        "Integrate Peaks",
        "runs: chromatogram*",
        "peak areas",
        "Integrate all runs alike.",
        stated("wavelength", "nm", "210", "254", "280"),
    ),
    suffix=(
        act(
            "Fit Calibration",
            "areas: peak areas",
            "calibration report",
            "Fit areas against concentrations.",
            word("weighting", "none", "inverse", "inverse square"),
        ),
    ),
    decoys=(
        act(
            "Acidify Stock",
            "stock: stock solution",
            "stock solution",
            "Add acid to a stock.",
            stated("acid_volume", "uL", "15", "35"),
        ),
        act(
            "Inject Blank",
            "column: ready column",
            "blank run",
            "Run solvent alone.",
            stated("injection", "uL", "8", "12"),
        ),
        act(
            "Sonicate Reference",
            "solid: weighed reference",
            "stock solution",
            "Dissolve by ultrasound.",
            stated("duration", "min", "7", "14"),
        ),
        act(
            "Reverse Column",
            "column: ready column",
            "reversed column",
            "Turn a column round.",
            stated("flow", "mL/min", "0.3", "0.5"),
        ),
    ),
)

TITRATION = ProtocolFamily(
    name="titration",
    discipline="chemistry",
    story="The acid content of several wines is found by titration with a standardised base.",
    goal="acid contents",
    prefix=(
        act(
            "Dissolve Base",
            "",
            "raw titrant",
            "Dissolve a base.",
            mass("base_mass", ("50", "100", "250"), ("500", "800", "1000"), ("40", "56", "74")),
            word("water", "boiled", "deionised"),
        ),
        act(
            "Standardise Titrant",
            "titrant: raw titrant",
            "standard titrant",
            "Find the exact strength.",
            stated("primary_standard", "mg", "204", "306", "510"),
            word("indicator", "phenolphthalein", "thymol blue"),
        ),
    ),
    side=(
        act(
            "Calibrate Electrode",
            "",
            "calibrated electrode",
            "Two-point calibration.",
            stated("low_buffer", "pH", "4.01", "4.65"),
            stated("high_buffer", "pH", "7.00", "9.18"),
        ),
    ),
    branch=(
        act(
            "Degas Aliquot",
            "",
            "degassed aliquot",
            "Drive out carbon dioxide from one wine.",
            sample("label"),
            series("volume", "mL", "5", "10", "15", "20", "25", "40"),
        ),
        act(
            "Titrate Aliquot",
            "aliquot: degassed aliquot, titrant: standard titrant, electrode: calibrated electrode",
            "titration curve",
            "Titrate to the end point.",
            stated("increment", "mL", "0.05", "0.1", "0.2"),
            stated("stirring", "rpm", "150", "300"),
        ),
    ),
    join=act(
        "Locate End Points",
        "curves: titration curve*",
        "end point volumes",
        "Find the steepest points.",
        word("method", "second derivative", "fixed pH"),
    ),
    suffix=(
        act(
            "Compute Acidity",
            "volumes: end point volumes",
            "acid contents",
            "Convert to g/L of tartaric acid.",
            stated("equivalents", "", "1", "2"),
        ),
    ),
    decoys=(
        act(
            "Back Titrate Aliquot",
            "aliquot: degassed aliquot",
            "titration curve",
            "Add excess base and titrate back.",
            stated("excess", "mL", "3", "8"),
        ),
        act(
            "Ash Aliquot",
            "aliquot: degassed aliquot",
            "wine ash",
            "Burn.",
            stated("temperature", "degC", "500", "600"),
        ),
        act(
            "Store Titrant",
            "titrant: standard titrant",
            "aged titrant",
            "Keep for later.",
            stated("duration", "h", "24", "72"),
        ),
        act(
            "Ignore Drift",
            "electrode: calibrated electrode",
            "drifting electrode",
            "Use an electrode for long.",
            stated("duration", "h", "3", "9"),
        ),
    ),
)

FAMILIES = (COLUMN, ICP, HPLC, TITRATION)
