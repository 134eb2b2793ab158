import base64
import hashlib
import hmac
import http.client
import json
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from decimal import Decimal
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union

# An amount of USDC: text or Decimal, never a float.
Amount = Union[str, int, Decimal]


class _Unset:
    """The default of optional arguments. None is sent as null."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Any = _Unset()


class FlorinError(Exception):
    """Every failure of a call. Branch on `code`.

    If `outcome_unknown` is true, the call may have been carried out: repeat it with the same `idempotency_key`.
    """

    def __init__(self, code: str, detail: str, **more: Any) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail
        self.title: str = more.get("title", detail)
        # 0: there was no answer.
        self.status: int = more.get("status", 0)
        self.retryable: bool = more.get("retryable", False)
        self.retry_after: Optional[float] = more.get("retry_after")
        self.outcome_unknown: bool = more.get("outcome_unknown", False)
        self.request_id: Optional[str] = more.get("request_id")
        self.idempotency_key: Optional[str] = more.get("idempotency_key")
        # The whole answer, if it is JSON.
        self.problem: Any = more.get("problem")


class Answer(Dict[str, Any]):
    """An answer of the service, with how it was given."""

    status: int
    headers: Mapping[str, str]
    request_id: str


def new_key() -> str:
    """A new Idempotency-Key. Store it before you pay, and pass it with every repetition."""
    return str(uuid.uuid4())


def write_amount(amount: Amount) -> str:
    """The digits of an exact amount of millionths. Nothing is rounded."""
    text = format(amount, "f") if isinstance(amount, Decimal) else str(amount)
    if isinstance(amount, (bool, float)) or not re.fullmatch(r"-?[0-9]+(\.[0-9]{1,6})?", text):
        detail = f"An amount is text or a Decimal with at most six decimals, not {amount!r}."
        raise FlorinError("amount.inexact", detail)
    return text


# 5xx answers which state that nothing was done.
_NOTHING_DONE = ("service.paused", "service.overloaded")
# Refusals of this attempt only: they say nothing about an earlier, unanswered attempt.
_OF_THE_ATTEMPT = re.compile(r"(auth|key|request|rate|idempotency\.in_progress|user\.paused|wallet\.pending)")
# 409 answers that a retry soon resolves.
_PASSING = ("idempotency.in_progress", "wallet.pending")


class _KeepHere(urllib.request.HTTPRedirectHandler):
    """A redirect would take the credential to another address."""

    def redirect_request(self, *_: Any) -> None:
        return None


class _Api:
    """Calls one API: one key for all attempts, time-outs, retries, errors."""

    def __init__(
        self,
        base_url: str,
        token: Optional[str] = None,
        *,
        timeout: float = 30,
        attempts: int = 8,
        first_pause: float = 0.3,
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self.token = token
        self.timeout = timeout
        self.attempts = attempts
        self.first_pause = first_pause
        self._opener = urllib.request.build_opener(_KeepHere)

    def _call(self, method: str, path: str, **how: Any) -> Any:
        """Makes attempts until there is an answer, or none can help."""
        key = how.get("key")
        if how.get("keyed") and key is UNSET:
            key = new_key()
        elif not how.get("keyed"):
            key = None
        request = self._prepare(method, path, key, how)
        changes = how.get("changes", False)
        repeatable = not changes or how.get("keyed") or how.get("repeatable")
        # A key of the caller may have been used before.
        doubt = bool(changes and how.get("keyed") and how.get("key") is not UNSET)
        for attempt in range(1, self.attempts + 1):
            request.add_header("X-Request-Id", new_key())
            try:
                return self._ask(request, how)
            except urllib.error.HTTPError as answer:
                error = _read_error(answer, changes, doubt, key)
            except ValueError as cause:
                # A proxy between us and the service wrote this answer.
                detail = f"The answer cannot be read: {cause}"
                raise FlorinError("answer.unreadable", detail, outcome_unknown=changes, idempotency_key=key) from cause
            except (OSError, http.client.HTTPException) as cause:
                known = {"outcome_unknown": changes, "idempotency_key": key}
                error = FlorinError("connection.lost", str(cause), retryable=True, **known)
            doubt = error.outcome_unknown
            if attempt == self.attempts or not _is_passing(error) or (doubt and not repeatable):
                raise error
            pause = min(15.0, self.first_pause * 2 ** (attempt - 1)) * random.uniform(0.5, 1)
            time.sleep(max(pause, error.retry_after or 0))
        raise AssertionError("unreachable")

    def _prepare(self, method: str, path: str, key: Optional[str], how: Mapping[str, Any]) -> urllib.request.Request:
        query = {name: value for name, value in how.get("query", {}).items() if value is not UNSET}
        url = self.base_url + path + ("?" + urllib.parse.urlencode(query) if query else "")
        body, headers = None, {"Accept": how.get("accept", "application/json"), "User-Agent": "florin-python"}
        if how.get("csv", UNSET) is not UNSET:
            body, headers["Content-Type"] = how["csv"].encode(), "text/csv"
        elif "body" in how:
            body, headers["Content-Type"] = _write_body(how["body"], how.get("amounts", ())), "application/json"
        if self.token is not None and how.get("credential", True):
            headers["Authorization"] = f"Bearer {self.token}"
        if key is not None:
            headers["Idempotency-Key"] = key
        if how.get("wait", UNSET) is not UNSET:
            headers["Prefer"] = f"wait={how['wait']}"
        return urllib.request.Request(url, data=body, headers=headers, method=method)

    def _ask(self, request: urllib.request.Request, how: Mapping[str, Any]) -> Any:
        wait = 0 if how.get("wait", UNSET) is UNSET else how["wait"]
        response = self._opener.open(request, timeout=self.timeout + wait)
        if how.get("accept") == "text/event-stream":
            return _read_stream(response)
        with response:
            text = response.read().decode()
        if how.get("accept") == "text/csv":
            return text
        answer = Answer(json.loads(text, parse_float=Decimal))
        answer.status, answer.headers = response.status, response.headers
        answer.request_id = response.headers.get("X-Request-Id", "")
        return answer


def _write_body(body: Mapping[str, Any], amounts: Sequence[str]) -> bytes:
    """JSON without floats: the digits of an amount are written as they are."""
    members = [
        f"{json.dumps(name)}:{write_amount(value) if name in amounts else json.dumps(value)}"
        for name, value in body.items()
        if value is not UNSET
    ]
    return ("{" + ",".join(members) + "}").encode()


def _read_error(answer: urllib.error.HTTPError, changes: bool, doubt: bool, key: Optional[str]) -> FlorinError:
    status, headers = answer.code, answer.headers
    try:
        said: Any = json.loads(answer.read().decode(), parse_float=Decimal)
    except (OSError, ValueError):
        said = None
    is_own = isinstance(said, dict) and isinstance(said.get("code"), str)
    faults = said.get("detail") if isinstance(said, dict) else None
    if is_own:
        code, detail = said["code"], said["detail"]
    elif status == 422 and isinstance(faults, list):
        code, detail = "request.invalid", "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in faults)
    else:
        code, detail = "answer.unexpected", f"The answer was {status}"
    may_run = (status >= 500 and code not in _NOTHING_DONE) or code == "idempotency.in_progress"
    # Only an answer of the service itself decides the outcome; another answer may come from a proxy.
    decides = is_own and status < 500 and status not in (408, 429) and not _OF_THE_ATTEMPT.match(code)
    after = headers.get("Retry-After", "")
    return FlorinError(
        code,
        detail,
        title=said["title"] if is_own else code,
        status=status,
        retryable=said["retryable"] if is_own else status >= 500,
        retry_after=float(after) if after.isdigit() else None,
        outcome_unknown=changes and (may_run or (doubt and not (decides or status == 413))),
        request_id=headers.get("X-Request-Id"),
        idempotency_key=key,
        problem=said,
    )


def _is_passing(error: FlorinError) -> bool:
    if error.status == 409:
        return error.code in _PASSING
    return error.code == "connection.lost" or error.status in (408, 429) or error.status >= 500


def _read_stream(response: Any) -> Iterator[Dict[str, Any]]:
    """Server-sent events. Ends when the connection does: call again with the last `id` as `after`."""
    with response:
        for line in response:
            if line.startswith(b"data:"):
                yield json.loads(line[5:], parse_float=Decimal)


def _quote(value: Any) -> str:
    return urllib.parse.quote(str(value), safe="")


def verify_webhook(body: bytes, headers: Mapping[str, str], secret: str, tolerance: float = 300) -> Dict[str, Any]:
    """The message, if it is signed with the secret and not old. `body` is what arrived, unchanged."""
    found = {name.lower(): value for name, value in headers.items()}
    sent_id, at, given = (found.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not re.fullmatch(r"[0-9]{1,12}", at) or abs(time.time() - int(at)) > tolerance:
        raise FlorinError("webhook.unverified", "The webhook is too old, from the future, or has no time.")
    key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret)
    mac = hmac.new(key, f"{sent_id}.{at}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(mac).decode()
    if not any([hmac.compare_digest(expected, one) for one in given.split(" ")]):
        raise FlorinError("webhook.unverified", "The webhook is not signed with this secret.")
    return json.loads(body, parse_float=Decimal)
