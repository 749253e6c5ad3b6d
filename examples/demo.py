"""What `make demo` shows: a Python function, adapted to the calls that it gets, with a proof and a page."""

import json
import random
import shlex
import subprocess
import sys
from pathlib import Path

BUDGET = sys.argv[1] if len(sys.argv) > 1 else "20s"
SOURCE = Path(__file__).resolve().with_name("tickets.py")
FOLDER = Path("out", "demo")
CALLS, RESULT = FOLDER / "calls.jsonl", FOLDER / "result"


def anc(*words: str | Path) -> None:
    """Run a command; its progress is shown, and its result is read from the folder."""
    typed = [str(word) for word in words]
    print(f"$ anc {shlex.join(typed).replace(str(SOURCE), 'examples/tickets.py')}", flush=True)
    command = [Path(sys.executable).parent / "anc", *typed]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


print("A bus company computes its fares with this function (examples/tickets.py):\n")
print(SOURCE.read_text().partition("@anc.function\n")[2])

FOLDER.mkdir(parents=True, exist_ok=True)
random.seed(1)
calls = [(random.randint(1, 9), random.randint(6, 14), random.randint(0, 12)) for _ in range(600)]
CALLS.write_text("".join(f"{json.dumps(call)}\n" for call in calls))
print("One ticket machine stands in front of a school. These are the calls of a morning:\n")
print("  " + ", ".join(f"fare{call}" for call in calls[:4]) + ", ...")

print(f"\nanc looks for a program that is faster for such calls, and for a proof ({BUDGET}):\n")
anc("adapt", SOURCE, "--data", CALLS, "--budget", BUDGET, "-o", RESULT, "--force")
anc("report", RESULT)

function = json.loads((RESULT / "result.json").read_text())["function"]
if function["deployed"] is None:
    sys.exit(
        "\nNothing that was proved is faster on this machine, so your function stays as it is."
    )
before, after = (function["worth"][f"{which}_nanoseconds"] for which in ("original", "guarded"))
adapted = (RESULT / "adapted.py").read_text().partition("def fare_original")[0].rstrip()
print(f"\nIt found, in {RESULT}/adapted.py:\n\n{adapted}\n")
times = f"{before / after:.1f} times"
print(f"""Faster  {after:.0f} ns a call instead of {before:.0f} in plain Python, {times}, with its check.
Right   whenever {" and ".join(function["deployed"]["words"]) or "it is called"}: proved for all such calls.
Safe    any other call fails the check and goes to your function, which stands behind the new one.
Look    open {RESULT}/report.html in a browser: both programs side by side, step by step.""")
