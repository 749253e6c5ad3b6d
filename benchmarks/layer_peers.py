"""anc beside other systems in one run: sums of two numbers of N digits, the same network, pictures and optimiser.

    pip install problog deepproblog pysdd        # each peer is used if it is installed
    pip install pylon-lib astor
    python benchmarks/layer_peers.py --n 1,2,4 --seconds 60

Each system trains PyTorch's LeNet on MNIST's sums for the same processor time on one thread, with Adam at a rate of
0.001 and no tricks; building its layer is included. *by hand* is a dynamic program over the carry in PyTorch, written
for this task alone; anc gets the function of the task. A system that does not finish in four times the time is given
up. DeepProbLog, which solves the sums of a batch one after the other, gets small batches.
"""

from __future__ import annotations

import argparse
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from anc_experiments.mnist.data import load_pictures
from anc_experiments.mnist.tasks import Samples, addition

Loss = Callable[
    [Tensor, np.ndarray, np.ndarray], Tensor
]  # of pictures, which ones, the sum's digits
BATCH = {"anc": 32, "by hand": 32, "Pylon": 32, "DeepProbLog": 4}


def lenet() -> nn.Sequential:
    return nn.Sequential(
        *(nn.Conv2d(1, 6, 5), nn.MaxPool2d(2), nn.ReLU()),
        *(nn.Conv2d(6, 16, 5), nn.MaxPool2d(2), nn.ReLU(), nn.Flatten()),
        *(nn.Linear(256, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10)),
    )


def anc_loss(N: int, network: nn.Module) -> Loss:
    """The layer of the function that the experiment on MNIST uses."""
    layer = addition(N).layer().module()

    def loss(shown: Tensor, which: np.ndarray, results: np.ndarray) -> Tensor:
        rows = network(shown).log_softmax(-1).reshape(-1, 2, N, 10)
        return -layer.log_likelihood(rows[:, 0], rows[:, 1], observed=torch.tensor(results)).mean()

    return loss


def by_hand_loss(N: int, network: nn.Module) -> Loss:
    """From the last digits to the first, the probability of both carries and of all that was seen so far."""
    a = torch.arange(10)

    def loss(shown: Tensor, which: np.ndarray, results: np.ndarray) -> Tensor:
        rows = network(shown).log_softmax(-1).reshape(-1, 2, N, 10)
        seen = torch.tensor(results).long()
        carries = torch.tensor([0.0, -torch.inf]).repeat(len(rows), 1)
        for place in range(N - 1, -1, -1):
            after = []
            for out in (0, 1):
                found = []
                for carry in (0, 1):
                    b = seen[:, place + 1, None] + 10 * out - carry - a
                    second = rows[:, 1, place].gather(1, b.clamp(0, 9))
                    both = rows[:, 0, place] + second.masked_fill((b < 0) | (b > 9), -torch.inf)
                    # a carry that cannot be keeps a finite gradient
                    both = torch.where(both.isinf().all(1, keepdim=True), -1e9, both)
                    found.append(carries[:, carry] + both.logsumexp(1))
                after.append(torch.stack(found).clamp(min=-1e9).logsumexp(0))
            carries = torch.stack(after, 1)
        return -carries.gather(1, seen[:, :1]).mean()

    return loss


def pylon_loss(N: int, network: nn.Module) -> Loss:
    """A condition in Python, judged on all 100**N pairs of numbers."""
    if N > 2:
        raise RuntimeError(f"its solver lists all {100**N:,} pairs of numbers for each step")
    from pylon.brute_force_solver import SatisfactionBruteForceSolver
    from pylon.constraint import constraint

    powers = 10 ** np.arange(N, -1, -1)

    def loss(shown: Tensor, which: np.ndarray, results: np.ndarray) -> Tensor:
        rows = network(shown).log_softmax(-1).reshape(-1, 2 * N, 1, 10)
        wanted = torch.tensor(results @ powers)[:, None]
        weights = [int(power) for power in powers[1:]] * 2

        def adds_up(*digits: Tensor) -> list[bool]:
            total = sum(w * d for w, d in zip(weights, digits, strict=True))
            return (total == wanted)[:, 0].tolist()

        judged = constraint(adds_up, SatisfactionBruteForceSolver())
        return judged(*(rows[:, k] for k in range(2 * N))) / len(rows)

    return loss


DEEP = """
nn(reader, [X], Y, [0,1,2,3,4,5,6,7,8,9]) :: digit(X, Y).
number([], Total, Total).
number([X|Rest], Before, Total) :- digit(X, D), After is D + 10 * Before, number(Rest, After, Total).
added(First, Second, Total) :- number(First, 0, A), number(Second, 0, B), Total is A + B.
"""


def deepproblog_loss(N: int, network: nn.Module) -> Loss:
    """Its exact engine, with cached circuits; it calls the network itself."""
    from deepproblog.engines import ExactEngine
    from deepproblog.model import Model
    from deepproblog.network import Network
    from deepproblog.query import Query
    from problog.logic import Constant, Term, list2term

    reader = Network(nn.Sequential(network, nn.Softmax(-1)), "reader", batching=True)
    model = Model(DEEP, [reader], load=False)
    model.set_engine(ExactEngine(model), cache=True)
    shown_now: dict[int, Tensor] = {}

    class Source:
        def __getitem__(self, index: Any) -> Tensor:
            return shown_now[int(index[0])]

    model.add_tensor_source("shown", Source())

    def query(which: np.ndarray, result: int) -> Any:
        names = [Term(f"p{k}") for k in range(2 * N)]
        tensors = [Term("tensor", Term("shown", Constant(int(each)))) for each in which]
        numbers = list2term(names[:N]), list2term(names[N:])
        return Query(
            Term("added", *numbers, Constant(result)), dict(zip(names, tensors, strict=True))
        )

    def loss(shown: Tensor, which: np.ndarray, results: np.ndarray) -> Tensor:
        shown_now.update(zip(which.ravel().tolist(), shown, strict=True))
        sums = results @ 10 ** np.arange(N, -1, -1)
        solved = model.solve([query(*pair) for pair in zip(which, sums.tolist(), strict=True)])
        found = [next(iter(each.result.values())) for each in solved]
        return -torch.stack(found).log().mean()

    return loss


LOSSES = {
    "anc": anc_loss,
    "by hand": by_hand_loss,
    "Pylon": pylon_loss,
    "DeepProbLog": deepproblog_loss,
}


def train(system: str, N: int, seconds: float, seed: int) -> str:
    """A line of the table: sums trained on, milliseconds for each, accuracy of sums and digits."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    pictures = load_pictures(None, print)
    shown = torch.tensor(pictures.train).float().div(255).unsqueeze(1)
    samples = addition(N).training(pictures.train_digits, seed)
    network = lenet()
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-3)
    began = time.process_time()
    loss = LOSSES[system](N, network)
    built = time.process_time() - began
    done, batch = 0, BATCH[system]
    while time.process_time() - began < seconds:
        at = done % (len(samples) // batch * batch)
        part = samples.part(slice(at, at + batch))
        value = loss(shown[part.pictures.ravel()], part.pictures, part.results)
        optimiser.zero_grad()
        value.backward()
        optimiser.step()
        done += batch
    taken = time.process_time() - began
    sums, digits = tested(network, N, pictures, seed)
    each = 1e3 * (taken - built) / done
    rates = f"sums {100 * sums:.1f} %, digits {100 * digits:.2f} %"
    return f"trained on {done:,} sums, {each:.2f} ms each, {rates}"


@torch.no_grad()
def tested(network: nn.Module, N: int, pictures: Any, seed: int) -> tuple[float, float]:
    shown = torch.tensor(pictures.test).float().div(255).unsqueeze(1)
    read = torch.cat([network(part).argmax(-1) for part in shown.split(1000)]).numpy()
    task = addition(N)
    test: Samples = task.test(pictures.test_digits, seed)
    right = (task.program.results(read[test.pictures]) == test.results).all(1)
    return float(right.mean()), float((read == pictures.test_digits).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", default="1,2,4", help="digits of a number, with commas")
    parser.add_argument("--seconds", type=float, default=60, help="processor time of each training")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--systems", default=",".join(LOSSES))
    parser.add_argument(
        "--one", nargs=2, metavar=("SYSTEM", "N"), help="one training, in this process"
    )
    given = parser.parse_args()
    limit = round(4 * given.seconds) + 30
    if given.one:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        try:
            print(train(given.one[0], int(given.one[1]), given.seconds, given.seed))
        except (ImportError, RuntimeError) as error:
            print(f"not run: {error}")
        return
    for N in given.n.split(","):
        for system in given.systems.split(","):
            words = [sys.executable, __file__, "--one", system, N, "--seconds", str(given.seconds)]
            words += ["--seed", str(given.seed)]
            done = subprocess.run(words, capture_output=True, text=True)
            if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
                text = f"given up after {limit} s of processor time"
            else:
                text = (done.stdout or done.stderr).strip().splitlines()[-1]
            print(f"N = {N}  {system:<12} {text}", flush=True)


if __name__ == "__main__":
    main()
