"""Short articles on methods that the items are about: the offline source of the encyclopaedia's search."""

from __future__ import annotations

from collections.abc import Mapping

GLOSSARY: Mapping[str, str] = {
    "Inverse-variance weighting": "Values with standard errors are averaged with weights 1 / error "
    "squared. The standard error of the mean is 1 over the root of the sum of weights.",
    "Trapezoidal rule": "An integral as the sum of widths times the mean of the values at both ends.",
    "Simpson's rule": "An integral over an even number of equal steps with weights 1, 4, 2, ..., 4, 1"
    " times a third of the step.",
    "Crank-Nicolson method": "Steps a diffusion equation by the mean of the explicit and the implicit"
    " rule; stable for any step, of second order in time.",
    "Welch's t-test": "Compares two means without assuming equal variances; its degrees of freedom "
    "come from Satterthwaite's formula.",
    "Kaplan-Meier estimator": "The share that survives past a time: at each event multiply by 1 - "
    "events / at risk. Censored cases leave the risk set without an event.",
    "Bootstrap": "Resampling with replacement from the data shows how an estimate varies.",
    "Degrees of freedom": "A sample variance divides by n - 1 (ddof = 1); a population variance by n "
    "(ddof = 0).",
    "Shannon index": "Diversity as minus the sum of shares times their logarithm; the base has to be stated.",
    "Lomb-Scargle periodogram": "Power by frequency of data at uneven times, by least squares of a sine.",
    "Michaelis-Menten kinetics": "Rate = Vmax S / (Km + S); half of the highest rate at S = Km.",
    "Kabsch algorithm": "The rotation that superposes two sets of points best, by singular value "
    "decomposition.",
    "Dilution": "C1 V1 = C2 V2: concentration times volume of a solute stays the same.",
    "Molar mass": "Mass of one mole; amount in mol = mass / molar mass; concentration = amount / volume.",
    "Centrifugation": "Speeds are given as relative force (x g) or in rotations a minute; neither "
    "follows from the other without the radius.",
    "Polymerase chain reaction": "Cycles of melting, annealing and extension double a stretch of DNA.",
    "ELISA": "Coat, block, add the sample, add the labelled antibody, wash between the steps, read "
    "the colour.",
    "Sol-gel process": "A precursor is hydrolysed to a sol, which condenses to a gel, is dried and fired.",
    "Retraction": "A paper that is withdrawn: its data do not count. A correction replaces single values.",
    "Preprint": "A version before review; where it differs, the version of record counts.",
    "Precision and recall": "Share of what was found that is right; share of what is right that was found.",
    "Directed acyclic graph": "Nodes and arrows without a way back; a topological order lists each "
    "node after those that lead to it.",
    "Ablation": "Leaving out one part at a time shows what it contributes.",
    "Calibration": "Stated confidence agrees with how often one is right.",
}
