"""The connection to a Ray cluster, with early and plain error messages."""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from anc.support import diagnostics
from anc.support.diagnostics import AncError, quoted
from anc.support.signals import SIGNALS

PREFIX = "ray://"
_ADDRESS = re.compile(r"(?P<host>[^\s:/@]+|\[[0-9a-fA-F:.]+\]):(?P<port>[0-9]{1,9})")
_LAST_PORT = 65_535
_PATIENCE = 5.0  # seconds to wait for an answer at an address
_SHORT = 160  # characters of Ray's messages

_connected_to: str | None = None  # the address that this process is connected to


def connected(on: str) -> Any:
    """Ray, connected to the cluster that `on` names.

    `ray://HOST:PORT` is a remote cluster, through its client port. `ray` is the cluster that the environment variable
    RAY_ADDRESS names or that this machine belongs to; without one, Ray starts a cluster on this machine alone. An
    existing connection of this process is reused.
    """
    global _connected_to
    address = _address(on)
    ray = _ray()
    if ray.is_initialized():
        if on != "ray" and address != _connected_to:
            raise AncError(
                f"this process is connected to another Ray cluster than {address}",
                help="close that connection first: ray.shutdown()",
            )
        return ray
    if address is not None:
        _check_answers(address)
    where = "on this machine" if address is None else f"at {address}"
    try:
        _connect(ray, address)
    except ImportError as problem:
        raise AncError(
            f"Ray cannot reach {address}: {problem}", help=diagnostics.install("ray")
        ) from None
    except Exception as problem:
        help = (
            "all machines need the same Ray and Python; is RAY_AUTH_MODE the same on all of them?"
        )
        if isinstance(problem, ConnectionAbortedError):
            help += " Was the cluster started with GRPC_ENABLE_FORK_SUPPORT=false?"
        elif isinstance(problem, ConnectionError) and str(address).startswith(PREFIX):
            help = f"is this its port for clients, usually 10001? {help}"
        reason = (str(problem).strip() or type(problem).__name__).splitlines()[-1].strip()
        raise AncError(
            f"there is no Ray cluster {where} that can be used: {reason}", help=help
        ) from None
    _connected_to = address
    _speak_on_standard_error()
    return ray


def _connect(ray: Any, address: str | None) -> None:
    """Connect, with one retry: the server that a cluster starts for a remote client may die at its start.

    (It is forked from a process whose other threads use gRPC. Starting the cluster with
    GRPC_ENABLE_FORK_SUPPORT=false prevents that.)
    """
    for is_last in (False, True):
        try:
            with _quiet(), _own_signals():
                ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
            return
        except ConnectionAbortedError:  # no retry without an answer: Ray has waited half a minute
            if is_last or address is None:
                raise


def _ray() -> Any:
    """The optional library."""
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # Ray's future default
    try:
        import ray
    except ImportError:
        raise AncError("Ray is not installed", help=diagnostics.install("ray")) from None
    return ray


def _address(on: str) -> str | None:
    """The address for Ray, or None for what it finds by itself."""
    named = os.environ.get("RAY_ADDRESS", "") if on == "ray" else on
    if named in ("", "auto", "local"):
        return None
    source = "RAY_ADDRESS" if on == "ray" else "on"
    help = f"Ray's port for clients is usually 10001: {PREFIX}HOST:10001"
    found = _ADDRESS.fullmatch(named.removeprefix(PREFIX))
    if found is None:
        raise AncError(f"{source} is {quoted(named)}, expected {PREFIX}HOST:PORT", help)
    if int(found["port"]) > _LAST_PORT:
        raise AncError(
            f"{source} is {quoted(named)}: there is no port {found['port']}, they go from 0 to"
            f" {_LAST_PORT}",
            help,
        )
    return named


def _check_answers(address: str) -> None:
    """Refuse an address without a listener: Ray itself would try for a minute."""
    match = _ADDRESS.fullmatch(address.removeprefix(PREFIX))
    assert match is not None
    host, port = match["host"].strip("[]"), int(match["port"])
    try:
        socket.create_connection((host, port), _PATIENCE).close()
    except (OSError, OverflowError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
        raise AncError(
            f"no Ray cluster answers at {address}: {reason}",
            help="does it run? start one there with: ray start --head",
        ) from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress Ray's own messages on standard error."""
    logger = logging.getLogger("ray")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(before)


def _speak_on_standard_error() -> None:
    """Redirect Ray's messages about dead workers from standard output, which is for results, and shorten them.

    Ray has no setting for this. Versions that print in another way are left alone.
    """
    from ray._private import worker

    def say(data: dict[str, Any], **how: Any) -> None:
        for line in data["lines"]:
            print(f"Ray: {line.partition(chr(10))[0][:_SHORT]}", file=sys.stderr)

    if hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = say


@contextmanager
def _own_signals() -> Iterator[None]:
    """Keep our signal handlers: Ray would replace some of them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)
