"""A repository on the loopback, in one thread that sleeps for the latency, so that a client is what is measured.

python benchmarks/server.py FOLDER    # prints its address; ends when its input does
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path

LATENCY = 0.05  # seconds
COMMIT = "0123456789abcdef0123456789abcdef01234567"
_RANGE = re.compile(rb"\r\nrange: *bytes=(\d+)-(\d+)\r\n", re.IGNORECASE)


class Repository:
    """The files of a folder; of a safetensors file the header is kept, and zeros stand for its weights."""

    def __init__(self, folder: Path) -> None:
        self.starts: dict[str, bytes] = {}
        self.sizes: dict[str, int] = {}
        for path in sorted(folder.iterdir()):
            with path.open("rb") as stream:
                first = stream.read(8)
                is_shard = path.suffix == ".safetensors"
                self.starts[path.name] = first + stream.read(int.from_bytes(first, "little") if is_shard else -1)
            self.sizes[path.name] = path.stat().st_size
        siblings = [{"rfilename": name, "size": size} for name, size in self.sizes.items()]
        self.listing = json.dumps({"sha": COMMIT, "siblings": siblings}).encode()

    def answer(self, head: bytes) -> bytes:
        """The whole reply to a request's head."""
        method, path, _ = head.partition(b"\r\n")[0].decode().split(" ")
        if path.startswith("/api/"):
            return _reply("200 OK", "", self.listing)
        name = path.rpartition("/")[2]
        if name not in self.sizes:
            return _reply("404 Not Found", "X-Error-Code: EntryNotFound\r\n", b"")
        size, about = self.sizes[name], f'ETag: "{name}"\r\nX-Repo-Commit: {COMMIT}\r\nAccept-Ranges: bytes\r\n'
        if method == "HEAD":
            return _reply("200 OK", about, b"", size)
        span = _RANGE.search(head)
        begin, end = (int(span[1]), min(int(span[2]) + 1, size)) if span else (0, len(self.starts[name]))
        status = "206 Partial Content" if span else "200 OK"
        about += f"Content-Range: bytes {begin}-{end - 1}/{size}\r\n" if span else ""
        return _reply(status, about, self.starts[name][begin:end].ljust(end - begin, b"\0"))


def _reply(status: str, about: str, body: bytes, length: int | None = None) -> bytes:
    length = len(body) if length is None else length
    return f"HTTP/1.1 {status}\r\n{about}Content-Length: {length}\r\n\r\n".encode() + body


async def serve(repository: Repository) -> None:
    """Answer each request after LATENCY."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                await asyncio.sleep(LATENCY)
                writer.write(repository.answer(head))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=256)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(serve(Repository(Path(sys.argv[1]))))
