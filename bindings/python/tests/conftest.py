import pathlib
import random

import numpy as np
import pytest

DATA = pathlib.Path(__file__).resolve().parents[3] / "data"


@pytest.fixture
def data():
    return DATA


@pytest.fixture(params=range(20))
def graph(request):
    """A small random graph as rows of neighbours, with at most five right vertices."""
    draw = random.Random(request.param)
    num_right = draw.randint(1, 5)
    rows = [draw.sample(range(num_right), draw.randint(0 if draw.random() < 0.2 else 1, num_right)) for _ in range(draw.randint(0, 6))]
    return rows, num_right


@pytest.fixture(autouse=True)
def exact_errors():
    with np.errstate(all="raise"):
        yield
