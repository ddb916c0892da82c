"""The metadata of a crate in the words of RO-Crate: files, workflow, jobs, claims and verdicts.

The profile is Provenance Run Crate (https://w3id.org/ro/wfrun/provenance): a workflow has steps, a
step has a script, and an action says which script made which files from which. A claim of the paper
is a `Claim`, and a verdict a `ClaimReview` with a rating.
"""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any, NamedTuple

from amg.base import VERSION
from amg.base.errors import MissingError
from amg.base.sources import digest_files, package
from amg.base.text import capitalise
from amg.claims.entries import CLAIMS
from amg.claims.evidence import VERDICTS, Verdict
from amg.claims.judgement import JudgedClaim
from amg.figures import FIGURES
from amg.report.citation import LICENCES, agent, article
from amg.report.crate import Content, Job
from amg.tables import TABLES
from amg.tables.needs import Places

try:
    from rocrate.rocrate import ROCrate
except ImportError:
    raise MissingError(
        "a crate needs rocrate, which is not installed; run `make env`, or in the project's "
        "directory: pip install '.[crate]'"
    ) from None

RO_CRATE = "1.1"  # what the profiles are made for
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/ro/wfrun/provenance/0.5": "Provenance Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
SCHEMA_OF_WORKFLOW = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
SCHEMA_OF_PARAMETER = "https://bioschemas.org/profiles/FormalParameter/1.0-RELEASE"
TERMS = {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}  # RO-Crate 1.1 lacks it
DONE = "http://schema.org/CompletedActionStatus"
WORKFLOW, RUN, ROOT = "Snakefile", "#run", "./"
FORMATS = {
    ".csv": "text/csv", ".html": "text/html", ".json": "application/json", ".md": "text/markdown",
    ".npz": "application/zip", ".pdf": "application/pdf", ".png": "image/png",
    ".py": "text/x-python", ".toml": "application/toml", ".yaml": "application/yaml",
    ".yml": "application/yaml",
}  # fmt: skip
Entity = dict[str, Any]


class Step(NamedTuple):
    """A step of the workflow."""

    script: str
    does: str
    leaves: str

    @property
    def file(self) -> str:
        return f"workflow/scripts/{self.script}.py"


STEPS = {
    "train": Step("train", "Train the runs of a game and a learner", "runs"),
    "trace": Step("trace", "Train a short run and record everything", "the recorded run"),
    "certify": Step("certify", "Evaluate the runs of a game exactly", "evaluations of runs"),
    "table": Step("tables", "Make the tables of an experiment", "tables"),
    "figure": Step("figure", "Draw a figure", "figures, their data and captions"),
    "experiment": Step(
        "experiment", "Show an experiment by its shape", "tables and figures by shape"
    ),
    "claims": Step("claims", "Judge the claims of the paper", "verdicts and findings"),
}


def describe(content: Content) -> Entity:
    """Return the content of ro-crate-metadata.json."""
    crate = ROCrate(version=RO_CRATE)
    crate.metadata.extra_terms.update(TERMS)
    crate.add_workflow(
        None,
        WORKFLOW,
        main=True,
        lang="snakemake",
        lang_version=content.provenance["libraries"]["snakemake"],
        properties=file(content, WORKFLOW) | workflow(content),
    )
    for name in content.files:
        if name != WORKFLOW:
            crate.add_file(None, name, properties=file(content, name))
    others = [*people_and_paper(content), *profiles(), *software(content), *run(content),
              *steps(content), *actions(content), *claims(content)]  # fmt: skip
    for entity in others:
        crate.add_jsonld(dict(entity))
    for key, value in root(content, others).items():
        crate.root_dataset[key] = value
    return crate.metadata.generate()


def root(content: Content, others: Iterable[Entity]) -> Entity:
    """Return the properties of the crate as a whole."""
    citation = content.citation
    mentioned = ("CreateAction", "ClaimReview")
    return {
        "name": f"{citation['title']} ({content.results})",
        "description": citation["abstract"],
        "version": VERSION,
        "datePublished": content.provenance["date"],
        "license": ref(LICENCES + citation["license"]),
        "author": refs(person_id(one) for one in citation["authors"]),
        "keywords": ", ".join(citation["keywords"]),
        "citation": refs(one["url"] for one in citation["references"]),
        "conformsTo": refs(PROFILES),
        "mentions": refs(one["@id"] for one in others if one["@type"] in mentioned),
    }


def file(content: Content, name: str) -> Entity:
    """Return what is said of every file, and of one that a job made."""
    data, path = content.files[name], PurePath(name)
    known: Entity = {
        "name": name,
        "sha256": hashlib.sha256(data).hexdigest(),
        "contentSize": str(len(data)),
        "encodingFormat": FORMATS.get(path.suffix, "text/plain"),
    }
    if name in {step.file for step in taken(content).values()}:
        known["@type"] = ["File", "SoftwareSourceCode"]
        known["version"] = VERSION
    if name == "README.md":
        known["about"] = ref(ROOT)
    step = next((job.step for job in content.jobs if name in job.outputs), None)
    if step is not None:
        known["exampleOfWork"] = ref(parameter_id(step))
        known["description"] = _title(step, path.stem) or capitalise(STEPS[step].leaves)
    if name == config_of(content):
        known["exampleOfWork"] = ref(parameter_id("config"))
        known["description"] = "The config of the study, with every default filled in"
    return known


def _title(step: str, stem: str) -> str:
    """Return the title of a table or figure, else nothing."""
    registry: Any = {"table": TABLES, "figure": FIGURES}.get(step, {})
    return str(registry[stem].title) if stem in registry else ""


def taken(content: Content) -> dict[str, Step]:
    """Return the steps that the study has jobs of."""
    jobs = {job.step for job in content.jobs}
    return {name: step for name, step in STEPS.items() if name in jobs}


def workflow(content: Content) -> Entity:
    """Return the workflow: its steps, and what goes in and comes out."""
    return {
        "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"],
        "name": "From the config to every table, figure and verdict",
        "version": VERSION,
        "conformsTo": ref(SCHEMA_OF_WORKFLOW),
        "license": ref(LICENCES + content.citation["license"]),
        "input": ref(parameter_id("config")),
        "output": refs(parameter_id(step) for step in taken(content)),
        "step": refs(f"#step-{step}" for step in taken(content)),
        "hasPart": refs(step.file for step in taken(content).values()),
        "softwareRequirements": refs(one["@id"] for one in software(content)),
    }


def steps(content: Content) -> Iterator[Entity]:
    """Yield the steps of the workflow, and its parameters."""
    yield parameter("config", "the config", [config_of(content)])
    for position, (name, step) in enumerate(taken(content).items()):
        yield {
            "@id": f"#step-{name}",
            "@type": "HowToStep",
            "name": step.does,
            "position": str(position),
            "workExample": ref(step.file),
        }
        made = [file for job in content.jobs if job.step == name for file in job.outputs]
        yield parameter(name, step.leaves, made)


def parameter(name: str, what: str, files: Iterable[str]) -> Entity:
    """Return an input or output of the workflow, with the files that it stands for."""
    return {
        "@id": parameter_id(name),
        "@type": "FormalParameter",
        "name": name,
        "description": what,
        "additionalType": "File",
        "conformsTo": ref(SCHEMA_OF_PARAMETER),
        "workExample": refs(files),
    }


def run(content: Content) -> Iterator[Entity]:
    """Yield the run of the whole workflow: when and on what, from what and with which results."""
    facts, machine = content.provenance, content.provenance["machine"]
    git, now = facts["git"], digest_files(package())
    sources = (
        f"When the runs were evaluated, the package had the digest {facts['package']['source']}"
    )
    if git is not None:
        sources += f", at commit {git['commit']}{' with changes' if git['dirty'] else ''}"
    if now != facts["package"]["source"]:
        sources += f"; the package in this crate has the digest {now}"
    yield {
        "@id": RUN,
        "@type": "CreateAction",
        "name": f"The study in {content.results}",
        "description": f"Run with {facts['python']} on {machine['cpu']}, "
        f"{machine['architecture']}, {machine['cores']} cores, {machine['system']}. {sources}.",
        "instrument": ref(WORKFLOW),
        "object": [ref(config_of(content)), ref(str(CLAIMS))],
        "result": refs(name for job in content.jobs for name in job.outputs),
        "endTime": facts["date"],
        "actionStatus": DONE,
        "subjectOf": ref(f"{content.results}/provenance.json"),
    }


def actions(content: Content) -> Iterator[Entity]:
    """Yield each job: which script made which files from which."""
    for job in content.jobs:
        yield {
            "@id": action_id(job),
            "@type": "CreateAction",
            "name": f"{job.step} {job.name}",
            "description": STEPS[job.step].does,
            "instrument": ref(STEPS[job.step].file),
            "object": refs(job.inputs or [config_of(content)]),
            "result": refs(job.outputs),
            "actionStatus": DONE,
        }


def claims(content: Content) -> Iterator[Entity]:
    """Yield ratings, claims of the paper, and verdicts on them here and on new seeds and games."""
    paper = content.citation["references"][0]["url"]
    again = [name for name in content.files if name.endswith("confirmation/claims.json")]
    for verdict in VERDICTS:
        yield {"@id": rating_id(verdict), "@type": "Rating", "alternateName": verdict}
    for claim in content.judgement.claims:
        yield {
            "@id": f"#claim-{claim.id}",
            "@type": "Claim",
            "name": claim.title,
            "text": claim.statement,
            "description": f"{claim.where}. Measured: {claim.measured}. "
            f"Counts as reproduced: {claim.criterion}.",
            "appearance": ref(paper),
        }
        table = Places(content.results).table(claim.table)
        beyond = f"Holds in universes: {claim.robustness.text}." if claim.robustness else ""
        yield review(claim, claim, "verdict", table, beyond)
        if claim.confirmation:
            source, status = again[0] if again else table, f"Status: {content.judgement.status}."
            yield review(claim, claim.confirmation, "confirmation", source, status)


def review(claim: JudgedClaim, verdict: Verdict, kind: str, source: str, beyond: str) -> Entity:
    """Return a verdict on a claim, and the file that it rests on."""
    parts = [f"{verdict.result}.", verdict.why, verdict.caveat, beyond]
    return {
        "@id": f"#{kind}-{claim.id}",
        "@type": "ClaimReview",
        "name": f"{claim.title}: {verdict.verdict}",
        "claimReviewed": claim.statement,
        "itemReviewed": ref(f"#claim-{claim.id}"),
        "reviewRating": ref(rating_id(verdict.verdict)),
        "reviewBody": " ".join(part for part in parts if part),
        "isBasedOn": ref(source),
    }


def people_and_paper(content: Content) -> Iterator[Entity]:
    """Yield the authors, the paper and its authors, and the licence."""
    citation = content.citation
    works = [article(one) for one in citation["references"]]
    people = [*citation["authors"], *(a for one in citation["references"] for a in one["authors"])]
    for name, person in {person_id(one): agent(one) for one in people}.items():
        yield {"@id": name, **person}
    for work, given in zip(works, citation["references"], strict=True):
        yield {**work, "author": refs(person_id(one) for one in given["authors"])}
    licence = citation["license"]
    yield {"@id": LICENCES + licence, "@type": "CreativeWork", "name": licence,
           "description": "The text is in the file LICENSE"}  # fmt: skip


def profiles() -> Iterator[Entity]:
    """Yield the profiles that the crate conforms to."""
    for url, name in PROFILES.items():
        yield {"@id": url, "@type": "CreativeWork", "name": name, "version": url.rpartition("/")[2]}


def software(content: Content) -> Iterator[Entity]:
    """Yield Python and the libraries that the study ran with."""
    python, version = content.provenance["python"].split()
    for name, known in {python: version, **content.provenance["libraries"]}.items():
        yield {"@id": f"#{name}", "@type": "SoftwareApplication", "name": name, "version": known}


def ref(name: str) -> Entity:
    """Return a reference to an entity."""
    return {"@id": name}


def refs(names: Iterable[str]) -> Entity | list[Entity]:
    """Return references to entities; a list only if there are several, as RO-Crate wants it."""
    found = [ref(name) for name in names]
    return found[0] if len(found) == 1 else found


def config_of(content: Content) -> str:
    """Return the file with every setting of the study."""
    return f"{content.results}/config.yaml"


def parameter_id(step: str) -> str:
    """Return the name of what a step leaves."""
    return f"#files-{step}"


def action_id(job: Job) -> str:
    """Return the name of a job."""
    return f"#{job.step}/{job.name}"


def rating_id(verdict: str) -> str:
    """Return the name of a verdict as a rating."""
    return f"#{verdict.replace(' ', '-')}"


def person_id(author: Any) -> str:
    """Return the name of an author."""
    return "#" + "-".join(agent(author)["name"].lower().split())
