"""What is in an artifact, as data: methods, needs, bytes. See `inspect_artifact`."""

from pte_lint.inspection.build import NotInspectable, inspect_artifact
from pte_lint.inspection.model import Inspection

__all__ = ["Inspection", "NotInspectable", "inspect_artifact"]
