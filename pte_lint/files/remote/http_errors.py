"""Says what went wrong with a request, without the address that libraries put into their errors."""

from __future__ import annotations

from typing import Final

_STATUS: Final = {
    401: "the server wants credentials",
    403: "access is denied",
    404: "there is no such file",
    410: "there is no such file any more",
    429: "the server has had too many requests",
}

_ERRORS: Final = {
    "TooManyRedirects": "the server redirects too often",
    "InvalidURL": "that is no address",
    "InvalidUrlClientError": "that is no address",
    "InvalidUrlRedirectClientError": "the server redirects to what is no address",
    "NonHttpUrlRedirectClientError": "the server redirects to something else than HTTP",
    "ClientConnectorDNSError": "the host's name is not known",
    "ClientConnectorCertificateError": "the server's certificate is not valid",
    "ClientConnectorSSLError": "no secure connection can be made",
    "ClientPayloadError": "the connection was cut, or the answer is not as long as it says",
    "ServerDisconnectedError": "the server closed the connection",
    "ClientOSError": "the connection was cut",
    "ClientResponseError": "the server's answer is no HTTP",
}


BUSY: Final = (429, 500, 502, 503, 504)
"""Statuses of a server that may do better the next time."""

_PASSING: Final = (
    "TimeoutError",
    "ClientPayloadError",
    "ServerDisconnectedError",
    "ClientOSError",
)


def is_passing(error: Exception) -> bool:
    """Whether a request that ended so may work the next time."""
    return any(kind.__name__ in _PASSING for kind in type(error).__mro__)


def seconds(told: str) -> float:
    """What a server says in `Retry-After`, if that is a number of seconds."""
    return float(told) if told.isascii() and told.isdecimal() and len(told) < 10 else 0.0


def explain_status(status: int) -> str:
    """What a status means that is no success."""
    if status in _STATUS:
        return f"{_STATUS[status]} (HTTP {status})"
    blame = "the server failed" if status >= 500 else "the server's answer is of no use"
    return f"{blame} (HTTP {status})"


def explain(error: Exception, timeout: float) -> str:
    """What an exception of the HTTP client means.

    Args:
        error: what was raised; its text is not used.
        timeout: the seconds that were waited for a byte.
    """
    if isinstance(error, TimeoutError):
        return f"the server is too slow: no byte for {timeout:g} seconds, or too few of them"
    for kind in type(error).__mro__:
        if kind.__name__ in _ERRORS:
            return _ERRORS[kind.__name__]
        if kind.__name__ == "ClientConnectorError":
            reason = getattr(getattr(error, "os_error", None), "strerror", None)
            return f"no connection: {reason}" if reason else "no connection"
    return f"the request failed ({type(error).__name__})"
