"""The notebooks run as they stand, and print what is stored in them."""

import json
import os

import numpy as np
import pytest

import dfl_bench
from tests.conftest import ROOT
from tests.support.real_data import require_source

NOTEBOOKS = {
    "newsvendor": ("victoria", "victoria-rule.npz"),
    "battery": ("spanish-prices", "battery-rule.npz"),
}


def printed(cells):
    """What cells print, as text; the seconds in it differ from run to run."""
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    return ["".join(output["text"]) for output in outputs if output.get("name") == "stdout"]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_outputs_are_stored_and_no_cell_failed(name):
    cells = json.loads((ROOT / "examples" / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert all(output["output_type"] != "error" for cell in code for output in cell["outputs"])
    assert any("against" in text for text in printed(code))


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs(name, tmp_path, monkeypatch):
    nbclient = pytest.importorskip("nbclient", reason="the extra [dev] is not installed")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    source, rule = NOTEBOOKS[name]
    require_source(source)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    notebook = nbformat.read(ROOT / "examples" / f"{name}.ipynb", 4)
    before = printed(notebook.cells)
    nbclient.NotebookClient(notebook, timeout=280, resources={"metadata": {"path": str(tmp_path)}}).execute()
    after = printed(notebook.cells)
    assert [len(text.splitlines()) for text in after] == [len(text.splitlines()) for text in before]
    assert verdicts(after) == pytest.approx(verdicts(before), abs=2.0)
    assert np.isfinite(dfl_bench.load_predictor(tmp_path / rule).features).all()


def verdicts(texts):
    """The percentages of all comparisons: what the answer in the notebook stands on."""
    lines = [line for text in texts for line in text.splitlines() if "% lower" in line]
    assert lines
    return [float(line.split("regret")[1].split("%")[0]) for line in lines]
