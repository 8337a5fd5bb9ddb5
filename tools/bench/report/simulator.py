"""The part of the report about the simulator: the constants of this machine, and how well they predict what was measured."""
import pathlib
import sys
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from compare import table
from model import constants, validation
from model.constants import Constant
from model.validation import Prediction
from results import Results

FILE = "constants.json"
TITLE = "The simulator: predicted and measured"
HOW_TO_READ = (
    f"`regraft-plan simulate --constants {FILE}` predicts the life of a job on this machine, with the constants below. To see how far they "
    "can be trusted, it computes operations that were also measured, on as many ranks: one rank dies in a job with two copies (mod-k). "
    "`submit` is the first one, and `load` is that of ranks that all know what each of them wants. A ratio above 1 means that less time is "
    "taken than predicted. The constants of shrinks come from the same measurement as the times beside them, so that these rows only tell "
    "how well a line fits. All other constants come from other benchmarks than the times.")


@dataclass
class Model:
    constants: list[Constant]
    predictions: list[Prediction]


def model_of(found: dict[str, Results], folder: pathlib.Path, plan: pathlib.Path | None) -> Model:
    """Writes the constants into the folder, if any were measured. plan: regraft-plan; without it nothing is predicted."""
    measured = constants.measured(found)
    if not measured:
        return Model([], [])
    file = folder / FILE
    file.write_text(constants.text(measured, constants.machine_in_words(found)), encoding="utf-8")
    return Model(measured, validation.predictions(found, validation.Simulator(plan, file)) if plan else [])


def section(model: Model) -> list[str]:
    if not model.constants:
        return []
    lines = [f"## {TITLE}", "", HOW_TO_READ, ""]
    if model.predictions:
        lines += [validation.verdict(model.predictions), "", *table(validation.HEAD, validation.rows(model.predictions)), ""]
    rows = [[f"`{one.name}`", f"{one.value:.4g}", one.how] for one in model.constants]
    return [*lines, *table(["constant", "value", "measured by"], rows)]


def told(model: Model) -> list[str]:
    if not model.predictions:
        return []
    return ["the simulator, with the constants of this machine:",
            *(f"  {operation} on {ranks} ranks, {size or 'after a death'}: measured {measured}, predicted {predicted}, ratio {ratio}"
              for operation, ranks, size, measured, predicted, ratio in validation.rows(model.predictions)),
            validation.verdict(model.predictions)]
