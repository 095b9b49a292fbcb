"""Why no export shows what a rule finds, or why one way to mend it is not for an export.

Each rule has a script under `scenarios`, or stands here, or both where only some of its snippets
are for an export that shows the finding. What Python it prints is carried out all the same, on a
sound export of the kind that is named: it must run, and give a program without findings.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reason:
    """Why there is no such export, and what the snippets are carried out on (`sound.py`)."""

    why: str
    on: str | None = None


def _changed(on: str | None = "Plain") -> Reason:
    return Reason("the exporter does not write it: the file was changed or damaged afterwards", on)


def _outside(what: str) -> Reason:
    return Reason(f"what helps is no Python: {what}")


def _refused(on: str) -> Reason:
    return Reason("the exporter of 1.5 refuses to write it, or settles it by itself", on)


_OTHER_RELEASE = _outside("another release of ExecuTorch")
_FILES = _outside("which files are given to the runtime")
_RUNNER = _outside("how the runner is built, or loads the program")

REASONS = {
    "PTE001": _changed(),
    "PTE002": _outside("git-lfs"),
    "PTE003": Reason("it is no export at all", "Plain"),
    "PTE004": _OTHER_RELEASE,
    "PTE005": _outside("the transfer"),
    "PTE006": _changed(),
    "PTE008": _changed(),
    "PTE010": _changed(),
    "PTE011": _changed(),
    "PTE012": _OTHER_RELEASE,
    "PTE013": _OTHER_RELEASE,
    "PTE014": _changed(),
    "PTE015": _changed(),
    "PTE016": _changed(),
    "PTE017": _outside("cutting the file"),
    "PTE018": _FILES,
    "PTE019": _outside("C++ that unpacks it; nothing is wrong"),
    "PTE020": _changed(),
    "PTE021": _changed(),
    "PTE022": _outside("an option of pte-lint"),
    "PTE101": Reason("the exporter refuses to write a program without methods", "Plain"),
    "PTE102": _changed(),
    "PTE103": Reason("methods come as a dict, whose keys differ", "TwoMethods"),
    "PTE104": _changed(),
    "PTE105": _changed(),
    "PTE107": Reason("the exporter knows no element type that the runtime does not", "Plain"),
    "PTE108": Reason("the exporter writes 0", "Fragment"),
    "PTE109": _refused("Bounded"),
    "PTE110": _refused("Bounded"),
    "PTE111": _changed(),
    "PTE112": _changed(),
    "PTE113": _changed(),
    "PTE114": Reason("the exporter makes an input of each element of a list", "ListOfTensors"),
    "PTE116": _changed("WithConstants"),
    "PTE117": Reason("the exporter makes an input of each argument", "Plain"),
    "PTE120": _changed(),
    "PTE121": _changed(),
    "PTE122": _changed(),
    "PTE123": _changed(),
    "PTE124": _changed(),
    "PTE125": Reason("torch.cond refuses other predicates", "Branches"),
    "PTE126": _changed(),
    "PTE127": _changed(),
    "PTE128": _changed(),
    "PTE129": _changed(),
    "PTE130": _changed(),
    "PTE132": _changed(),
    "PTE133": Reason("torch.export makes a mutable buffer of what the model changes", "Cached"),
    "PTE134": _changed(),
    "PTE136": _changed(),
    "PTE137": _changed(),
    "PTE139": _changed(),
    "PTE140": _changed(),
    "PTE141": Reason("kernels refuse in more ways than there are exports of here", "Lines"),
    "PTE305": _changed("OnDevice"),
    "PTE307": Reason("the exporter makes both sides of a copy from one tensor", "OnDevice"),
    "PTE309": Reason("the exporter keeps tensors of each device apart", "OnDevice"),
    "PTE310": Reason("the exporter writes one entry for each device arena", "OnDevice"),
    "PTE313": Reason("the exporter copies what a delegate gives to the host", "OnDevice"),
    "PTE315": Reason("the exporter plans state with initial data on the host", "OnDevice"),
    "PTE317": _changed("OnDevice"),
    "PTE318": Reason("exporters since 1.4 leave such pairs out", "OnDevice"),
    "PTE319": Reason(
        "the exporter of 1.5 fails where it would copy a constant", "PartitionOnDevice"
    ),
    "PTE320": _RUNNER,
    "PTE402": _RUNNER,
    "PTE403": Reason("it takes a custom operator with a kernel of one's own", "Plain"),
    "PTE404": _RUNNER,
    "PTE405": _changed(),
    "PTE412": _changed(),
    "PTE413": _changed(),
    "PTE414": _changed(),
    "PTE415": _OTHER_RELEASE,
    "PTE416": _changed("WithNumber"),
    "PTE417": _FILES,
    "PTE418": Reason("libraries are made where the backend's compiler is", "Plain"),
    "PTE419": _OTHER_RELEASE,
    "PTE420": Reason("nothing is wrong, and there is no snippet"),
    "PTE421": Reason("the exporter gives delegates the sizes that they were made for", "Bounded"),
    "PTE430": _outside("the machine that exports"),
    "PTE431": _outside("the machine that exports"),
    "PTE432": _changed(None),
    "PTE433": _changed(),
    "PTE434": _changed(),
    "PTE436": _outside("the machine that exports"),
    "PTE502": _changed(),
    "PTE503": _changed(),
    "PTE504": _changed(),
    "PTE506": _changed("WithState"),
    "PTE507": _OTHER_RELEASE,
    "PTE511": _FILES,
    "PTE512": _changed("WithConstants"),
    "PTE513": _FILES,
    "PTE514": _changed("External"),
    "PTE515": _changed("External"),
    "PTE516": _changed("External"),
    "PTE517": _changed("External"),
    "PTE518": Reason("it takes two exports whose data files are mixed", "InAdapter"),
    "PTE521": _changed("External"),
    "PTE522": _changed("External"),
    "PTE523": _OTHER_RELEASE,
    "PTE524": _FILES,
    "PTE525": _FILES,
    "PTE531": _changed("Bundled"),
    "PTE532": _changed("Bundled"),
    "PTE601": _OTHER_RELEASE,
    "PTE633": _outside("a smaller model"),
    "PTE635": _outside("a smaller model, or a target's profile"),
    "PTE636": Reason("methods of one model have the same buffers", "TwoSteps"),
    "PTE637": _RUNNER,
    "PTE701": _changed(),
    "PTE702": _changed(),
    "PTE704": Reason("nothing is wrong, and there is no snippet"),
    "PTE705": Reason("XNNPACK's partitioner, the advice, is what exports weights twice", "Plain"),
}
