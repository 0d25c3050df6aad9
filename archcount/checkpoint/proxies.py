"""The proxy that the environment or the system names for a host."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import unquote
from urllib.request import getproxies, proxy_bypass

from urllib3.exceptions import HTTPError, LocationParseError
from urllib3.util import parse_url

from ..hub_settings import with_scheme


class Host(NamedTuple):
    """Where a URL leads, and what a token is for."""

    scheme: str
    name: str
    port: int | None


class Proxy(NamedTuple):
    """Where it is, `user:password` where it wants a login, as text of one byte a character, and whether over TLS."""

    address: str
    login: str | None
    is_safe: bool


class SettingError(HTTPError):
    """A setting of the environment by which nothing can be asked; `mend` says what to set."""

    def __init__(self, problem: str, mend: str) -> None:
        super().__init__(problem)
        self.mend = mend


def proxy_for(host: Host) -> Proxy | None:
    """What HTTPS_PROXY, HTTP_PROXY or ALL_PROXY (else the system) names, unless NO_PROXY exempts the host.

    Raises SettingError: it is no address. It is not quoted, since it may hold a password.
    """
    settings = {scheme: value.strip() for scheme, value in getproxies().items()}
    setting = settings.get(host.scheme) or settings.get("all", "")
    if not setting or not host.name or _is_exempt(host, settings.get("no", "")):
        return None
    address = with_scheme(setting)
    try:
        url = parse_url(address)
    except LocationParseError:
        url = parse_url("")
    if not url.host or any(map(str.isspace, address)):
        raise SettingError("the proxy's address is none", "set HTTPS_PROXY to http://host:port, or unset it")
    # Bytes of any encoding as so many characters, for that is how urllib3 turns a login into bytes.
    return Proxy(address, unquote(url.auth, "latin-1") if url.auth else None, url.scheme == "https")


def _is_exempt(host: Host, exempt: str) -> bool:
    if "*" in (name.strip() for name in exempt.split(",")):
        return True
    port = "" if host.port is None else f":{host.port}"
    return any(proxy_bypass(name + port) for name in {host.name, host.name.strip("[]")})
