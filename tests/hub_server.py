"""A small Hub on the loopback: file list, ranges, redirects to a second host, and what a server can do wrong."""

from __future__ import annotations

import json
import re
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
_RANGE = re.compile(r"bytes=(\d+)-(\d+)")


@dataclass(slots=True)
class Request:
    """What the server was asked."""

    method: str
    host: str
    path: str
    range: str | None
    authorization: str | None
    proxy_authorization: str | None = None


@dataclass(slots=True)
class Hub:
    """The files of one repository, and how the server behaves; `trouble` is one word a path or `*` for all paths."""

    repository: str = "owner/model"
    files: dict[str, bytes] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)  # of sparse files: the bytes after those given are zeros
    hashes: dict[str, str] = field(default_factory=dict)
    latency: float = 0.0
    trouble: dict[str, str] = field(default_factory=dict)
    token: str | None = None
    requests: list[Request] = field(default_factory=list)
    connections: int = 0
    busy: int = 0
    busiest: int = 0
    url: str = ""
    second_url: str = ""
    closing: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def size(self, file: str) -> int:
        return self.sizes.get(file, len(self.files[file]))

    def asked(self, file: str) -> list[Request]:
        return [request for request in self.requests if request.path.endswith("/" + file)]


@contextmanager
def serve(hub: Hub, tls: ssl.SSLContext | None = None) -> Iterator[Hub]:
    """The hub at `hub.url`, its second host at `hub.second_url`, until the block ends; over TLS where it is given."""
    servers = [_server(hub, is_second) for is_second in (False, True)]
    scheme = "https" if tls else "http"
    hub.url, hub.second_url = (f"{scheme}://127.0.0.1:{server.server_address[1]}" for server in servers)
    if tls:
        for server in servers:
            server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    for server in servers:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield hub
    finally:
        hub.closing.set()
        for server in servers:
            server.shutdown()
            server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is part of the tests."""


def _server(hub: Hub, is_second: bool) -> _Server:
    handler = type("Handler", (_Handler,), {"hub": hub, "is_second": is_second})
    return _Server(("127.0.0.1", 0), handler)


class _Handler(BaseHTTPRequestHandler):
    hub: ClassVar[Hub]
    is_second: ClassVar[bool]
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        with self.hub.lock:
            self.hub.connections += 1

    def log_message(self, format: str, *args: object) -> None:
        """Nothing to say."""

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        hub = self.hub
        path = unquote(urlsplit(self.path).path)
        with hub.lock:
            hub.requests.append(
                Request(
                    self.command,
                    self.headers["Host"],
                    path,
                    self.headers["Range"],
                    self.headers["Authorization"],
                    self.headers["Proxy-Authorization"],
                )
            )
            hub.busy += 1
            hub.busiest = max(hub.busiest, hub.busy)
        try:
            if hub.latency:
                time.sleep(hub.latency)
            self._route(path)
        finally:
            with hub.lock:
                hub.busy -= 1

    def _route(self, path: str) -> None:
        hub = self.hub
        if path.startswith(f"/api/models/{hub.repository}"):
            return self._listing(path)
        match = re.fullmatch(rf"/{re.escape(hub.repository)}/resolve/([^/]+)/(.+)", path)
        if match is None:
            return self._error(404, "RepoNotFound")
        file = match[2]
        trouble = hub.trouble.get(file) or hub.trouble.get("*", "")
        if self._stumble(trouble, file):
            return None
        if hub.token and not self.is_second and self.headers["Authorization"] != f"Bearer {hub.token}":
            return self._error(401, "GatedRepo")
        if file not in hub.files:
            return self._error(404, "EntryNotFound")
        return self._file(file, trouble)

    def _stumble(self, trouble: str, file: str) -> bool:
        """Whether a trouble that needs no file was the answer."""
        word, _, value = trouble.partition(" ")
        asked = len(self.hub.asked(file))
        if word == "status":
            self._error(int(value), "")
        elif word == "code":
            self._error(403 if value == "GatedRepo" else 404, value)
        elif word == "once" and asked == 1:
            self._error(int(value), "")
        elif word == "wait":
            self._error(429, "", {"Retry-After": value})
        elif word == "hangup" or (word == "hangup-once" and asked == 1):
            self.close_connection = True
            self.connection.close()
        elif word == "loop":
            self._redirect(self.path)
        elif word == "second" and not self.is_second:
            self._redirect(self.hub.second_url + urlsplit(self.path).path)
        elif word == "to":
            self._redirect(value)
        elif word == "stall":
            self.hub.closing.wait(30)
        else:
            return False
        return True

    def _redirect(self, target: str) -> None:
        self.send_response(302)
        self.send_header("Location", target)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _error(self, status: int, code: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {**({"X-Error-Code": code} if code else {}), **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _listing(self, path: str) -> None:
        hub = self.hub
        trouble = hub.trouble.get("api", "")
        if self._stumble(trouble, path.rpartition("/")[2]):
            return None
        if "/revision/" in path and not path.endswith(("/revision/main", f"/revision/{COMMIT}")):
            return self._error(404, "RevisionNotFound")
        siblings = [{"rfilename": file, "size": hub.size(file), **self._lfs(file)} for file in hub.files]
        body = b"<html>no</html>" if trouble == "html" else json.dumps({"sha": COMMIT, "siblings": siblings}).encode()
        return self._send(200, {"Content-Type": "application/json"}, body, len(body))

    def _lfs(self, file: str) -> dict[str, object]:
        content_hash = self.hub.hashes.get(file)
        return {"lfs": {"sha256": content_hash, "size": self.hub.size(file)}} if content_hash else {}

    def _file(self, file: str, trouble: str) -> None:
        hub = self.hub
        size, headers = hub.size(file), {"ETag": f'"{file}"', "X-Repo-Commit": COMMIT, "Accept-Ranges": "bytes"}
        match = _RANGE.fullmatch(self.headers["Range"] or "")
        if match is None or trouble in ("no-ranges", "endless"):
            return self._whole(file, headers, trouble)
        begin, end = int(match[1]), min(int(match[2]) + 1, size)
        if begin >= size:
            return self._error(416, "", {"Content-Range": f"bytes */{size}"})
        told = {"lies-size": size + 1, "star": "*"}.get(trouble, size)
        headers["Content-Range"] = f"bytes {begin + (trouble == 'lies-start')}-{end - 1}/{told}"
        if trouble == "no-content-range":
            del headers["Content-Range"]
        if trouble == "packed":
            headers["Content-Encoding"] = "gzip"
        body = self._bytes(file, begin, end)
        if trouble == "short" or (trouble == "short-once" and len(hub.asked(file)) == 1):
            body = body[: len(body) // 2]
        if trouble == "more":
            return self._chunked(206, headers, body)
        return self._send(206, headers, body, end - begin)

    def _bytes(self, file: str, begin: int, end: int) -> bytes:
        return self.hub.files[file][begin:end].ljust(end - begin, b"\0")

    def _whole(self, file: str, headers: dict[str, str], trouble: str) -> None:
        hub, size = self.hub, self.hub.size(file)
        self.send_response(200)
        for name, value in headers.items():
            self.send_header(name, value)
        if trouble == "endless":
            self.close_connection = True
        else:
            self.send_header("Content-Length", str(size))
        self.end_headers()
        at = 0
        while self.command != "HEAD" and (at < size or trouble == "endless") and not hub.closing.is_set():
            end = min(size, at + 65536) if at < size else at + 65536
            self.wfile.write(self._bytes(file, at, end))
            at = end

    def _chunked(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while not self.hub.closing.is_set():
            self.wfile.write(f"{len(body):x}\r\n".encode() + body + b"\r\n")

    def _send(self, status: int, headers: dict[str, str], body: bytes, length: int) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        if self.command != "HEAD":
            if self.hub.trouble.get("*") == "drip":
                self._drip(body)
            else:
                self.wfile.write(body)
        if len(body) < length:
            self.close_connection = True

    def _drip(self, body: bytes) -> None:
        for byte in body:
            if self.hub.closing.wait(0.05):
                return
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
