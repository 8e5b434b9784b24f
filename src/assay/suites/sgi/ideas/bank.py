"""The eight archetypes with their three programmes each."""

from __future__ import annotations

from assay.suites.sgi.ideas.archetypes import Archetype, Programme, forms, step

ARCHETYPES: tuple[Archetype, ...] = (
    Archetype(
        "inverse problem under noise",
        "What drives {system} has to be inferred from {reading} that are blurred and noisy.",
        "Small errors of the data become large errors of the result.",
        "A stable answer with honest error bars would make old recordings useful again.",
        "Recover the hidden driver of {system} from {reading} together with its uncertainty.",
        "archived recordings, 400 cases, split 70/15/15 by case",
        (("relative error", "below 0.08"), ("coverage of intervals", "0.95"), ("run time", "below 2 h")),
        ("plain least squares", "truncated spectra", "manual smoothing", "fixed damping"),
        ("an early stopping rule", "a library of shapes", "a grid of candidates", "repeated shots"),
        (
            Programme(
                "learned prior",
                forms(
                    "diffusion prior|score based prior|generative prior; posterior sampling|sample the "
                    "posterior|posterior draws; physics likelihood|forward model likelihood|physical "
                    "likelihood; coverage check|calibrated coverage|coverage test"
                ),
                (
                    "A diffusion prior, trained on simulated drivers, says which explanations are plausible "
                    "at all.",
                    "Posterior sampling couples it to a physics likelihood that knows how an instrument "
                    "blurs and where noise enters.",
                    "Many independent draws, instead of one best fit, show what remains undecided.",
                    "Finally a coverage check on planted cases tells whether intervals can be trusted.",
                ),
                (
                    step(
                        "model",
                        "Train the prior on [simulated drivers] for {q} into <a denoiser>.",
                        "h",
                        6,
                        8,
                        12,
                    ),
                    step(
                        "represent",
                        "Encode [the blur kernel] on bins of {q} as <a forward operator>.",
                        "ms",
                        2,
                        5,
                        10,
                    ),
                ),
                step(
                    "optimise",
                    "Draw from [denoiser and operator] for {q} to get <posterior draws>.",
                    "min",
                    20,
                    30,
                    45,
                ),
                "It hallucinates details where training cases were rare.",
            ),
            Programme(
                "sparse basis",
                forms(
                    "sparse dictionary|learned dictionary|sparse code; convex penalty|l1 penalty|convex "
                    "regulariser; cross validated weight|weight by cross validation|tuned penalty weight; "
                    "bootstrap bands|resampled bands|bootstrap intervals"
                ),
                (
                    "Drivers are written in a sparse dictionary whose atoms come from quiet periods.",
                    "A convex penalty keeps only a few active entries, so no local optimum misleads us.",
                    "How strongly it acts follows from a cross validated weight rather than from taste.",
                    "Bootstrap bands around every recovered curve express remaining doubt.",
                ),
                (
                    step(
                        "represent",
                        "Learn atoms from [quiet periods] of {q} as <a set of atoms>.",
                        "s",
                        10,
                        20,
                        40,
                    ),
                    step(
                        "calibrate",
                        "Estimate from [instrument logs] a floor of {q} as <the noise level>.",
                        "mV",
                        3,
                        6,
                        9,
                    ),
                ),
                step(
                    "constrain",
                    "Fit [atoms under noise] within {q} to get <sparse coefficients>.",
                    "min",
                    5,
                    10,
                    15,
                ),
                "It breaks down where the driver has no short description.",
            ),
            Programme(
                "joint instrument model",
                forms(
                    "self calibration|blind calibration|calibrating itself; alternating updates|alternate "
                    "updates|block updates; reference pulses|known pulses|test pulses; identifiability "
                    "bound|identifiability limit|bound on identifiability"
                ),
                (
                    "Instead of trusting the response function, self calibration estimates it alongside the "
                    "driver.",
                    "Alternating updates switch between both unknowns until neither moves.",
                    "Short reference pulses injected during operation pin down scale and delay.",
                    "An identifiability bound, derived beforehand, names features that stay unresolved.",
                ),
                (
                    step(
                        "acquire",
                        "Inject [test shapes] every {q} to obtain <a pulse record>.",
                        "min",
                        10,
                        15,
                        30,
                    ),
                    step(
                        "model",
                        "Parametrise [the response] with a delay of {q} as <a response family>.",
                        "us",
                        40,
                        60,
                        90,
                    ),
                ),
                step(
                    "optimise",
                    "Alternate over [pulses and response] for {q} to reach <a joint estimate>.",
                    "h",
                    1,
                    2,
                    3,
                ),
                "It needs an interruption of normal operation.",
            ),
        ),
    ),
    Archetype(
        "low-data property prediction",
        "A property of {system} is known for a few dozen cases, though {reading} exist for thousands.",
        "Flexible predictors memorise the few labelled cases.",
        "Each label takes weeks of laboratory work.",
        "Predict the property of unseen {system} from {reading} with at most 60 labels.",
        "60 labelled and 5000 unlabelled cases, split by origin",
        (("mean absolute error", "below 0.12"), ("rank correlation", "above 0.8"), ("labels used", "60")),
        ("hand made descriptors", "linear regression", "nearest neighbours", "a small forest"),
        ("expert scores", "averages of groups", "rules of thumb", "copied labels"),
        (
            Programme(
                "self-supervision",
                forms(
                    "contrastive pretraining|contrastive learning|pretraining by contrast; augmented "
                    "views|augmentation pairs|perturbed views; linear probe|frozen probe|probe head; "
                    "conformal intervals|conformal prediction|conformal bands"
                ),
                (
                    "Contrastive pretraining exploits unlabelled cases before any label is touched.",
                    "Augmented views mimic nuisance changes such as drift, gain and dropout.",
                    "On top sits a linear probe, small enough to be fitted on sixty examples.",
                    "Conformal intervals accompany each forecast, valid under hardly any assumption.",
                ),
                (
                    step(
                        "represent",
                        "Pretrain on [unlabelled cases] for {q} to obtain <an embedding>.",
                        "h",
                        10,
                        16,
                        24,
                    ),
                    step(
                        "preprocess",
                        "Perturb [raw cases] by shifts of {q} into <paired views>.",
                        "ms",
                        4,
                        8,
                        16,
                    ),
                ),
                step(
                    "model",
                    "Fit a head on [embedding and views] within {q} as <a calibrated probe>.",
                    "min",
                    2,
                    4,
                    6,
                ),
                "Its embedding ignores what augmentations erase.",
            ),
            Programme(
                "kernel with physics",
                forms(
                    "gaussian process|gp regression|kriging; symmetry aware kernel|invariant kernel|kernel "
                    "with symmetry; conservation constraint|conserved quantity constraint|balance "
                    "constraint; marginal likelihood|evidence maximisation|type two likelihood"
                ),
                (
                    "A gaussian process turns sixty measurements into a smooth surface plus uncertainty.",
                    "Its symmetry aware kernel treats equivalent arrangements alike, multiplying scarce "
                    "information.",
                    "We impose a conservation constraint as pseudo observations at the boundary.",
                    "Length scales are set by marginal likelihood, so nothing must be held back.",
                ),
                (
                    step(
                        "represent",
                        "Describe [symmetric groups] up to {q} by <invariant features>.",
                        "nm",
                        3,
                        5,
                        7,
                    ),
                    step(
                        "constrain",
                        "Add [balance laws] with slack of {q} as <pseudo observations>.",
                        "mJ",
                        2,
                        4,
                        8,
                    ),
                ),
                step(
                    "model",
                    "Condition on [features and balances] in {q} to get <a predictive surface>.",
                    "min",
                    3,
                    5,
                    9,
                ),
                "It scales badly beyond a few thousand cases.",
            ),
            Programme(
                "transfer from simulation",
                forms(
                    "multi fidelity|fidelity ladder|low and high fidelity; domain adaptation|adapted "
                    "domain|domain alignment; residual learner|residual correction|delta learning; "
                    "out of domain alarm|novelty alarm|domain alarm"
                ),
                (
                    "Cheap simulations come first: a multi fidelity scheme lets them teach coarse trends.",
                    "Domain adaptation aligns synthetic with measured inputs by matching moments.",
                    "Then a residual learner spends all labels on what simulators get wrong.",
                    "For strange inputs an out of domain alarm abstains instead of guessing.",
                ),
                (
                    step(
                        "acquire",
                        "Simulate [cheap surrogates] for {q} to collect <synthetic labels>.",
                        "h",
                        20,
                        30,
                        40,
                    ),
                    step(
                        "preprocess",
                        "Match [input moments] over blocks of {q} into <aligned inputs>.",
                        "s",
                        3,
                        6,
                        12,
                    ),
                ),
                step(
                    "optimise",
                    "Learn residuals of [aligned synthetic pairs] for {q} as <a corrected predictor>.",
                    "min",
                    15,
                    25,
                    35,
                ),
                "Simulators share blind spots that no label reveals.",
            ),
        ),
    ),
    Archetype(
        "multi-scale coupling",
        "Slow changes of {system} emerge from fast events that {reading} resolve only in part.",
        "Full resolution is too expensive, coarse descriptions lose what matters.",
        "Planning needs decades, mechanisms act within seconds.",
        "Predict slow trends of {system} from fast {reading} at bounded cost.",
        "12 fine runs and 300 coarse runs, split by initial state",
        (("trend error", "below 5 %"), ("speed up", "above 50"), ("mass balance", "exact")),
        ("a fixed closure", "nested grids", "averaged coefficients", "lookup tables"),
        ("larger machines", "shorter horizons", "tuned viscosity", "hand matched scales"),
        (
            Programme(
                "learned closure",
                forms(
                    "neural closure|learned closure|closure network; stability margin|lyapunov "
                    "margin|stability guarantee; online training|solver in the loop|train in the loop; "
                    "conservative flux|flux form|conserving flux"
                ),
                (
                    "A neural closure supplies what coarse equations omit, conditioned on local state.",
                    "Writing its output as conservative flux keeps totals exact by construction.",
                    "Online training exposes it to its own mistakes over many steps.",
                    "During integration, a stability margin shrinks suspicious corrections towards zero.",
                ),
                (
                    step(
                        "preprocess",
                        "Filter [fine runs] at widths of {q} into <subgrid targets>.",
                        "km",
                        2,
                        4,
                        8,
                    ),
                    step(
                        "model", "Set up [local stencils] reaching {q} as <a flux network>.", "km", 6, 10, 14
                    ),
                ),
                step(
                    "optimise",
                    "Unroll [targets and network] over {q} to train <a stable closure>.",
                    "h",
                    5,
                    9,
                    15,
                ),
                "Its skill fades in climates never simulated.",
            ),
            Programme(
                "equation-free projection",
                forms(
                    "projective integration|project forward|coarse projection; lifting operator|lift "
                    "states|lifting step; slow manifold|slow variables|slow coordinates; adaptive "
                    "bursts|burst length control|short bursts"
                ),
                (
                    "Projective integration alternates brief detailed simulation with long leaps.",
                    "Leaps happen on the slow manifold, found from data by diffusion distances.",
                    "A lifting operator rebuilds consistent microscopic states after landing.",
                    "Adaptive bursts grow whenever fast transients have not died out, so no leap is early.",
                ),
                (
                    step(
                        "represent",
                        "Extract [diffusion distances] with memory of {q} as <macro coordinates>.",
                        "s",
                        5,
                        15,
                        25,
                    ),
                    step(
                        "constrain",
                        "Rebuild [micro states] within {q} using <a consistent ensemble>.",
                        "mW",
                        3,
                        7,
                        11,
                    ),
                ),
                step(
                    "model",
                    "Leap along [coordinates of ensembles] by {q} to produce <long trajectories>.",
                    "h",
                    12,
                    18,
                    36,
                ),
                "It fails where scales are not separated.",
            ),
            Programme(
                "adaptive fidelity",
                forms(
                    "error estimator|a posteriori estimate|error indicator; local refinement|adaptive "
                    "refinement|refine locally; goal weights|adjoint weights|dual weighted; budget "
                    "scheduler|cost scheduler|budget controller"
                ),
                (
                    "Resolution is a resource which a budget scheduler assigns hour by hour.",
                    "An error estimator ranks regions according to influence on the final trend.",
                    "Goal weights, computed backwards through the coarse solver, provide that influence.",
                    "Local refinement then switches fine physics on, or off again, without restarts.",
                ),
                (
                    step(
                        "analyse",
                        "Trace [backward sensitivities] across {q} into <influence maps>.",
                        "h",
                        24,
                        48,
                        72,
                    ),
                    step(
                        "calibrate",
                        "Compare [paired runs] at spacing of {q} for <defect statistics>.",
                        "km",
                        1,
                        3,
                        5,
                    ),
                ),
                step(
                    "optimise",
                    "Spend [influence times defect] every {q} to place <fine patches>.",
                    "min",
                    30,
                    40,
                    50,
                ),
                "Sudden events outrun its schedule.",
            ),
        ),
    ),
    Archetype(
        "rare-event detection",
        "Failures of {system} are rare, and {reading} hold a million normal cases for each.",
        "Detectors drown operators in false alarms.",
        "One missed event costs more than a year of monitoring.",
        "Detect rare failures of {system} in {reading} early, at a fixed rate of false alarms.",
        "3 years of records with 41 events, split by year",
        (("recall at fixed alarms", "above 0.9"), ("lead time", "above 10 min"), ("alarms", "1 a week")),
        ("fixed thresholds", "moving averages", "a plain classifier", "manual review"),
        ("louder sirens", "more staff", "duplicate sensors", "yearly audits"),
        (
            Programme(
                "extreme-value tail",
                forms(
                    "extreme value tail|generalised pareto|peaks over threshold; density ratio|likelihood "
                    "ratio|ratio of densities; sequential test|cusum test|sequential detection; false alarm "
                    "budget|alarm budget|controlled false alarms"
                ),
                (
                    "Scores of normal operation receive an extreme value tail, fitted to exceedances only.",
                    "A density ratio between recent and historical windows supplies those scores.",
                    "Evidence accumulates through a sequential test, which reacts sooner than any window.",
                    "Operators choose one number, the false alarm budget; every threshold follows from it.",
                ),
                (
                    step("model", "Estimate [normal windows] of {q} by <window scores>.", "min", 5, 10, 20),
                    step("calibrate", "Fit [exceedances] above {q} with <a tail law>.", "mV", 30, 50, 70),
                ),
                step(
                    "optimise",
                    "Accumulate [scores under the tail] for {q} into <an alarm time>.",
                    "s",
                    30,
                    45,
                    90,
                ),
                "It cannot say which kind of failure is coming.",
            ),
            Programme(
                "synthetic failures",
                forms(
                    "failure simulator|fault injection|simulated faults; importance splitting|rare event "
                    "splitting|multilevel splitting; hard negative mining|mine negatives|hard negatives; "
                    "domain randomisation|randomised domains|randomised nuisance"
                ),
                (
                    "A failure simulator makes what history withholds: thousands of labelled collapses.",
                    "Importance splitting steers it toward improbable yet physical routes.",
                    "Domain randomisation varies sensors and load so that artefacts cannot serve as cues.",
                    "Afterwards hard negative mining collects confusing normal episodes for retraining.",
                ),
                (
                    step(
                        "acquire",
                        "Split [improbable routes] at stages of {q} into <faulty episodes>.",
                        "min",
                        3,
                        6,
                        9,
                    ),
                    step(
                        "preprocess",
                        "Randomise [sensor gains] within {q} to build <varied copies>.",
                        "mV",
                        2,
                        5,
                        8,
                    ),
                ),
                step(
                    "model",
                    "Train on [episodes and copies] for {q} to obtain <a failure detector>.",
                    "h",
                    7,
                    11,
                    13,
                ),
                "It finds only what its simulator can imagine.",
            ),
            Programme(
                "graph of sensors",
                forms(
                    "sensor graph|graph of sensors|relational graph; cross sensor forecast|mutual "
                    "prediction|predict each sensor; spectral residual|residual spectrum|graph residual; "
                    "human feedback|operator feedback|active labels"
                ),
                (
                    "Channels become nodes of a sensor graph learned during quiet operation.",
                    "Each node is predicted by its neighbours; this cross sensor forecast should hold.",
                    "When couplings break, the spectral residual concentrates in few modes.",
                    "Human feedback on one questionable alert weekly sharpens those modes further.",
                ),
                (
                    step(
                        "represent",
                        "Link [quiet channels] with lags below {q} as <coupling weights>.",
                        "ms",
                        50,
                        80,
                        120,
                    ),
                    step(
                        "model",
                        "Forecast [neighbour channels] over {q} giving <expected traces>.",
                        "s",
                        2,
                        4,
                        6,
                    ),
                ),
                step(
                    "analyse", "Project [weights on deviations] each {q} onto <broken modes>.", "min", 1, 2, 5
                ),
                "Rewiring after maintenance looks like a fault.",
            ),
        ),
    ),
    Archetype(
        "causal effect from observational data",
        "Whether an intervention changes {system} is asked where {reading} were merely observed.",
        "Those who got it differ from those who did not.",
        "A trial would be slow, costly or unethical.",
        "Estimate the effect of the intervention on {system} from observed {reading}, with its bias bounded.",
        "8200 cases of 14 sites, split by site",
        (("bias on planted effects", "below 0.05"), ("interval coverage", "0.95"), ("overlap", "above 0.1")),
        ("group means", "regression with covariates", "stratified tables", "matched pairs"),
        ("opinion surveys", "case stories", "longer follow up", "before and after plots"),
        (
            Programme(
                "doubly robust learner",
                forms(
                    "doubly robust|augmented weighting|double robustness; cross fitting|cross fitted|sample "
                    "splitting; propensity model|propensity score|treatment model; negative control|control "
                    "outcome|falsification outcome"
                ),
                (
                    "A doubly robust estimator stays right when either of two nuisance fits is right.",
                    "One is the propensity model, the other predicts outcomes; flexible learners serve both.",
                    "Cross fitting separates where they are trained from where effects are averaged.",
                    "Any leftover confounding should surface in a negative control that nothing can cause.",
                ),
                (
                    step(
                        "model",
                        "Predict [who was treated] from the last {q} as <treatment odds>.",
                        "h",
                        24,
                        36,
                        48,
                    ),
                    step(
                        "represent",
                        "Regress [later outcomes] after {q} into <outcome surfaces>.",
                        "h",
                        60,
                        90,
                        120,
                    ),
                ),
                step(
                    "optimise",
                    "Average [odds with surfaces] over folds of {q} into <an effect estimate>.",
                    "min",
                    4,
                    6,
                    8,
                ),
                "Unmeasured causes remain invisible to it.",
            ),
            Programme(
                "natural experiment",
                forms(
                    "instrumental variable|instrument variable|natural instrument; exclusion "
                    "test|overidentification test|exclusion check; weak instrument bound|anderson rubin|weak "
                    "instrument set; complier effect|local effect|effect on compliers"
                ),
                (
                    "Scheduling quirks act as an instrumental variable, shifting exposure by accident.",
                    "Only the complier effect is claimed, namely for units moved by such accidents.",
                    "Since quirks may be feeble, a weak instrument bound replaces ordinary standard errors.",
                    "Several quirks together allow an exclusion test.",
                    "Reports list first stages openly, including failures.",
                ),
                (
                    step(
                        "acquire",
                        "Collect [schedule quirks] within {q} of cutoffs as <accidental shifts>.",
                        "min",
                        15,
                        20,
                        25,
                    ),
                    step(
                        "analyse",
                        "Relate [accidental exposure] at lags of {q} to <first stages>.",
                        "h",
                        2,
                        3,
                        4,
                    ),
                ),
                step(
                    "constrain",
                    "Invert [shifts and stages] on grids of {q} for <a robust set>.",
                    "ms",
                    10,
                    20,
                    25,
                ),
                "Accidents are rare and their reach is local.",
            ),
            Programme(
                "sensitivity frontier",
                forms(
                    "sensitivity analysis|sensitivity model|sensitivity parameter; partial "
                    "identification|identified set|identification bounds; hidden confounder|unmeasured "
                    "confounder|latent confounder; benchmark covariate|benchmarked covariate|calibrating "
                    "covariate"
                ),
                (
                    "Rather than assuming a hidden confounder away, we ask how strong it would have to be.",
                    "Partial identification yields lower and upper limits under each assumed strength.",
                    "A benchmark covariate, dropped on purpose, gives that scale meaning.",
                    "Sensitivity analysis ends with a frontier: some conclusions survive, others do not.",
                ),
                (
                    step(
                        "ablate",
                        "Drop [known covariates] of {q} history to learn <typical strengths>.",
                        "h",
                        6,
                        12,
                        18,
                    ),
                    step(
                        "constrain",
                        "Bound [weighted outcomes] with slack {q} between <effect limits>.",
                        "%",
                        5,
                        10,
                        20,
                    ),
                ),
                step(
                    "analyse",
                    "Trace [strengths against limits] in steps of {q} as <a frontier>.",
                    "%",
                    1,
                    2,
                    4,
                ),
                "Wide limits may decide nothing.",
            ),
        ),
    ),
    Archetype(
        "active experiment design",
        "Experiments on {system} are costly, and {reading} of each decide which comes next.",
        "Grids waste most runs where nothing happens.",
        "A tenth of the runs would allow ten times the questions.",
        "Choose experiments on {system} in sequence so that {reading} answer the question with fewest runs.",
        "a budget of 120 runs over 9 settings, split by batch",
        (("runs to target", "below 40"), ("regret", "below 0.1"), ("failed runs", "below 3")),
        ("full grids", "one factor at a time", "expert choice", "random search"),
        ("bigger batches", "cheaper probes", "fixed plans", "copying earlier labs"),
        (
            Programme(
                "information gain",
                forms(
                    "expected information gain|mutual information|information gain; amortised policy|policy "
                    "network|learned policy; implicit likelihood|simulator likelihood|likelihood free; "
                    "stopping rule|stop criterion|optimal stopping"
                ),
                (
                    "Each trial maximises expected information gain about competing explanations.",
                    "An amortised policy, rehearsed offline, proposes it in milliseconds.",
                    "Because equations are unavailable, an implicit likelihood is learned from rehearsals.",
                    "The campaign ends through a stopping rule comparing marginal benefit with price.",
                ),
                (
                    step(
                        "acquire",
                        "Rehearse [virtual campaigns] for {q} to store <simulated histories>.",
                        "h",
                        14,
                        22,
                        28,
                    ),
                    step("model", "Contrast [joint outcomes] within {q} as <a critic>.", "min", 12, 18, 22),
                ),
                step(
                    "optimise",
                    "Improve on [histories by critic] during {q} to reach <a design policy>.",
                    "h",
                    3,
                    4,
                    7,
                ),
                "Rehearsals must resemble reality.",
            ),
            Programme(
                "safe bayesian optimisation",
                forms(
                    "bayesian optimisation|bayesian optimization|bayes optimisation; safe set|safety "
                    "set|safe region; acquisition function|acquisition rule|acquisition criterion; trust "
                    "region|trusted region|local region"
                ),
                (
                    "Bayesian optimisation climbs toward good settings within a few expensive trials.",
                    "It may only step inside a safe set, which is enlarged as confidence grows.",
                    "Within, a trust region avoids chasing phantom optima far away.",
                    "Parallel equipment is fed by an acquisition function that penalises similar proposals.",
                ),
                (
                    step(
                        "constrain",
                        "Certify [harmless settings] up to {q} as <an allowed zone>.",
                        "kPa",
                        20,
                        40,
                        60,
                    ),
                    step(
                        "represent",
                        "Smooth [early outcomes] across {q} into <a surrogate>.",
                        "nm",
                        12,
                        24,
                        36,
                    ),
                ),
                step(
                    "optimise",
                    "Propose from [zone and surrogate] every {q} as <next settings>.",
                    "min",
                    7,
                    14,
                    21,
                ),
                "Distant optima stay out of reach.",
            ),
            Programme(
                "closed-loop falsification",
                forms(
                    "rival hypotheses|competing hypotheses|rival models; discriminating experiment|crucial "
                    "experiment|discriminate models; symbolic regression|equation discovery|symbolic search; "
                    "robotic loop|closed loop robot|automated loop"
                ),
                (
                    "Symbolic regression keeps proposing rival hypotheses as compact formulas.",
                    "Next comes a discriminating experiment, where forecasts of survivors disagree most.",
                    "A robotic loop executes overnight and discards refuted formulas at dawn.",
                    "What remains is short, interpretable and has resisted deliberate attack.",
                ),
                (
                    step(
                        "model",
                        "Search [short formulas] for {q} to list <surviving rivals>.",
                        "min",
                        35,
                        55,
                        65,
                    ),
                    step(
                        "analyse",
                        "Contrast [forecast gaps] at points {q} apart on <a disagreement map>.",
                        "um",
                        5,
                        15,
                        45,
                    ),
                ),
                step("validate", "Run [rivals at gaps] within {q} to yield <refutations>.", "h", 9, 10, 11),
                "Laws without closed form escape it.",
            ),
        ),
    ),
    Archetype(
        "multimodal alignment",
        "{reading} and images of {system} tell of the same events, without shared clocks or labels.",
        "Pairs are few, and each modality misses what the other sees.",
        "Together they would reveal mechanisms that neither shows.",
        "Align {reading} with images of {system} and predict one from the other.",
        "900 loosely paired recordings, split by session",
        (("retrieval at one", "above 0.7"), ("time error", "below 0.2 s"), ("missing views", "tolerated")),
        ("manual pairing", "joint histograms", "canonical correlation", "late averaging"),
        ("better cables", "one shared screen", "paper notes", "repeated sessions"),
        (
            Programme(
                "optimal transport",
                forms(
                    "optimal transport|transport plan|wasserstein matching; unbalanced mass|unbalanced "
                    "matching|partial transport; cycle consistency|cycle loss|round trip loss; anchor "
                    "pairs|anchored pairs|seed pairs"
                ),
                (
                    "Optimal transport matches whole distributions, hence exact pairs become unnecessary.",
                    "Unbalanced mass lets events that one camera missed go unmatched.",
                    "A handful of anchor pairs, made by hand, breaks remaining symmetries.",
                    "Cycle consistency finally demands that going forth and back recovers each event.",
                ),
                (
                    step(
                        "represent",
                        "Embed [both modalities] on patches of {q} as <point clouds>.",
                        "um",
                        8,
                        12,
                        18,
                    ),
                    step("calibrate", "Time [seed events] to {q} as <fixed anchors>.", "ms", 15, 25, 35),
                ),
                step("optimise", "Couple [clouds at anchors] for {q} into <a matching>.", "min", 8, 16, 24),
                "Its cost grows with the square of events.",
            ),
            Programme(
                "shared latent dynamics",
                forms(
                    "shared latent|latent dynamics|common latent; state space model|state space|switching "
                    "state; modality dropout|drop modalities|dropped modality; time warping|warped "
                    "clocks|elastic time"
                ),
                (
                    "One shared latent process generates everything observed, whichever the instrument.",
                    "A state space model carries it forward while time warping absorbs drifting clocks.",
                    "Modality dropout during fitting teaches inference from incomplete views.",
                    "Prediction across channels is then merely decoding of inferred states.",
                ),
                (
                    step(
                        "preprocess",
                        "Warp [drifting clocks] by at most {q} into <synchronous frames>.",
                        "s",
                        1,
                        2,
                        3,
                    ),
                    step(
                        "model",
                        "Evolve [hidden states] in steps of {q} as <a dynamical core>.",
                        "ms",
                        20,
                        30,
                        40,
                    ),
                ),
                step("optimise", "Fit [core to frames] over {q} to obtain <two decoders>.", "h", 8, 10, 14),
                "Events seen by one channel alone are smoothed away.",
            ),
            Programme(
                "mechanistic bridge",
                forms(
                    "differentiable simulator|differentiable physics|gradient simulator; common "
                    "cause|mechanistic link|causal bridge; rendering model|render images|synthetic "
                    "rendering; amortised inference|inference network|learned inference"
                ),
                (
                    "A differentiable simulator stands between modalities as their common cause.",
                    "Its states feed a rendering model for pictures plus an emission law for signals.",
                    "Amortised inference inverts both at once, giving parameters with meaning.",
                    "Disagreement between inversions localises missing physics instead of hiding it.",
                ),
                (
                    step(
                        "model",
                        "Simulate [causal states] at spacing {q} into <joint fields>.",
                        "um",
                        2,
                        6,
                        10,
                    ),
                    step(
                        "represent",
                        "Render [joint views] with blur of {q} as <synthetic pairs>.",
                        "um",
                        1,
                        3,
                        4,
                    ),
                ),
                step(
                    "optimise",
                    "Invert [fields through pairs] within {q} to infer <shared parameters>.",
                    "min",
                    6,
                    12,
                    28,
                ),
                "Building the simulator takes years.",
            ),
        ),
    ),
    Archetype(
        "control under constraints",
        "{system} have to be steered by {reading} alone, with limits that must never be broken.",
        "Cautious controllers waste most of the range, bold ones break limits.",
        "The best operating points lie next to the limits.",
        "Steer {system} from {reading} close to their limits without ever breaking one.",
        "1500 logged episodes of 5 plants, split by plant",
        (("violations", "0"), ("gain over baseline", "above 15 %"), ("latency", "below 20 ms")),
        ("fixed gains", "wide margins", "look up schedules", "manual override"),
        ("slower ramps", "stronger valves", "night shifts", "spare units"),
        (
            Programme(
                "barrier filter",
                forms(
                    "control barrier|barrier function|barrier certificate; safety filter|action "
                    "filter|filtered action; robust margin|disturbance margin|robustness margin; learned "
                    "policy|policy learning|reinforcement learning"
                ),
                (
                    "A learned policy explores freely behind a safety filter that edits dangerous actions.",
                    "The filter rests on a control barrier whose decrease is checked at each tick.",
                    "A robust margin, sized by observed disturbances, covers model mismatch.",
                    "Minimal edits preserve performance while violations become impossible there.",
                ),
                (
                    step(
                        "constrain",
                        "Certify [limit distances] every {q} by <a decrease condition>.",
                        "ms",
                        5,
                        10,
                        15,
                    ),
                    step(
                        "calibrate",
                        "Bound [past disturbances] over {q} with <a mismatch radius>.",
                        "h",
                        12,
                        24,
                        48,
                    ),
                ),
                step(
                    "optimise",
                    "Improve under [condition and radius] for {q} to get <a filtered controller>.",
                    "h",
                    4,
                    6,
                    9,
                ),
                "Finding a certificate is an art.",
            ),
            Programme(
                "predictive control",
                forms(
                    "model predictive control|receding horizon|predictive controller; tube "
                    "constraint|tightened constraint|robust tube; koopman model|lifted linear model|linear "
                    "lifting; warm start|warm started|hot start"
                ),
                (
                    "A koopman model makes nonlinear behaviour linear in cleverly chosen observables.",
                    "That renders model predictive control a convex programme, solved in real time.",
                    "Every tube constraint is tightened just enough for bounded prediction errors.",
                    "Warm start from yesterday's plans halves computation again on modest hardware.",
                ),
                (
                    step(
                        "represent", "Lift [delayed outputs] of {q} into <linear observables>.", "s", 4, 8, 12
                    ),
                    step(
                        "analyse", "Quantify [forecast errors] after {q} as <tube widths>.", "s", 15, 20, 30
                    ),
                ),
                step(
                    "optimise",
                    "Plan with [observables inside tubes] each {q} as <a receding schedule>.",
                    "ms",
                    50,
                    100,
                    150,
                ),
                "Strongly switching behaviour defies it.",
            ),
            Programme(
                "offline conservatism",
                forms(
                    "offline learning|batch reinforcement|learn offline; pessimistic value|conservative "
                    "value|lower bound value; shadow deployment|shadow mode|silent deployment; lagrange "
                    "multiplier|dual variable|dual ascent"
                ),
                (
                    "Offline learning extracts skill from archives of operation, touching no plant at all.",
                    "A pessimistic value punishes actions that archives never contain.",
                    "Limits enter by a lagrange multiplier rising with each predicted breach.",
                    "Before taking over, shadow deployment compares its advice with operators for weeks.",
                ),
                (
                    step(
                        "preprocess",
                        "Cut [plant archives] into spans of {q} as <transition batches>.",
                        "min",
                        2,
                        5,
                        10,
                    ),
                    step(
                        "model",
                        "Fit [ensemble critics] on {q} of data as <cautious values>.",
                        "h",
                        100,
                        200,
                        300,
                    ),
                ),
                step(
                    "constrain",
                    "Trade [batches against values] for {q} to settle <a cautious controller>.",
                    "h",
                    5,
                    7,
                    8,
                ),
                "It never surpasses the boldest operator by much.",
            ),
        ),
    ),
)
