"""The server of `anc play`: the page, and one adaptation at a time.

It listens on this computer only, and answers nobody who does not know the token in its address. A request
must name this server as its host, and one that starts or stops something must come from its own page.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from anc.commands.play_job import PlayJob, checked
from anc.support.diagnostics import AncError
from anc.support.signals import tidied

MOST_BYTES = 400_000  # of a request
IDLE = 1800.0  # seconds without a request until the server ends
PATIENCE = 20.0  # seconds that a client may take to send its request
MOST_THREADS = 16  # requests at a time
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class PlayServer(ThreadingHTTPServer):
    """Serves the page at `url`; in its context a job that runs is stopped at the end."""

    daemon_threads = True
    request_queue_size = MOST_THREADS

    def __init__(self, html: str, idle: float = IDLE) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.html, self.idle = html, idle
        self.token = secrets.token_urlsafe(24)
        self.host = f"127.0.0.1:{self.server_address[1]}"
        self.url = f"http://{self.host}/{self.token}/"
        self.job: PlayJob | None = None
        self.lock = threading.Lock()  # of the job, and of the time of the last request
        self.used = time.monotonic()
        self._slots = threading.BoundedSemaphore(MOST_THREADS)

    def __enter__(self) -> PlayServer:
        self._at_exit = tidied(self.close)
        self._at_exit.__enter__()
        return self

    def __exit__(self, *problem: object) -> None:
        self._at_exit.__exit__(*problem)
        self.close()

    def close(self) -> None:
        """Stop the job, and remove its folder."""
        job, self.job = self.job, None
        if job is not None:
            job.close()
        self.server_close()

    def serve(self) -> None:
        """Answer requests until none has come for a while, and no job is running."""
        self.timeout = 0.5
        while not self._is_idle():
            self.handle_request()

    def _is_idle(self) -> bool:
        with self.lock:
            if self.job is not None and self.job.is_running:
                self.used = time.monotonic()
            return time.monotonic() - self.used > self.idle

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._slots.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._slots.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a browser may close a connection at any time."""

    # -- what is asked for -------------------------------------------------------

    def begin(self, given: Any) -> dict[str, Any]:
        """Start an adaptation, unless one is running."""
        asked = checked(given)
        with self.lock:
            if self.job is not None:
                if self.job.is_running:
                    raise AncError("an adaptation is running", help="stop it first")
                self.job.close()
            self.job = PlayJob(asked)
        return {"state": "running"}

    def stop(self, given: Any) -> dict[str, Any]:
        """End the running adaptation with the best so far; asked twice, at once."""
        with self.lock:
            if self.job is not None:
                self.job.stop()
        return {"state": "stopping"}

    def standing(self) -> dict[str, Any]:
        """How far the adaptation is, and its result."""
        with self.lock:
            job = self.job
        return {"state": "none", "lines": [], "seconds": 0.0} if job is None else job.to_dict()

    def report(self) -> str | None:
        with self.lock:
            job = self.job
        return None if job is None else job.report()


class _Handler(BaseHTTPRequestHandler):
    server: PlayServer
    server_version, sys_version = "anc", ""
    timeout = PATIENCE

    def do_GET(self) -> None:
        place = self._place()
        if place is None:
            return
        if place == "":
            self._send(HTTPStatus.OK, self.server.html, "text/html")
        elif place == "job":
            self._answer(lambda: self.server.standing())
        elif place == "report":
            html = self.server.report()
            if html is None:
                self._refuse(HTTPStatus.NOT_FOUND, "there is no result")
            else:
                self._send(HTTPStatus.OK, html, "text/html")
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "there is nothing at this address")

    def do_POST(self) -> None:
        place = self._place()
        if place is None:
            return
        if self.headers.get("Origin") != f"http://{self.server.host}":
            self._refuse(HTTPStatus.FORBIDDEN, "this request comes from another page")
            return
        if self.headers.get_content_type() != "application/json":
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "expected JSON")
            return
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit() or int(length) > MOST_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {MOST_BYTES:,} bytes")
            return
        try:
            given = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            self._refuse(HTTPStatus.BAD_REQUEST, "this is not JSON")
            return
        actions = {"adapt": self.server.begin, "stop": self.server.stop}
        if place in actions:
            self._answer(lambda: actions[place](given))
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "there is nothing at this address")

    def _place(self) -> str | None:
        """What is asked for, of a request that names this server and its token; others are refused."""
        if self.headers.get("Host") != self.server.host:
            self._refuse(HTTPStatus.FORBIDDEN, "this server has another name")
            return None
        token, _, place = urlsplit(self.path).path.lstrip("/").partition("/")
        if not secrets.compare_digest(token.encode(), self.server.token.encode()):
            self._refuse(HTTPStatus.NOT_FOUND, "there is nothing at this address")
            return None
        with self.server.lock:
            self.server.used = time.monotonic()
        return place

    def _answer(self, action: Callable[[], dict[str, Any]]) -> None:
        try:
            self._send(HTTPStatus.OK, json.dumps(action()), "application/json")
        except AncError as problem:
            found = {"problem": problem.message, "help": problem.help}
            self._send(HTTPStatus.BAD_REQUEST, json.dumps(found), "application/json")

    def _refuse(self, status: HTTPStatus, words: str) -> None:
        self.close_connection = True
        self._send(status, json.dumps({"problem": words, "help": None}), "application/json")

    def _send(self, status: HTTPStatus, text: str, kind: str) -> None:
        data = text.encode()
        try:
            self.send_response(status)
            for name, value in HEADERS.items():
                self.send_header(name, value)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except (TimeoutError, ConnectionError):
            self.close_connection = True

    def log_message(self, format: str, *arguments: Any) -> None:
        """Log nothing: the address holds the token."""
