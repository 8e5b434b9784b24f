"""Protocols of the life sciences."""

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

QPCR = ProtocolFamily(
    name="quantitative PCR",
    discipline="life",
    story="Transcript levels of one gene are compared between aliquots of a culture by quantitative PCR.",
    goal="threshold cycle table",
    prefix=(
        act(
            "Harvest Culture",
            "",
            "cell pellet",
            "Spin down a culture.",
            stated("force", "xg", "300", "500", "800"),
            stated("duration", "min", "4", "6", "9"),
        ),
        act(
            "Extract Total RNA",
            "pellet: cell pellet",
            "total RNA",
            "Lyse the pellet and bind RNA to a column.",
            stated("lysis_volume", "uL", "350", "600", "700"),
            word("elution", "nuclease free water", "low salt buffer"),
        ),
    ),
    side=(
        act(
            "Assemble Master Mix",
            "",
            "master mix",
            "Combine polymerase, dye and primers for all wells.",
            scaled("total_volume", "uL", ("15", "16", "18"), ("1", "2")),
            stated("primer", "nM", "200", "250", "400"),
        ),
    ),
    branch=(
        act(
            "Reverse Transcribe",
            "template: total RNA",
            "cDNA",
            "Copy RNA into cDNA.",
            sample("label"),
            series("input", "ng", "50", "100", "200", "400", "800", "1000"),
        ),
        act(
            "Load Reaction",
            "cdna: cDNA, mix: master mix",
            "loaded well",
            "Bring cDNA and mix into a well.",
            stated("cdna_volume", "uL", "2", "4", "5"),
        ),
    ),
    join=act(
        "Run Thermocycler",
        "wells: loaded well*",
        "amplification curves",
        "Cycle all wells together.",
        stated("annealing", "degC", "58", "60", "62"),
        stated("repeats", "cycles", "35", "40", "45"),
    ),
    suffix=(
        act(
            "Call Threshold Cycles",
            "curves: amplification curves",
            "threshold cycle table",
            "Read where each curve crosses a threshold.",
            stated("threshold", "", "0.1", "0.2", "0.25"),
        ),
    ),
    decoys=(
        act(
            "Shear Genomic DNA",
            "dna: genomic DNA",
            "DNA fragments",
            "Break DNA by ultrasound.",
            stated("power", "W", "75", "140"),
        ),
        act(
            "Digest With RNase",
            "rna: total RNA",
            "digested RNA",
            "Degrade RNA.",
            stated("duration", "min", "15", "30"),
        ),
        act(
            "Reamplify cDNA",
            "cdna: cDNA",
            "cDNA",
            "Amplify cDNA before use.",
            stated("repeats", "cycles", "5", "8"),
        ),
        act(
            "Boil Pellet",
            "pellet: cell pellet",
            "total RNA",
            "Release nucleic acids by heat.",
            stated("duration", "min", "5", "12"),
        ),
    ),
)

BLOT = ProtocolFamily(
    name="protein blot",
    discipline="life",
    story="One protein is compared between lysates that were treated differently, on a membrane.",
    goal="band intensities",
    prefix=(
        act(
            "Lyse Tissue",
            "",
            "crude lysate",
            "Homogenise tissue in buffer.",
            stated("buffer_volume", "mL", "1.2", "2", "3.5"),
            word("detergent", "triton", "saponin", "deoxycholate"),
        ),
        act(
            "Clear Lysate",
            "lysate: crude lysate",
            "cleared lysate",
            "Remove debris by a spin.",
            stated("force", "xg", "10000", "12000", "14000"),
            stated("duration", "min", "10", "15", "20"),
        ),
    ),
    side=(
        act(
            "Dilute Antibody",
            "",
            "antibody solution",
            "Bring an antibody to its working strength.",
            dilution(
                "stock_volume",
                "uL",
                "ug/mL",
                ("500", "800", "1000"),
                ("0.5", "1", "2"),
                ("5000", "8000", "12000"),
            ),
            word("diluent", "milk buffer", "albumin buffer"),
        ),
    ),
    branch=(
        act(
            "Denature Aliquot",
            "lysate: cleared lysate",
            "denatured protein",
            "Heat an aliquot in sample buffer.",
            sample("label"),
            series("protein", "ug", "5", "10", "15", "20", "30", "40"),
        ),
        act(
            "Load Lane",
            "protein: denatured protein",
            "loaded lane",
            "Fill one lane of a gel.",
            stated("volume", "uL", "12", "18", "20"),
        ),
    ),
    join=act(
        "Run And Transfer Gel",
        "lanes: loaded lane*",
        "membrane",
        "Separate all lanes and blot them.",
        stated("voltage", "V", "100", "120", "150"),
        stated("transfer_time", "min", "45", "60", "90"),
    ),
    suffix=(
        act(
            "Probe Membrane",
            "membrane: membrane, antibody: antibody solution",
            "probed membrane",
            "Let the antibody bind.",
            stated("incubation", "h", "1", "2", "12"),
        ),
        act(
            "Image Bands",
            "membrane: probed membrane",
            "band intensities",
            "Record the bands.",
            stated("exposure", "s", "20", "45", "90"),
        ),
    ),
    decoys=(
        act(
            "Strip Membrane",
            "membrane: probed membrane",
            "membrane",
            "Remove bound antibody.",
            stated("duration", "min", "10", "25"),
        ),
        act("Ash Tissue", "", "tissue ash", "Burn tissue.", stated("temperature", "degC", "450", "550")),
        act(
            "Precipitate Lysate",
            "lysate: crude lysate",
            "cleared lysate",
            "Precipitate and redissolve protein.",
            word("agent", "acetone", "acid"),
        ),
        act(
            "Freeze Gel",
            "lanes: loaded lane*",
            "frozen gel",
            "Store a gel.",
            stated("temperature", "degC", "-20", "-80"),
        ),
    ),
)

ELISA = ProtocolFamily(
    name="immunosorbent assay",
    discipline="life",
    story="An antigen is quantified in sera with an enzyme-linked immunosorbent assay.",
    goal="antigen concentrations",
    prefix=(
        act(
            "Coat Plate",
            "",
            "coated plate",
            "Adsorb a capture antibody.",
            dilution(
                "antibody_volume",
                "uL",
                "ug/mL",
                ("400", "500", "1000"),
                ("1", "2", "4"),
                ("6000", "10000", "12000"),
            ),
            stated("duration", "h", "2", "8", "16"),
        ),
        act(
            "Block Plate",
            "plate: coated plate",
            "blocked plate",
            "Saturate free sites.",
            word("blocker", "casein", "albumin", "gelatine"),
            stated("duration", "min", "45", "60", "90"),
        ),
    ),
    side=(
        act(
            "Prepare Conjugate",
            "",
            "conjugate",
            "Dilute the enzyme conjugate for all wells.",
            scaled("total_volume", "uL", ("90", "100", "110"), ("1", "2")),
            stated("temperature", "degC", "4", "20"),
        ),
    ),
    branch=(
        act(
            "Dilute Serum",
            "",
            "diluted serum",
            "Dilute one serum.",
            sample("label"),
            series("factor", "", "20", "50", "100", "200", "400", "800"),
        ),
        act(
            "Incubate Well",
            "plate: blocked plate, serum: diluted serum",
            "antigen well",
            "Let antigen bind in one well.",
            stated("duration", "min", "30", "60", "75"),
        ),
        act(
            "Bind Conjugate",
            "well: antigen well, conjugate: conjugate",
            "developed well",
            "Bind conjugate and wash.",
            stated("washes", "", "3", "5", "6"),
        ),
    ),
    join=act(
        "Read Absorbance",
        "wells: developed well*",
        "absorbance table",
        "Read all wells after the substrate.",
        stated("wavelength", "nm", "405", "450", "490"),
    ),
    suffix=(
        act(
            "Interpolate Curve",
            "readings: absorbance table",
            "antigen concentrations",
            "Read concentrations off a standard curve.",
            word("model", "four parameter logistic", "linear"),
        ),
    ),
    decoys=(
        act(
            "Heat Serum",
            "serum: diluted serum",
            "diluted serum",
            "Inactivate complement.",
            stated("temperature", "degC", "56", "65"),
        ),
        act(
            "Bleach Plate",
            "plate: coated plate",
            "blank plate",
            "Remove everything.",
            stated("duration", "min", "10", "20"),
        ),
        act(
            "Blot Serum On Paper",
            "serum: diluted serum",
            "paper spot",
            "Spot serum on paper.",
            stated("volume", "uL", "3", "7"),
        ),
        act(
            "Seal And Store Plate",
            "plate: coated plate",
            "blocked plate",
            "Dry the plate and keep it.",
            stated("duration", "h", "20", "40"),
        ),
    ),
)

STAINING = ProtocolFamily(
    name="fluorescence staining",
    discipline="life",
    story="Sections of one tissue block are stained and imaged to count labelled cells.",
    goal="labelled cell counts",
    prefix=(
        act(
            "Fix Tissue",
            "",
            "fixed block",
            "Cross-link tissue.",
            mass("fixative_mass", ("250", "500", "1200"), ("20", "40", "50"), ("30", "60", "100")),
            stated("duration", "h", "4", "12", "24"),
        ),
        act(
            "Embed Block",
            "block: fixed block",
            "embedded block",
            "Embed tissue for cutting.",
            word("medium", "paraffin", "agarose", "gelatine"),
        ),
    ),
    side=(
        act(
            "Mix Stain",
            "",
            "stain solution",
            "Prepare dye for all sections.",
            scaled("total_volume", "uL", ("120", "150", "250"), ("1", "2")),
            stated("dye", "nM", "150", "300", "500"),
        ),
    ),
    branch=(
        act(
            "Cut Section",
            "block: embedded block",
            "tissue section",
            "Cut one section.",
            sample("label"),
            series("thickness", "um", "4", "6", "8", "10", "14", "20"),
        ),
        act(
            "Stain Section",
            "section: tissue section, stain: stain solution",
            "stained section",
            "Label nuclei.",
            stated("duration", "min", "8", "12", "25"),
        ),
        act(
            "Mount Section",
            "section: stained section",
            "mounted slide",
            "Cover a section.",
            word("medium", "glycerol", "resin"),
        ),
    ),
    join=act(
        "Image Slides",
        "slides: mounted slide*",
        "micrographs",
        "Record all slides with one setting.",
        stated("exposure", "ms", "40", "75", "120"),
        stated("wavelength", "nm", "461", "519", "617"),
    ),
    suffix=(
        act(
            "Count Cells",
            "images: micrographs",
            "labelled cell counts",
            "Segment and count.",
            stated("least_diameter", "um", "5", "7", "9"),
        ),
    ),
    decoys=(
        act(
            "Bleach Section",
            "section: stained section",
            "bleached section",
            "Destroy the dye by light.",
            stated("duration", "min", "30", "50"),
        ),
        act(
            "Smear Tissue",
            "block: fixed block",
            "tissue smear",
            "Spread tissue on glass.",
            stated("pressure", "kPa", "5", "15"),
        ),
        act(
            "Restain Section",
            "section: stained section, stain: stain solution",
            "stained section",
            "Stain once more.",
            stated("duration", "min", "3", "5"),
        ),
        act(
            "Freeze Block",
            "block: fixed block",
            "embedded block",
            "Freeze tissue in medium.",
            stated("temperature", "degC", "-50", "-80"),
        ),
    ),
)

FAMILIES = (QPCR, BLOT, ELISA, STAINING)
