"""The client of Florin for Python: both APIs, with the standard library alone.

Written by `npm run generate` from the OpenAPI documents. Do not edit.
"""

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


class BackendApi(_Api):
    """People, payments between them, events, webhooks and payouts."""

    def login(self, *, id_token: str) -> Answer:
        """Log in with an ID token."""
        return self._call("POST", "/api/v1/login", body={"id_token": id_token}, changes=True, credential=False)

    def refresh_session(self, *, refresh_token: str, key: str = UNSET) -> Answer:
        """Get new tokens. Carried out once per `key`."""
        return self._call(
            "POST",
            "/api/v1/sessions/refresh",
            body={"refresh_token": refresh_token},
            keyed=True,
            key=key,
            changes=True,
            credential=False,
        )

    def list_sessions(self) -> Answer:
        """List your sessions."""
        return self._call("GET", "/api/v1/sessions")

    def end_all_sessions(self) -> Answer:
        """Log out everywhere."""
        return self._call("DELETE", "/api/v1/sessions", changes=True, repeatable=True)

    def revoke_session(self, session_id: str) -> Answer:
        """End a session."""
        return self._call("DELETE", f"/api/v1/sessions/{_quote(session_id)}", changes=True, repeatable=True)

    def list_account_keys(self) -> Answer:
        """List your keys."""
        return self._call("GET", "/api/v1/keys")

    def create_account_key(
        self,
        *,
        name: str,
        scopes: List[Any],
        payment_limit: Amount = UNSET,
        day_limit: Amount = UNSET,
        month_limit: Amount = UNSET,
        addresses: Optional[List[Any]] = UNSET,
        expires_at: Optional[str] = UNSET,
    ) -> Answer:
        """Create a key."""
        return self._call(
            "POST",
            "/api/v1/keys",
            body={
                "name": name,
                "scopes": scopes,
                "payment_limit": payment_limit,
                "day_limit": day_limit,
                "month_limit": month_limit,
                "addresses": addresses,
                "expires_at": expires_at,
            },
            amounts=("payment_limit", "day_limit", "month_limit",),
            changes=True,
        )

    def revoke_account_key(self, key_id: str) -> Answer:
        """Revoke a key."""
        return self._call("DELETE", f"/api/v1/keys/{_quote(key_id)}", changes=True, repeatable=True)

    def list_passkeys(self) -> Answer:
        """List your passkeys."""
        return self._call("GET", "/api/v1/passkeys")

    def add_passkey(
        self,
        *,
        challenge_id: str,
        name: str,
        credential_id: str,
        client_data: str,
        attestation: str,
        transports: Optional[List[Any]] = UNSET,
    ) -> Answer:
        """Add a passkey."""
        return self._call(
            "POST",
            "/api/v1/passkeys",
            body={
                "challenge_id": challenge_id,
                "name": name,
                "credential_id": credential_id,
                "client_data": client_data,
                "attestation": attestation,
                "transports": transports,
            },
            changes=True,
        )

    def create_passkey_challenge(
        self,
        *,
        deed: str,
        payment_id: Optional[str] = UNSET,
        receiver_username: Optional[str] = UNSET,
        destination_address: Optional[str] = UNSET,
        blockchain: Optional[str] = UNSET,
        amount: Amount = UNSET,
        payout_id: Optional[str] = UNSET,
        passkey_id: Optional[str] = UNSET,
        ask_above: Amount = UNSET,
    ) -> Answer:
        """Create a challenge."""
        return self._call(
            "POST",
            "/api/v1/passkeys/challenges",
            body={
                "deed": deed,
                "payment_id": payment_id,
                "receiver_username": receiver_username,
                "destination_address": destination_address,
                "blockchain": blockchain,
                "amount": amount,
                "payout_id": payout_id,
                "passkey_id": passkey_id,
                "ask_above": ask_above,
            },
            amounts=("amount", "ask_above",),
            changes=True,
        )

    def prove_passkey(
        self,
        *,
        challenge_id: str,
        credential_id: str,
        client_data: str,
        authenticator_data: str,
        signature: str,
    ) -> Answer:
        """Confirm a deed."""
        return self._call(
            "POST",
            "/api/v1/passkeys/proofs",
            body={
                "challenge_id": challenge_id,
                "credential_id": credential_id,
                "client_data": client_data,
                "authenticator_data": authenticator_data,
                "signature": signature,
            },
            changes=True,
        )

    def set_passkey_rule(self, *, ask_above: Amount = UNSET) -> Answer:
        """Set when payments need a passkey."""
        return self._call(
            "POST",
            "/api/v1/passkeys/rule",
            body={"ask_above": ask_above},
            amounts=("ask_above",),
            changes=True,
        )

    def keep_passkeys(self) -> Answer:
        """Keep your passkeys."""
        return self._call("POST", "/api/v1/passkeys/keep", changes=True)

    def remove_passkey(self, passkey_id: str) -> Answer:
        """Remove a passkey."""
        return self._call("DELETE", f"/api/v1/passkeys/{_quote(passkey_id)}", changes=True, repeatable=True)

    def set_username(self, *, user_id: str, username: str, key: str = UNSET) -> Answer:
        """Choose or change a username. Carried out once per `key`."""
        return self._call(
            "POST",
            "/api/v1/set_username",
            body={"user_id": user_id, "username": username},
            keyed=True,
            key=key,
            changes=True,
        )

    def send_usdc(
        self,
        *,
        sender_user_id: str,
        receiver_username: str,
        amount: Amount,
        payment_note: Optional[str] = UNSET,
        key: str = UNSET,
    ) -> Answer:
        """Pay a user. Carried out once per `key`."""
        return self._call(
            "POST",
            "/api/v1/send_usdc",
            body={
                "sender_user_id": sender_user_id,
                "receiver_username": receiver_username,
                "amount": amount,
                "payment_note": payment_note,
            },
            amounts=("amount",),
            keyed=True,
            key=key,
            changes=True,
        )

    def cancel_transaction(self, transaction_id: str, *, key: str = UNSET) -> Answer:
        """Cancel a payment to an address. Carried out once per `key`."""
        return self._call(
            "POST",
            f"/api/v1/transactions/{_quote(transaction_id)}/cancel",
            keyed=True,
            key=key,
            changes=True,
        )

    def latest_transactions_by_username(
        self,
        username: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        kind: str = UNSET,
        state: str = UNSET,
        from_: str = UNSET,
        to: str = UNSET,
        min_amount: str = UNSET,
        max_amount: str = UNSET,
        direction: str = UNSET,
        search: str = UNSET,
        counterparty: str = UNSET,
    ) -> Answer:
        """List payments, newest first."""
        return self._call(
            "GET",
            f"/api/v1/latest_transactions_by_username/{_quote(username)}",
            query={
                "limit": limit,
                "cursor": cursor,
                "kind": kind,
                "state": state,
                "from": from_,
                "to": to,
                "min_amount": min_amount,
                "max_amount": max_amount,
                "direction": direction,
                "search": search,
                "counterparty": counterparty,
            },
        )

    def latest_transactions_by_username_csv(
        self,
        username: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        kind: str = UNSET,
        state: str = UNSET,
        from_: str = UNSET,
        to: str = UNSET,
        min_amount: str = UNSET,
        max_amount: str = UNSET,
        direction: str = UNSET,
        search: str = UNSET,
        counterparty: str = UNSET,
    ) -> str:
        """List payments, newest first."""
        return self._call(
            "GET",
            f"/api/v1/latest_transactions_by_username/{_quote(username)}",
            query={
                "limit": limit,
                "cursor": cursor,
                "kind": kind,
                "state": state,
                "from": from_,
                "to": to,
                "min_amount": min_amount,
                "max_amount": max_amount,
                "direction": direction,
                "search": search,
                "counterparty": counterparty,
            },
            accept="text/csv",
        )

    def ask_for_money(
        self,
        *,
        amount: Amount,
        payer_username: Optional[str] = UNSET,
        note: Optional[str] = UNSET,
        expires_at: Optional[str] = UNSET,
        key: str = UNSET,
    ) -> Answer:
        """Ask for money. Carried out once per `key`."""
        return self._call(
            "POST",
            "/api/v1/requests",
            body={"payer_username": payer_username, "amount": amount, "note": note, "expires_at": expires_at},
            amounts=("amount",),
            keyed=True,
            key=key,
            changes=True,
        )

    def list_requests(
        self,
        *,
        direction: str = UNSET,
        state: str = UNSET,
        limit: int = UNSET,
        cursor: str = UNSET,
    ) -> Answer:
        """List requests for money."""
        return self._call(
            "GET",
            "/api/v1/requests",
            query={"direction": direction, "state": state, "limit": limit, "cursor": cursor},
        )

    def get_request(self, request_id: str) -> Answer:
        """Get a request for money."""
        return self._call("GET", f"/api/v1/requests/{_quote(request_id)}")

    def pay_request(self, request_id: str) -> Answer:
        """Pay a request for money."""
        return self._call("POST", f"/api/v1/requests/{_quote(request_id)}/pay", changes=True, repeatable=True)

    def decline_request(self, request_id: str) -> Answer:
        """Decline a request for money."""
        return self._call("POST", f"/api/v1/requests/{_quote(request_id)}/decline", changes=True, repeatable=True)

    def cancel_request(self, request_id: str) -> Answer:
        """Cancel a request for money."""
        return self._call("POST", f"/api/v1/requests/{_quote(request_id)}/cancel", changes=True, repeatable=True)

    def export_account(self) -> Answer:
        """Export your account."""
        return self._call("GET", "/api/v1/me/export")

    def close_account(self) -> Answer:
        """Close your account."""
        return self._call("POST", "/api/v1/me/close", changes=True)

    def read_limits(self, user_id: str) -> Answer:
        """Get the limits of a person."""
        return self._call("GET", f"/api/v1/limits/{_quote(user_id)}")

    def read_me(self) -> Answer:
        """Get your own account."""
        return self._call("GET", "/api/v1/me")

    def change_me(self, *, discoverable: bool) -> Answer:
        """Change your settings."""
        return self._call("PATCH", "/api/v1/me", body={"discoverable": discoverable}, changes=True, repeatable=True)

    def read_my_overview(self) -> Answer:
        """Get your own balances."""
        return self._call("GET", "/api/v1/me/overview")

    def list_my_recipients(self, *, limit: int = UNSET, cursor: str = UNSET) -> Answer:
        """List your recipients."""
        return self._call("GET", "/api/v1/me/recipients", query={"limit": limit, "cursor": cursor})

    def find_keyed_payment(self, *, idempotency_key: str) -> Answer:
        """Find out what became of an Idempotency-Key."""
        return self._call("GET", "/api/v1/me/keys", query={"idempotency_key": idempotency_key})

    def get_transaction(self, transaction_id: str) -> Answer:
        """Get a payment."""
        return self._call("GET", f"/api/v1/transactions/{_quote(transaction_id)}")

    def check_username(self, username: str) -> Answer:
        """Check whether a username is free."""
        return self._call("GET", f"/api/v1/usernames/{_quote(username)}")

    def find_address(self, address: str) -> Answer:
        """Find out whether an address belongs to a customer."""
        return self._call("GET", f"/api/v1/addresses/{_quote(address)}")

    def find_public_name(self, username: str) -> Answer:
        """Find a username that its owner has made public."""
        return self._call("GET", f"/api/v1/public/names/{_quote(username)}", credential=False)

    def find_public_request(self, request_id: str) -> Answer:
        """Get a request for money by its link."""
        return self._call("GET", f"/api/v1/public/requests/{_quote(request_id)}", credential=False)

    def preview_payment(
        self,
        *,
        amount: Amount,
        receiver_username: Optional[str] = UNSET,
        destination_address: Optional[str] = UNSET,
        blockchain: Optional[str] = UNSET,
    ) -> Answer:
        """Preview a payment."""
        return self._call(
            "POST",
            "/api/v1/preview",
            body={
                "receiver_username": receiver_username,
                "destination_address": destination_address,
                "amount": amount,
                "blockchain": blockchain,
            },
            amounts=("amount",),
            repeatable=True,
        )

    def send_to_address(
        self,
        *,
        destination_address: str,
        amount: Amount,
        blockchain: Optional[str] = UNSET,
        payment_note: Optional[str] = UNSET,
        wait: int = UNSET,
        key: str = UNSET,
    ) -> Answer:
        """Pay an address from your own wallet. Carried out once per `key`."""
        return self._call(
            "POST",
            "/api/v1/send_to_address",
            body={
                "destination_address": destination_address,
                "amount": amount,
                "blockchain": blockchain,
                "payment_note": payment_note,
            },
            amounts=("amount",),
            wait=wait,
            keyed=True,
            key=key,
            changes=True,
        )

    def list_events(self, *, after: str = UNSET, types: str = UNSET, limit: int = UNSET, wait: int = UNSET) -> Answer:
        """Read events."""
        return self._call("GET", "/api/v1/events", query={"after": after, "types": types, "limit": limit}, wait=wait)

    def stream_events(
        self,
        *,
        after: str = UNSET,
        types: str = UNSET,
        event_name: str = UNSET,
        lastEventId: str = UNSET,
    ) -> Iterator[Dict[str, Any]]:
        """Follow your own events."""
        return self._call(
            "GET",
            "/api/v1/events/stream",
            query={"after": after, "types": types, "event_name": event_name, "lastEventId": lastEventId},
            accept="text/event-stream",
        )

    def start_kyc(self, *, user_id: str) -> Answer:
        """Start an identity check."""
        return self._call("POST", "/api/v1/kyc/applicant", body={"user_id": user_id}, changes=True, repeatable=True)

    def issue_kyc_token(self, *, user_id: str) -> Answer:
        """Get a token for the provider's web SDK."""
        return self._call("POST", "/api/v1/kyc/access-token", body={"user_id": user_id}, changes=True, repeatable=True)

    def check_kyc(self, user_id: str) -> Answer:
        """Update the status from the provider."""
        return self._call("POST", f"/api/v1/kyc/check-status/{_quote(user_id)}", changes=True, repeatable=True)

    def read_kyc(self, email: str) -> Answer:
        """Read the stored status."""
        return self._call("GET", f"/api/v1/kyc/status/{_quote(email)}")

    def list_payouts(self, *, state: str = UNSET, before: str = UNSET, limit: int = UNSET) -> Answer:
        """List payouts."""
        return self._call("GET", "/api/v1/payouts", query={"state": state, "before": before, "limit": limit})

    def create_payout(
        self,
        *,
        rows: List[Any] = UNSET,
        payer: str = UNSET,
        on_shortage: str = UNSET,
        csv: str = UNSET,
    ) -> Answer:
        """Check a payout file."""
        return self._call(
            "POST",
            "/api/v1/payouts",
            query={"payer": payer, "on_shortage": on_shortage},
            body={"rows": rows},
            csv=csv,
            changes=True,
            repeatable=True,
        )

    def get_payout(self, payout_id: str) -> Answer:
        """Get a payout."""
        return self._call("GET", f"/api/v1/payouts/{_quote(payout_id)}")

    def confirm_payout(self, payout_id: str, *, count: int, total: str) -> Answer:
        """Start a payout."""
        return self._call(
            "POST",
            f"/api/v1/payouts/{_quote(payout_id)}/confirm",
            body={"count": count, "total": total},
            changes=True,
            repeatable=True,
        )

    def cancel_payout(self, payout_id: str) -> Answer:
        """Cancel the rest of a payout."""
        return self._call("POST", f"/api/v1/payouts/{_quote(payout_id)}/cancel", changes=True, repeatable=True)

    def list_payout_items(
        self,
        payout_id: str,
        *,
        state: str = UNSET,
        after: int = UNSET,
        limit: int = UNSET,
    ) -> Answer:
        """List the rows of a payout."""
        return self._call(
            "GET",
            f"/api/v1/payouts/{_quote(payout_id)}/items",
            query={"state": state, "after": after, "limit": limit},
        )

    def export_payout_items(self, payout_id: str) -> str:
        """Download the rows of a payout."""
        return self._call("GET", f"/api/v1/payouts/{_quote(payout_id)}/items.csv", accept="text/csv")

    def create_webhook(
        self,
        *,
        url: str,
        types: List[Any],
        description: Optional[str] = UNSET,
        order: Optional[str] = UNSET,
        key: str = UNSET,
    ) -> Answer:
        """Add a webhook. Carried out once per `key`."""
        return self._call(
            "POST",
            "/api/v1/webhooks",
            body={"url": url, "types": types, "description": description, "order": order},
            keyed=True,
            key=key,
            changes=True,
        )

    def list_webhooks(self) -> Answer:
        """List webhooks."""
        return self._call("GET", "/api/v1/webhooks")

    def get_webhook(self, webhook_id: str) -> Answer:
        """Get a webhook."""
        return self._call("GET", f"/api/v1/webhooks/{_quote(webhook_id)}")

    def change_webhook(
        self,
        webhook_id: str,
        *,
        url: Optional[str] = UNSET,
        types: Optional[List[Any]] = UNSET,
        description: Optional[str] = UNSET,
        order: Optional[str] = UNSET,
        state: Optional[str] = UNSET,
    ) -> Answer:
        """Change a webhook."""
        return self._call(
            "PATCH",
            f"/api/v1/webhooks/{_quote(webhook_id)}",
            body={"url": url, "types": types, "description": description, "order": order, "state": state},
            changes=True,
            repeatable=True,
        )

    def remove_webhook(self, webhook_id: str) -> Answer:
        """Remove a webhook."""
        return self._call("DELETE", f"/api/v1/webhooks/{_quote(webhook_id)}", changes=True, repeatable=True)

    def rotate_webhook_secret(self, webhook_id: str, *, former_ends_at: Optional[str] = UNSET) -> Answer:
        """Rotate the secret."""
        return self._call(
            "POST",
            f"/api/v1/webhooks/{_quote(webhook_id)}/rotate",
            body={"former_ends_at": former_ends_at},
            changes=True,
        )

    def list_webhook_deliveries(
        self,
        webhook_id: str,
        *,
        state: str = UNSET,
        limit: int = UNSET,
        cursor: str = UNSET,
    ) -> Answer:
        """List deliveries."""
        return self._call(
            "GET",
            f"/api/v1/webhooks/{_quote(webhook_id)}/deliveries",
            query={"state": state, "limit": limit, "cursor": cursor},
        )

    def replay_webhook_event(self, webhook_id: str, event_id: str) -> Answer:
        """Send one event again."""
        return self._call(
            "POST",
            f"/api/v1/webhooks/{_quote(webhook_id)}/deliveries/{_quote(event_id)}/replay",
            changes=True,
        )

    def replay_webhook_events(
        self,
        webhook_id: str,
        *,
        since: str,
        until: str,
        cursor: Optional[str] = UNSET,
    ) -> Answer:
        """Send a time span again."""
        return self._call(
            "POST",
            f"/api/v1/webhooks/{_quote(webhook_id)}/replay",
            body={"since": since, "until": until, "cursor": cursor},
            changes=True,
        )

    def test_webhook(self, webhook_id: str) -> Answer:
        """Send a test event."""
        return self._call("POST", f"/api/v1/webhooks/{_quote(webhook_id)}/test", changes=True)


class Web3Api(_Api):
    """Wallets and payments to addresses, with a service key."""

    def send_specific_amount_usdc(
        self,
        *,
        destination_address: str,
        amount: Amount,
        blockchain: str = UNSET,
        wallet_username: Optional[str] = UNSET,
        funding_wallet_id: Optional[str] = UNSET,
        payment_note: Optional[str] = UNSET,
        wait: int = UNSET,
        key: str = UNSET,
    ) -> Answer:
        """Send USDC to an address. Carried out once per `key`."""
        return self._call(
            "POST",
            "/wallet/send-usdc",
            body={
                "destination_address": destination_address,
                "amount": amount,
                "blockchain": blockchain,
                "wallet_username": wallet_username,
                "funding_wallet_id": funding_wallet_id,
                "payment_note": payment_note,
            },
            amounts=("amount",),
            wait=wait,
            keyed=True,
            key=key,
            changes=True,
        )

    def wallet_overview(self, *, address: str) -> Answer:
        """A wallet at a glance."""
        return self._call("GET", "/subgraph/wallet-overview", query={"address": address})

    def get_transaction(self, transaction_id: str) -> Answer:
        """The state of a payment."""
        return self._call("GET", f"/circle/transaction/{_quote(transaction_id)}")
