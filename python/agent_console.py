"""A client of Agent Console: one file, only the standard library, Python 3.11 or newer.

Copy the file into your project. It is not on PyPI. README.md beside it has examples.
"""

from __future__ import annotations

import http.client
import json
import platform
import random
import re
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict, Unpack, cast, get_args, get_type_hints
from urllib import error, parse, request

VERSION = "0.1.0"

_AGENTS = "/v1/agent-configurations"
_AGENT = "/v1/agent-configurations/{id}"
_MAX_WAIT_S = 60.0
"""A caller waits no longer than this for a single call; a longer `retry-after` is reported instead."""
_MAX_BACKOFF_S = 8.0
_MAX_EDITS = 4
_MAX_REMEMBERED = 10_000
"""An interrupted stream repeats the last events only."""


class ConsoleError(Exception):
    """Base class of all errors of this module. None of them contains the token."""

    def __init__(self, message: str, request_id: str | None = None) -> None:
        super().__init__(message)
        self.request_id = request_id
        """Id of the request in the log and the audit log of the console."""
        self.after_lost_response = False
        """The response to an earlier try was lost, so that try may have made the change."""


class ConnectionFailed(ConsoleError):
    """There was no complete response: the change may have been made or not."""


class TimedOut(ConsoleError):
    """The response did not arrive in time: the change may have been made or not."""


class ApiError(ConsoleError):
    """The console answered with an error."""

    def __init__(
        self, name: str, status: int, body: Any, request_id: str | None, retry_after_s: float | None
    ) -> None:
        problem = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
        code, detail = problem.get("code"), problem.get("detail")
        self.status = status
        self.code = cast("ProblemCode | None", code if isinstance(code, str) else None)
        """None for 422, and if a service behind the console or a proxy in front of it answered."""
        self.faults = cast("list[ValidationError]", detail) if isinstance(detail, list) else []
        """The place of each fault, for 422."""
        self.detail = detail if isinstance(detail, str) else "; ".join(_describe(each) for each in self.faults[:3])
        self.body: Any = cast("Any", body)
        """The parsed body; text if it is not JSON."""
        self.retry_after_s = retry_after_s
        super().__init__(" ".join(filter(None, [f"{name}: {status}", self.code, self.detail])), request_id)


class Unauthenticated(ApiError):
    """401: there is no valid token."""


class Forbidden(ApiError):
    """403: the token does not allow it."""


class NotFound(ApiError):
    """404: it does not exist, or belongs to another team."""


class Conflict(ApiError):
    """409: the state of the console does not allow it; `code` says why."""


class PositionExpired(ApiError):
    """410: the events after the position are no longer stored. List the agents, then watch without a position."""


class Stale(ApiError):
    """412: the agent is at another revision than `if_revision`."""


class ValidationFailed(ApiError):
    """422: the request is not valid; `faults` says why."""


class Unavailable(ApiError):
    """408, 429, 502, 503, 504: the console or a service behind it cannot answer now."""


_CLASSES: dict[int, type[ApiError]] = {
    **{401: Unauthenticated, 403: Forbidden, 404: NotFound, 409: Conflict, 410: PositionExpired, 412: Stale},
    **{422: ValidationFailed, **dict.fromkeys((408, 429, 502, 503, 504), Unavailable)},
}


@dataclass(frozen=True)
class Reply:
    """A success."""

    data: Any
    """JSON is parsed; text is a str; everything else is bytes; None without a body."""
    status: int
    headers: Message
    request_id: str


@dataclass(frozen=True)
class AgentResult:
    """An agent with its revision, which only the ETag of a response holds."""

    agent: Agent
    revision: int
    ignored_fields: list[str]
    """Names of the fields in the body that the console ignored."""
    credential_warnings: list[str]
    """Paths of values in the body that look like a credential."""
    request_id: str


@dataclass(frozen=True)
class WatchedEvent:
    """An event and its position. Keep `id`, to continue with `last_event_id` in another process."""

    id: str
    data: AgentEvent


class Console:
    """A client. It may be shared by threads; each request opens a connection of its own.

    `token` is the bearer token, or a function that returns a valid one, which is called before every try. `timeout_s`
    is the time limit of one try. `max_retries` is how often a failed request is repeated, if that is safe.
    `logger` is called with each try: never with the token, the query or a body. Proxies of the environment are used.
    """

    def __init__(
        self,
        base_url: str,
        token: str | Callable[[], str],
        *,
        team: str | None = None,
        timeout_s: float = 30.0,
        max_retries: int = 2,
        retry_delay_s: float = 0.25,
        user_agent: str | None = None,
        logger: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        url = parse.urlsplit(base_url)
        if url.scheme not in ("http", "https") or not url.hostname or "@" in url.netloc:
            raise ConsoleError("base_url is not an http URL without a password")
        self._base_url = f"{url.scheme}://{url.netloc}{url.path.rstrip('/')}"
        self._token = token
        self._team = team
        self._timeout_s = timeout_s
        self._max_retries = max_retries
        self._retry_delay_s = retry_delay_s
        own = f"agent-console-python/{VERSION} python/{platform.python_version()}"
        self._user_agent = own if user_agent is None else f"{user_agent} {own}"
        self._logger = logger
        self._opener = request.build_opener(_NoRedirects)
        self.agents = Agents(self)

    def me(self) -> Me:
        """Who the caller is, and what the token allows."""
        return self.request("GET", "/v1/me").data

    def request(
        self,
        method: str,
        template: str,
        *,
        path: Mapping[str, str | int] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        headers: Mapping[str, str | None] | None = None,
        idempotent: bool | None = None,
    ) -> Reply:
        """Calls any operation of the document, such as `request("GET", "/v1/views/{name}", path={"name": "mine"})`.

        `idempotent` says whether a repetition cannot make the change a second time. Default: True for GET, and for a
        request with `if-match` or `idempotency-key`.
        """
        sent = {name.lower(): value for name, value in (headers or {}).items() if value is not None}
        # `if-match: *` matches after the change, too.
        guarded = "idempotency-key" in sent or sent.get("if-match", "*") != "*"
        is_repeatable = (method == "GET" or guarded) if idempotent is None else idempotent
        request_id = str(uuid.uuid4())
        after_lost_response = False
        for attempt in range(self._max_retries + 1):
            deadline = time.monotonic() + self._timeout_s
            try:
                with self._open(
                    *(method, template, path, query, body, sent, request_id, attempt, self._timeout_s)
                ) as response:
                    return _read_reply(response, request_id, deadline)
            except ConsoleError as failure:
                failure.after_lost_response = after_lost_response
                if attempt >= self._max_retries or not is_repeatable or not _is_passing(failure):
                    raise
                after_lost_response = after_lost_response or not _is_unmade(failure)
                time.sleep(self._delay_s(failure, attempt))
        raise AssertionError

    def _delay_s(self, failure: ConsoleError, attempt: int) -> float:
        # The console knows better than the client when to come back; otherwise a random delay spreads the clients.
        asked = failure.retry_after_s if isinstance(failure, Unavailable) else None
        return random.uniform(0, min(_MAX_BACKOFF_S, self._retry_delay_s * 2**attempt)) if asked is None else asked

    def _open(
        self,
        method: str,
        template: str,
        path: Mapping[str, str | int] | None,
        query: Mapping[str, Any] | None,
        body: Any,
        headers: Mapping[str, str],
        request_id: str,
        attempt: int,
        timeout_s: float,
    ) -> http.client.HTTPResponse:
        """One try. Returns a success, whose body the caller reads."""
        expanded = _expand(template, path or {})
        name = f"{method} {expanded}"
        token = self._token if isinstance(self._token, str) else self._token()
        # Checked here, because the message of the library about an invalid header contains the header.
        if not re.fullmatch(r"[\x21-\x7e]+", token):
            raise ConsoleError("The token is not a bearer token")
        own = {"authorization": f"Bearer {token}", "user-agent": self._user_agent, "x-request-id": request_id}
        outgoing = request.Request(
            self._base_url + expanded + _query_string(query or {}),
            method=method,
            data=None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode(),
            headers={
                **({} if body is None else {"content-type": "application/json"}),
                **({} if self._team is None else {"console-team": self._team}),
                **{**headers, **own},
            },
        )
        started = time.monotonic()
        status: int | None = None
        try:
            response = self._opener.open(outgoing, timeout=timeout_s)
            status = response.status
            return response
        except error.HTTPError as failure:
            with failure:
                status = failure.code
                raise _api_error(name, failure, request_id, started + timeout_s) from None
        # The errors of the library are not passed on: they can contain what was sent.
        except (OSError, http.client.HTTPException) as failure:
            raise _connection_error(name, failure, request_id) from None
        finally:
            if self._logger:
                self._logger(
                    {
                        **{"method": method, "path": expanded, "request_id": request_id, "attempt": attempt},
                        **{"duration_s": round(time.monotonic() - started, 3), "status": status},
                    }
                )


class Agents:
    """The operations on agents. Every other operation: `Console.request`."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def list(self, **query: Unpack[ListAgentConfigurationsQuery]) -> AgentPage:
        """A page of the agents of the team."""
        return self._console.request("GET", _AGENTS, query=query).data

    def iterate(self, **query: Unpack[ListAgentConfigurationsQuery]) -> Iterator[tuple[Agent, int]]:
        """All agents that match, page by page, each with its revision. With `fields`, an agent has only these members."""
        cursor = query.get("cursor")
        while True:
            page = self.list(**query) if cursor is None else self.list(**{**query, "cursor": cursor})
            yield from zip(page["results"], page["revisions"], strict=True)
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def get(self, id: str, **query: Unpack[GetAgentConfigurationQuery]) -> AgentResult:
        """The agent as it is now, or as it was at `revision`."""
        return _agent_result(self._console.request("GET", _AGENT, path={"id": id}, query=query))

    def create(
        self, agent: AgentCreate, *, reason: str | None = None, idempotency_key: str | None = None
    ) -> AgentResult:
        """Creates an agent. A repetition with the same key creates no second one."""
        # Made before the first try, so that a repetition is the same change.
        headers = {**_change_headers(reason), "idempotency-key": idempotency_key or str(uuid.uuid4())}
        return _agent_result(self._console.request("POST", _AGENTS, body=agent, headers=headers))

    def update(
        self, id: str, changes: AgentUpdate, *, if_revision: int | None = None, reason: str | None = None
    ) -> AgentResult:
        """Replaces the given fields. Give `if_revision` to overwrite no change of another writer."""
        sent = cast("dict[str, Any]", changes)
        return self._once(
            *("PUT", _AGENT, {"id": id}, changes, if_revision, reason),
            lambda made, agent: made["action"] == "updated"
            and sent.keys() >= set(made["fields"])
            and all(
                _is_ignored(name, value) or _is_stored_as(name, value, agent.get(name)) for name, value in sent.items()
            ),
        )

    def edit(
        self, id: str, change: Callable[[Agent, int], AgentUpdate | None], *, reason: str | None = None
    ) -> AgentResult:
        """Reads the agent, calls `change`, and writes what it returns if no other writer was faster; otherwise it
        starts again, at most three times. Without a return value nothing is written."""
        for attempt in range(1, _MAX_EDITS + 1):
            current = self.get(id)
            changes = change(current.agent, current.revision)
            if changes is None:
                return current
            try:
                return self.update(id, changes, if_revision=current.revision, reason=reason)
            except Stale:
                if attempt == _MAX_EDITS:
                    raise
        raise AssertionError

    def delete(self, id: str, *, if_revision: int | None = None, reason: str | None = None) -> None:
        """Hides the agent at once. It can be brought back for some days."""
        try:
            self._console.request("DELETE", _AGENT, path={"id": id}, headers=_change_headers(reason, if_revision))
        except NotFound as failure:
            # The try whose response was lost has deleted it.
            if not failure.after_lost_response:
                raise

    def revisions(self, id: str, **query: Unpack[ListAgentRevisionsQuery]) -> AgentRevisionPage:
        """A page of the revisions of the agent, newest first."""
        return self._console.request("GET", f"{_AGENT}/revisions", path={"id": id}, query=query).data

    def diff(self, id: str, revision: int, **query: Unpack[DiffAgentRevisionsQuery]) -> AgentDiff:
        """What differs between a revision and another one, by default the one before."""
        path = {"id": id, "revision": revision}
        return self._console.request("GET", f"{_AGENT}/revisions/{{revision}}/diff", path=path, query=query).data

    def restore(
        self, id: str, revision: int, *, if_revision: int | None = None, reason: str | None = None
    ) -> AgentResult:
        """Makes a new revision with the values of an earlier one."""
        return self._once(
            *("POST", f"{_AGENT}/revisions/{{revision}}/restore", {"id": id, "revision": revision}, None),
            *(if_revision, reason),
            lambda made, _: made["restored_revision"] == revision,
        )

    def move_stage(
        self, id: str, stage: TrustStage, *, if_revision: int | None = None, reason: str | None = None
    ) -> AgentResult:
        """Moves the agent to another trust stage."""
        return self._once(
            *("PUT", f"{_AGENT}/lifecycle", {"id": id}, {"trust_stage": stage}, if_revision, reason),
            lambda made, agent: made["action"] == "trust_stage_changed" and agent["trust_stage"] == stage,
        )

    def watch(
        self,
        agent_ids: Iterable[str] = (),
        *,
        last_event_id: str | None = None,
        silence_s: float = 45.0,
        on_state: Callable[[ConsoleError | None], None] | None = None,
    ) -> Iterator[WatchedEvent]:
        """The changes of the agents, without a gap, each once.

        It connects again after every interruption and never ends by itself: break out of the loop. `on_state` is
        called with None when the stream is connected, and with the error when it is interrupted; what it raises ends
        the watch. Raises `PositionExpired` if events were missed, `Unauthenticated` and `Forbidden` at once.
        """
        seen: dict[str, None] = {}
        position = last_event_id
        query = {"agent_ids": list(agent_ids)}
        console = self._console
        attempt = 0
        while True:
            headers = {"accept": "text/event-stream", **({} if position is None else {"last-event-id": position})}
            try:
                # Each connection has a new token: a stream ends with its token.
                with console._open(  # pyright: ignore[reportPrivateUsage]
                    *("GET", f"{_AGENTS}/events", None, query, None, headers, str(uuid.uuid4()), attempt, silence_s)
                ) as response:
                    if on_state:
                        on_state(None)
                    for event_id, data in _server_sent_events(response):
                        attempt = 0
                        position = event_id or position
                        event = cast("AgentEvent | None", data and json.loads(data))
                        if event is None or position is None or event["id"] in seen:
                            continue
                        seen[event["id"]] = None
                        if len(seen) > _MAX_REMEMBERED:
                            del seen[next(iter(seen))]
                        yield WatchedEvent(position, event)
                failure = ConnectionFailed("The stream ended")
            except ConsoleError as interruption:
                if not _is_passing(interruption):
                    raise
                failure = interruption
            if on_state:
                on_state(failure)
            time.sleep(console._delay_s(failure, attempt))  # pyright: ignore[reportPrivateUsage]
            attempt += 1

    def _once(
        self,
        method: str,
        template: str,
        path: Mapping[str, str | int],
        body: Any,
        if_revision: int | None,
        reason: str | None,
        is_result: Callable[[AgentRevision, dict[str, Any]], bool],
    ) -> AgentResult:
        """Sends a change. If its response was lost and its repetition finds another revision, the first try may have
        made that revision: then it is the result. Otherwise a caller that repeats the change would make it twice."""
        headers = _change_headers(reason, if_revision)
        try:
            return _agent_result(self._console.request(method, template, path=path, body=body, headers=headers))
        except Stale as failure:
            if not failure.after_lost_response or if_revision is None:
                raise
            id, number = str(path["id"]), if_revision + 1
            made = self._revision(id, number)
            is_ours = (
                made is not None
                and (made["reason"] == ((reason or "").strip() or None) or "reason" in made["redacted"])
                and made["changed_by"] == self._console.me()["user_id"]
            )
            if made is None or not is_ours:
                raise
            result = self.get(id, revision=number)
            if not is_result(made, cast("dict[str, Any]", result.agent)):
                raise
            return result

    def _revision(self, id: str, number: int) -> AgentRevision | None:
        page = self.revisions(id)
        while True:
            for each in page["results"]:
                if each["revision"] == number:
                    return each
            cursor = page["next_cursor"]
            if cursor is None or any(each["revision"] < number for each in page["results"]):
                return None
            page = self.revisions(id, cursor=cursor)


class _NoRedirects(request.HTTPRedirectHandler):
    """A redirect would send the token, and the change, to another address."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _expand(template: str, values: Mapping[str, str | int]) -> str:
    def value(match: re.Match[str]) -> str:
        text = str(values.get(match[1], ""))
        # Servers and proxies would resolve these, and an empty value, to another path.
        if text in ("", ".", ".."):
            raise ConsoleError(f"The path has no {match[1]}")
        return parse.quote(text, safe="")

    return re.sub(r"\{(\w+)\}", value, template)


def _query_string(query: Mapping[str, Any]) -> str:
    """A list is repeated: `statuses=draft&statuses=active`."""
    pairs: list[tuple[str, str]] = []
    for name, given in query.items():
        values = cast("Iterable[Any]", given if isinstance(given, (list, tuple)) else [given])
        texts = (str(each).lower() if isinstance(each, bool) else str(each) for each in values if each is not None)
        pairs += ((name, text) for text in texts)
    return f"?{parse.urlencode(pairs)}" if pairs else ""


def _change_headers(reason: str | None, if_revision: int | None = None) -> dict[str, str]:
    return {
        # Headers are bytes: the console reads percent-encoded UTF-8.
        **({} if reason is None else {"console-change-reason": parse.quote(reason, safe="")}),
        **({} if if_revision is None else {"if-match": f'"{if_revision}"'}),
    }


def _read_all(response: Any, deadline: float) -> bytes:
    chunks: list[bytes] = []
    while chunk := response.read1(65_536):
        chunks.append(chunk)
        if time.monotonic() > deadline:
            raise TimeoutError
    # A read of a part does not notice that the connection has ended too early.
    if response.length:
        raise http.client.IncompleteRead(b"".join(chunks), response.length)
    return b"".join(chunks)


def _read_reply(response: http.client.HTTPResponse, request_id: str, deadline: float) -> Reply:
    try:
        body = _read_all(response, deadline)
    except (OSError, http.client.HTTPException) as failure:
        raise _connection_error("Response", failure, request_id) from None
    kind = response.headers.get("content-type") or ""
    data: Any = body or None
    if re.search(r"[/+]json\b", kind):
        try:
            data = json.loads(body)
        except ValueError:
            # Without a length, a response that breaks off looks complete.
            raise ConnectionFailed("The response broke off", request_id) from None
    elif body and re.match("text|.*json", kind):
        data = body.decode(errors="replace")
    return Reply(data, response.status, response.headers, response.headers.get("x-request-id") or request_id)


def _api_error(name: str, failure: error.HTTPError, request_id: str, deadline: float) -> ConsoleError:
    try:
        text = _read_all(failure.fp, deadline).decode(errors="replace")
    except (OSError, http.client.HTTPException) as broken:
        return _connection_error(name, broken, request_id)
    try:
        body = json.loads(text)
    except ValueError:
        # A proxy answers with a page.
        body = text
    headers = failure.headers
    used_id = headers.get("x-request-id") or request_id
    kind = _CLASSES.get(failure.code, ApiError)
    return kind(name, failure.code, body, used_id, _retry_after_s(headers.get("retry-after")))


def _connection_error(name: str, failure: Exception, request_id: str) -> ConsoleError:
    cause = failure.reason if isinstance(failure, error.URLError) else failure
    if isinstance(cause, TimeoutError):
        return TimedOut(f"{name}: no response in time", request_id)
    return ConnectionFailed(f"{name}: the connection failed ({type(cause).__name__})", request_id)


def _retry_after_s(header: str | None) -> float | None:
    """Seconds or a date."""
    if header is None or header.isdigit():
        return None if header is None else float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None


def _is_passing(failure: ConsoleError) -> bool:
    """Whether the same request may succeed later."""
    if not isinstance(failure, Unavailable):
        return isinstance(failure, (ConnectionFailed, TimedOut))
    # Only an operator changes what is not configured.
    return not (failure.code or "").endswith("_not_configured") and (failure.retry_after_s or 0) <= _MAX_WAIT_S


def _is_unmade(failure: ConsoleError) -> bool:
    """Whether the failed try cannot have made its change. A token function knows no request id: nothing was sent."""
    return failure.request_id is None or (isinstance(failure, Unavailable) and failure.status == 429)


def _server_sent_events(response: http.client.HTTPResponse) -> Iterator[tuple[str | None, str | None]]:
    """The id and the data of each event. An event that breaks off is left out."""
    event_id: str | None = None
    data: list[str] = []
    while True:
        try:
            line = response.readline()
        except (OSError, http.client.HTTPException, ValueError) as failure:
            raise _connection_error("The stream", failure, "") from None
        if not line.endswith(b"\n"):
            return
        text = line.decode().rstrip("\r\n")
        if text == "":
            yield event_id, "\n".join(data) if data else None
            data = []
            continue
        name, _, value = text.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            data.append(value)
        elif name == "id":
            event_id = value


def _agent_result(reply: Reply) -> AgentResult:
    def names(header: str) -> list[str]:
        text = reply.headers.get(header)
        return [] if text is None else [parse.unquote(each) for each in text.split(", ")]

    # A proxy that compresses makes the ETag weak.
    revision = re.search(r"\d+", reply.headers.get("etag") or "")
    if revision is None:
        raise ConsoleError("The response has no revision", reply.request_id)
    return AgentResult(
        *(reply.data, int(revision[0]), names("console-ignored-fields"), names("console-credential-warnings")),
        reply.request_id,
    )


def _is_ignored(name: str, value: Any) -> bool:
    """Whether the console ignores this member of an update."""
    if name not in AgentUpdate.__annotations__:
        return True
    return value is None and type(None) not in get_args(get_type_hints(Agent)[name])


def _is_stored_as(field: str, given: Any, stored: Any) -> bool:
    """Whether the console stores `given` as `stored`, which is masked where it is secret."""
    if field in ("api_key", "github_token") and isinstance(given, str):
        # The mask of a short secret shows nothing of it.
        return stored == given or (len(given) >= 20 and stored == "*" * 8 + given[-4:])
    if field == "test_score" and given is not None and stored is not None:
        return float(given) == float(stored)
    if isinstance(given, dict) and isinstance(stored, dict):
        ours, theirs = cast("dict[str, Any]", given), cast("dict[str, Any]", stored)
        inner = field == "white_box_config"
        return ours.keys() == theirs.keys() and all(
            _is_stored_as(name if inner else "", ours[name], theirs[name]) for name in ours
        )
    return given == stored


def _describe(fault: ValidationError) -> str:
    return f"{'.'.join(str(each) for each in fault['loc'])}: {fault['msg']}"


# Generated by `npm run generate` from the OpenAPI document. Do not edit.
class User(TypedDict):
    "The display name of a user, from the last token that the console took it from."
    user_id: str
    name: str
    changed_at: int


class UserList(TypedDict):
    "Display names of users of the team."
    results: list[User]


class AgentParams(TypedDict):
    "Model parameters. The console stores them and does not apply them."
    temperature: NotRequired[float | None]
    top_p: NotRequired[float | None]
    max_tokens: NotRequired[int | None]
    timeout: NotRequired[int | None]
    rag_params: NotRequired[dict[str, Any] | None]
    function_route_params: NotRequired[dict[str, Any] | None]


class MCPConfig(TypedDict):
    "Proxy configuration for the Model Context Protocol (MCP). A credential, such as that of a header, is a reference to a named secret: `{\"$secret\": \"name\"}`."
    proxy_url: NotRequired[str | None]
    access_level: NotRequired[Literal["read", "write", "admin", None]]
    server_urls: NotRequired[list[str] | None]


class DelegatedAgent(TypedDict):
    "Another agent that this agent delegates work to. The first of `agent_id`, `agent_card_url` and `url` that is known in the team identifies it; `name` does not."
    agent_id: NotRequired[str | None]
    url: NotRequired[str | None]
    agent_card_url: NotRequired[str | None]
    name: NotRequired[str | None]
    capabilities: NotRequired[list[str] | None]


class WhiteBoxConfig(TypedDict):
    "Source-code access configuration, for the access level `white_box`."
    source_code: NotRequired[str | None]
    repo_url: NotRequired[str | None]
    github_username: NotRequired[str | None]
    github_token: NotRequired[str | None]
    repo_branch: NotRequired[str | None]
    entry_point: NotRequired[str | None]


class AgentMetadata(TypedDict):
    "Display and organisation data."
    role: NotRequired[str | None]
    job_description: NotRequired[str | None]
    description: NotRequired[str | None]
    version: NotRequired[str | None]
    author: NotRequired[str | None]
    tags: NotRequired[list[str] | None]


class ImportMetadata(TypedDict):
    "How the agent was imported. Set on creation; later only an import or a configuration set changes it. Default: `{\"source\": \"manual\"}`."
    source: NotRequired[str | None]
    source_url: NotRequired[str | None]
    imported_at: NotRequired[int | None]
    original_format: NotRequired[str | None]


class AgentCapabilities(TypedDict):
    "Capability flags. Set on creation; later only an import or a configuration set changes it. Default: `{}`."
    streaming: NotRequired[bool | None]
    push_notifications: NotRequired[bool | None]
    code_execution: NotRequired[bool | None]
    memory: NotRequired[bool | None]
    delegation: NotRequired[bool | None]
    tools: NotRequired[list[str] | None]


class AgentSkillObject(TypedDict):
    id: str
    name: str
    description: NotRequired[str | None]
    input_modes: NotRequired[list[str] | None]
    output_modes: NotRequired[list[str] | None]


AgentSkill: TypeAlias = "AgentSkillObject | dict[str, Any]"


class AgentLatestEvaluation(TypedDict):
    "Scores of the latest completed evaluation."
    evaluation_id: str
    overall_score: NotRequired[float | None]
    reliability_score: NotRequired[float | None]
    security_score: NotRequired[float | None]
    safety_score: NotRequired[float | None]
    completed_at: NotRequired[int | None]
    revision: NotRequired[int | None]
    current: NotRequired[bool | None]


class Agent(TypedDict):
    "The configuration of a registered AI agent. A nullable field without a value is null."
    id: str
    agent_name: str
    model_name: str
    team_id: str
    created_by: str
    created_at: int
    updated_at: int
    agent_url: str | None
    hub: str
    api_key: str | None
    agent_system_prompt: str | None
    rate_limit_requests_per_minute: int
    status: Literal["draft", "creating", "active", "under_review", "deprecated", "archived", "pending", "rejected"]
    access_level: Literal["black_box", "grey_box", "white_box"]
    agent_params: AgentParams | None
    mcp_config: MCPConfig | None
    delegated_agents: list[DelegatedAgent]
    white_box_config: WhiteBoxConfig | None
    agent_metadata: AgentMetadata | None
    purpose: str | None
    protocol: Literal["chat_completions", "a2a"]
    test_score: str | None
    last_tested_by: str | None
    evaluated_harnesses: list[str] | None
    last_evaluated_at: int | None
    protection_status: Literal["unprotected", "configured", "guarded"]
    trust_stage: Literal["registered", "tested", "hardened", "trusted", "optimized", "adapted"]
    trusted_at: int | None
    ttt_days: float | None
    guard_config_id: str | None
    guard_manually_configured: bool
    import_metadata: ImportMetadata
    capabilities: AgentCapabilities
    skills: list[AgentSkill]
    latest_evaluation: NotRequired[AgentLatestEvaluation | None]


class AgentUpdate(TypedDict):
    "Each supplied field replaces the field of the agent; each absent field keeps its value. `null` clears a field that is nullable in Agent. For a field that is not nullable there, `null` is ignored: the field keeps its value. The console ignores fields that are not listed here and names them in the response header `console-ignored-fields`. In a nested field, `{\"$secret\": \"name\"}` refers to a named secret of the agent; a name that the agent does not have gets 422."
    status: NotRequired[Literal["draft", "creating", "active", "under_review", "deprecated", "archived", "pending", "rejected", None]]
    agent_name: NotRequired[str | None]
    agent_url: NotRequired[str | None]
    model_name: NotRequired[str | None]
    api_key: NotRequired[str | None]
    agent_system_prompt: NotRequired[str | None]
    hub: NotRequired[str | None]
    rate_limit_requests_per_minute: NotRequired[int | None]
    access_level: NotRequired[Literal["black_box", "grey_box", "white_box", None]]
    agent_params: NotRequired[AgentParams | None]
    mcp_config: NotRequired[MCPConfig | None]
    delegated_agents: NotRequired[list[DelegatedAgent] | None]
    white_box_config: NotRequired[WhiteBoxConfig | None]
    agent_metadata: NotRequired[AgentMetadata | None]
    purpose: NotRequired[str | None]
    protocol: NotRequired[Literal["chat_completions", "a2a", None]]
    test_score: NotRequired[float | str | None]
    last_tested_by: NotRequired[str | None]
    evaluated_harnesses: NotRequired[list[str] | None]
    last_evaluated_at: NotRequired[int | None]
    protection_status: NotRequired[Literal["unprotected", "configured", "guarded", None]]
    guard_config_id: NotRequired[str | None]
    guard_manually_configured: NotRequired[bool | None]


class AgentCreate(TypedDict):
    "`agent_name` and `model_name` are required. Every other field that is absent or `null` gets its default."
    status: NotRequired[Literal["draft", "creating", "active", "under_review", "deprecated", "archived", "pending", "rejected", None]]
    agent_name: str
    agent_url: NotRequired[str | None]
    model_name: str
    api_key: NotRequired[str | None]
    agent_system_prompt: NotRequired[str | None]
    hub: NotRequired[str | None]
    rate_limit_requests_per_minute: NotRequired[int | None]
    access_level: NotRequired[Literal["black_box", "grey_box", "white_box", None]]
    agent_params: NotRequired[AgentParams | None]
    mcp_config: NotRequired[MCPConfig | None]
    delegated_agents: NotRequired[list[DelegatedAgent] | None]
    white_box_config: NotRequired[WhiteBoxConfig | None]
    agent_metadata: NotRequired[AgentMetadata | None]
    purpose: NotRequired[str | None]
    protocol: NotRequired[Literal["chat_completions", "a2a", None]]
    test_score: NotRequired[float | str | None]
    last_tested_by: NotRequired[str | None]
    evaluated_harnesses: NotRequired[list[str] | None]
    last_evaluated_at: NotRequired[int | None]
    protection_status: NotRequired[Literal["unprotected", "configured", "guarded", None]]
    guard_config_id: NotRequired[str | None]
    guard_manually_configured: NotRequired[bool | None]
    import_metadata: NotRequired[ImportMetadata | None]
    capabilities: NotRequired[AgentCapabilities | None]
    skills: NotRequired[list[AgentSkill] | None]


class AgentRevision(TypedDict):
    "A change of an agent: who changed which fields, and when."
    revision: int
    action: Literal["created", "updated", "restored", "trust_stage_changed", "deleted", "recovered"]
    changed_at: int
    changed_by: str
    changed_by_name: str | None
    fields: list[str]
    restored_revision: int | None
    reason: str | None
    redacted: list[str]


class AgentRevisionPage(TypedDict):
    "A page of revisions."
    results: list[AgentRevision]
    next_cursor: str | None


class AgentDiffChangesItem(TypedDict):
    field: str
    old: Any
    new: Any


class AgentDiff(TypedDict):
    "The differences between two revisions of an agent, field by field, with whole values. Secrets are masked; a secret that changed is listed even if both masks are equal. A value that was removed from history is shown as its placeholder, and differs from every value that was not removed."
    revision: int
    against: int
    changes: list[AgentDiffChangesItem]


class AgentComparisonDifferencesItem(TypedDict):
    field: str
    value: Any
    with_value: Any


class AgentComparison(TypedDict):
    "The differences between two agents, field by field, with whole values; `id`, `team_id` and the fields of creation and last update are left out. Secrets are masked, and only their masks are compared: equal masks do not prove equal secrets. A value that was removed from history is shown as its placeholder, and differs from every value that was not removed."
    id: str
    revision: int
    with_id: str
    with_revision: int
    differences: list[AgentComparisonDifferencesItem]


class RevisionRedaction(TypedDict):
    "Which values of a revision to remove from history."
    fields: list[Literal["agent_name", "agent_url", "model_name", "agent_system_prompt", "hub", "agent_params", "mcp_config", "delegated_agents", "white_box_config", "agent_metadata", "purpose", "last_tested_by", "evaluated_harnesses", "import_metadata", "capabilities", "skills", "reason"]]


class AgentLifecycle(TypedDict):
    "A change of the trust stage. Any transition is allowed, including to an earlier stage."
    trust_stage: Literal["registered", "tested", "hardened", "trusted", "optimized", "adapted"]
    reason: NotRequired[str | None]


class AgentEvaluation(TypedDict):
    "A completed evaluation. The console stores unknown fields unchanged, except `current`, which it computes itself."
    evaluation_id: str
    overall_score: NotRequired[float | None]
    reliability_score: NotRequired[float | None]
    security_score: NotRequired[float | None]
    safety_score: NotRequired[float | None]
    completed_at: NotRequired[int | None]
    revision: int


class RecordedEvaluation(TypedDict):
    "An evaluation in the list of an agent. Unknown fields of the report are not listed; the evaluation service has them."
    evaluation_id: str
    completed_at: int
    revision: int
    overall_score: float | None
    reliability_score: float | None
    security_score: float | None
    safety_score: float | None
    current: bool
    outdated_by: list[str]


class RecordedEvaluationPage(TypedDict):
    "A page of evaluations."
    results: list[RecordedEvaluation]
    next_cursor: str | None


class EvaluationSeriesPointsItem(TypedDict):
    evaluation_id: str
    completed_at: int
    revision: int
    value: float


class EvaluationSeries(TypedDict):
    "One score of an agent over time, for a chart."
    metric: Literal["overall_score", "reliability_score", "security_score", "safety_score"]
    count: int
    points: list[EvaluationSeriesPointsItem]


class AgentSecretsWhiteBoxConfig(TypedDict):
    "The secret of the source-code access configuration."
    github_token: str | None


class AgentSecrets(TypedDict):
    "The secrets of an agent in clear text: the two that are fields of Agent, and the named ones."
    api_key: str | None
    white_box_config: AgentSecretsWhiteBoxConfig
    secrets: dict[str, str]


class NamedSecretValue(TypedDict):
    "The new value of a named secret."
    value: str


class NamedSecret(TypedDict):
    "A named secret of an agent, masked."
    name: str
    mask: str
    revision: int


class NamedSecretList(TypedDict):
    "The named secrets of an agent, masked."
    results: list[NamedSecret]


class AgentPage(TypedDict):
    "A page of agents."
    results: list[Agent]
    revisions: list[int]
    next_cursor: str | None
    count: NotRequired[int]


class AgentFacetsFacetsStatusesItem(TypedDict):
    value: str
    count: int


class AgentFacetsFacetsTrustStagesItem(TypedDict):
    value: str
    count: int


class AgentFacetsFacetsProtectionStatusesItem(TypedDict):
    value: str
    count: int


class AgentFacetsFacetsAccessLevelsItem(TypedDict):
    value: str
    count: int


class AgentFacetsFacetsProtocolsItem(TypedDict):
    value: str
    count: int


class AgentFacetsFacetsEvaluationItem(TypedDict):
    value: str
    count: int


class AgentFacetsFacetsModelNamesItem(TypedDict):
    value: str
    count: int


class AgentFacetsFacetsTagsItem(TypedDict):
    value: str
    count: int


class AgentFacetsFacets(TypedDict):
    "The counts of each facet. A facet ignores the filter of the same name, so that it shows what another choice would give."
    statuses: list[AgentFacetsFacetsStatusesItem]
    trust_stages: list[AgentFacetsFacetsTrustStagesItem]
    protection_statuses: list[AgentFacetsFacetsProtectionStatusesItem]
    access_levels: list[AgentFacetsFacetsAccessLevelsItem]
    protocols: list[AgentFacetsFacetsProtocolsItem]
    evaluation: list[AgentFacetsFacetsEvaluationItem]
    model_names: list[AgentFacetsFacetsModelNamesItem]
    tags: list[AgentFacetsFacetsTagsItem]


class AgentFacets(TypedDict):
    "How many agents have each value of a field."
    count: int
    approximate: bool
    facets: AgentFacetsFacets


class ExportedAgent(TypedDict):
    "An agent in an export: without `api_key` and `white_box_config.github_token`."
    format: Literal["console-agent/1"]
    revision: int
    id: str
    agent_name: str
    model_name: str
    team_id: str
    created_by: str
    created_at: int
    updated_at: int
    agent_url: NotRequired[str | None]
    hub: NotRequired[str]
    agent_system_prompt: NotRequired[str | None]
    rate_limit_requests_per_minute: NotRequired[int]
    status: NotRequired[Literal["draft", "creating", "active", "under_review", "deprecated", "archived", "pending", "rejected"]]
    access_level: NotRequired[Literal["black_box", "grey_box", "white_box"]]
    agent_params: NotRequired[AgentParams | None]
    mcp_config: NotRequired[MCPConfig | None]
    delegated_agents: NotRequired[list[DelegatedAgent]]
    white_box_config: NotRequired[WhiteBoxConfig | None]
    agent_metadata: NotRequired[AgentMetadata | None]
    purpose: NotRequired[str | None]
    protocol: NotRequired[Literal["chat_completions", "a2a"]]
    test_score: NotRequired[str | None]
    last_tested_by: NotRequired[str | None]
    evaluated_harnesses: NotRequired[list[str] | None]
    last_evaluated_at: NotRequired[int | None]
    protection_status: NotRequired[Literal["unprotected", "configured", "guarded"]]
    trust_stage: NotRequired[Literal["registered", "tested", "hardened", "trusted", "optimized", "adapted"]]
    trusted_at: NotRequired[int | None]
    ttt_days: NotRequired[float | None]
    guard_config_id: NotRequired[str | None]
    guard_manually_configured: NotRequired[bool]
    import_metadata: NotRequired[ImportMetadata]
    capabilities: NotRequired[AgentCapabilities]
    skills: NotRequired[list[AgentSkill]]
    latest_evaluation: NotRequired[AgentLatestEvaluation | None]


class AgentBulkAgentsItem(TypedDict):
    id: str
    revision: NotRequired[int]


class AgentBulkFilters(TypedDict):
    "Change the agents that match these filters, as in the list of agents; at most 500. `{}` matches every agent that is not archived."
    statuses: NotRequired[list[Literal["draft", "creating", "active", "under_review", "deprecated", "archived", "pending", "rejected"]]]
    trust_stages: NotRequired[list[Literal["registered", "tested", "hardened", "trusted", "optimized", "adapted"]]]
    protection_statuses: NotRequired[list[Literal["unprotected", "configured", "guarded"]]]
    access_levels: NotRequired[list[Literal["black_box", "grey_box", "white_box"]]]
    protocols: NotRequired[list[Literal["chat_completions", "a2a"]]]
    model_names: NotRequired[list[str]]
    hubs: NotRequired[list[str]]
    tags: NotRequired[list[str]]
    evaluation: NotRequired[list[Literal["current", "outdated", "none"]]]
    min_score: NotRequired[float]
    q: NotRequired[str]


class AgentBulkDelete(TypedDict):
    "Delete each agent. Send `{}` to delete them so that they can be recovered."
    erase: NotRequired[bool]


class AgentBulk(TypedDict):
    "One change of many agents. An unknown member gets 422, also in `agents`, `filters` and `delete`, and nothing changes."
    agents: NotRequired[list[AgentBulkAgentsItem]]
    filters: NotRequired[AgentBulkFilters]
    expected_count: NotRequired[int]
    update: NotRequired[AgentUpdate]
    lifecycle: NotRequired[AgentLifecycle]
    delete: NotRequired[AgentBulkDelete]


class AgentBulkResultCounts(TypedDict):
    "How many agents have each outcome."
    changed: int
    unchanged: int
    would_change: int
    failed: int


class AgentBulkResultResultsItemError(TypedDict):
    "Why the agent was not changed. null: it did not fail."
    code: Literal["validation_error", "permission_missing", "agent_not_found", "revision_stale", "agent_too_large", "too_many_requests", "overloaded", "database_unavailable", "agent_busy", "outcome_unknown", "internal", "has_dependents"]
    detail: str
    errors: list[ValidationError]


class AgentBulkResultResultsItem(TypedDict):
    id: str
    outcome: Literal["changed", "unchanged", "would_change", "failed"]
    revision: int | None
    fields: list[str]
    impact: DependentsImpact | None
    error: AgentBulkResultResultsItemError | None


class AgentBulkResult(TypedDict):
    "What a bulk request did, or would do."
    dry_run: bool
    counts: AgentBulkResultCounts
    results: list[AgentBulkResultResultsItem]


class AgentImportRow(TypedDict):
    "An agent of an import. A new agent needs `agent_name` and `model_name`. For an agent that was imported before, each supplied field replaces the field of the agent, as in an update, and an absent one keeps its value; so does `github_token` in `white_box_config`. Other members are ignored, and a warning names them. A line of an export is a row."
    external_key: NotRequired[str]
    expected_revision: NotRequired[int | None]
    status: NotRequired[Literal["draft", "creating", "active", "under_review", "deprecated", "archived", "pending", "rejected", None]]
    agent_name: NotRequired[str | None]
    agent_url: NotRequired[str | None]
    model_name: NotRequired[str | None]
    api_key: NotRequired[str | None]
    agent_system_prompt: NotRequired[str | None]
    hub: NotRequired[str | None]
    rate_limit_requests_per_minute: NotRequired[int | None]
    access_level: NotRequired[Literal["black_box", "grey_box", "white_box", None]]
    agent_params: NotRequired[AgentParams | None]
    mcp_config: NotRequired[MCPConfig | None]
    delegated_agents: NotRequired[list[DelegatedAgent] | None]
    white_box_config: NotRequired[WhiteBoxConfig | None]
    agent_metadata: NotRequired[AgentMetadata | None]
    purpose: NotRequired[str | None]
    protocol: NotRequired[Literal["chat_completions", "a2a", None]]
    test_score: NotRequired[float | str | None]
    last_tested_by: NotRequired[str | None]
    evaluated_harnesses: NotRequired[list[str] | None]
    last_evaluated_at: NotRequired[int | None]
    protection_status: NotRequired[Literal["unprotected", "configured", "guarded", None]]
    guard_config_id: NotRequired[str | None]
    guard_manually_configured: NotRequired[bool | None]
    import_metadata: NotRequired[ImportMetadata | None]
    capabilities: NotRequired[AgentCapabilities | None]
    skills: NotRequired[list[AgentSkill] | None]


class AgentImport(TypedDict):
    "What to import: rows or an A2A agent card. Other members get 422."
    rows: NotRequired[list[AgentImportRow]]
    card: NotRequired[dict[str, Any]]
    card_url: NotRequired[str]
    external_key: NotRequired[str]
    expected_revision: NotRequired[int | None]
    override_name: NotRequired[str]
    rate_limit_requests_per_minute: NotRequired[int]


class AgentImportResultCounts(TypedDict):
    "How many rows have each action."
    create: int
    update: int
    unchanged: int
    conflict: int
    failed: int


class AgentImportResultResultsItemError(TypedDict):
    "Why the row is a conflict or failed. null: it is neither."
    code: Literal["validation_error", "permission_missing", "agent_not_found", "revision_stale", "agent_too_large", "too_many_requests", "overloaded", "database_unavailable", "agent_busy", "outcome_unknown", "internal", "agent_deleted"]
    detail: str


class AgentImportResultResultsItem(TypedDict):
    row: int
    line: int | None
    external_key: str | None
    action: Literal["create", "update", "unchanged", "conflict", "failed"]
    agent_id: str | None
    revision: int | None
    fields: list[str]
    warnings: list[str]
    faults: list[ValidationError]
    error: AgentImportResultResultsItemError | None


class AgentImportResult(TypedDict):
    "What an import did, or would do."
    dry_run: bool
    counts: AgentImportResultCounts
    results: list[AgentImportResultResultsItem]


class PermitRequest(TypedDict):
    "Permits to take from the request budget of an agent. A permit is for one request to the agent."
    count: int
    priority: Literal["interactive", "protection", "evaluation", "red_team"]


class PermitGrant(TypedDict):
    "The permits that a request has taken."
    granted: int
    remaining: int | None
    counted_by: Literal["redis", "replica"]


class RequestBudgetRemaining(TypedDict):
    "Permits that can be taken now, by priority. null: the agent has no limit."
    interactive: int
    protection: int
    evaluation: int
    red_team: int


class RequestBudget(TypedDict):
    "How often services may call an agent."
    agent_id: str
    limit: int
    burst: int | None
    remaining: RequestBudgetRemaining | None
    counted_by: Literal["redis", "replica"]


class AgentDelegationNodesItem(TypedDict):
    id: str
    agent_name: str
    status: NotRequired[Literal["draft", "creating", "active", "under_review", "deprecated", "archived", "pending", "rejected"]]
    trust_stage: NotRequired[Literal["registered", "tested", "hardened", "trusted", "optimized", "adapted"]]
    protection_status: NotRequired[Literal["unprotected", "configured", "guarded"]]
    evaluation: Literal["none", "outdated", "current"]
    depth: int


AgentDelegationEdgesItem = TypedDict("AgentDelegationEdgesItem", {
    "from": "str",
    "position": "int",
    "kind": "Literal[\"agent\", \"external\", \"ambiguous\"]",
    "to": "str | None",
    "candidates": "list[str]",
    "matched_by": "Literal[\"agent_id\", \"agent_card_url\", \"url\", None]",
    "label": "str | None",
})


AgentDelegationWeakestTrustStagePathItem = TypedDict("AgentDelegationWeakestTrustStagePathItem", {
    "from": "str",
    "position": "int",
    "to": "str | None",
})


class AgentDelegationWeakestTrustStage(TypedDict):
    "The weakest trust stage among the agent and everything that it delegates to."
    value: Literal["registered", "tested", "hardened", "trusted", "optimized", "adapted", None]
    path: list[AgentDelegationWeakestTrustStagePathItem]


AgentDelegationWeakestProtectionStatusPathItem = TypedDict("AgentDelegationWeakestProtectionStatusPathItem", {
    "from": "str",
    "position": "int",
    "to": "str | None",
})


class AgentDelegationWeakestProtectionStatus(TypedDict):
    "The weakest protection status among the agent and everything that it delegates to."
    value: Literal["unprotected", "configured", "guarded", None]
    path: list[AgentDelegationWeakestProtectionStatusPathItem]


AgentDelegationWeakestEvaluationPathItem = TypedDict("AgentDelegationWeakestEvaluationPathItem", {
    "from": "str",
    "position": "int",
    "to": "str | None",
})


class AgentDelegationWeakestEvaluation(TypedDict):
    "The weakest state of an evaluation among the agent and everything that it delegates to."
    value: Literal["none", "outdated", "current", None]
    path: list[AgentDelegationWeakestEvaluationPathItem]


class AgentDelegationWeakest(TypedDict):
    "The effective trust: an agent is as weak as the weakest one that it delegates to. If `complete` is false, something that was not reached may be weaker."
    trust_stage: AgentDelegationWeakestTrustStage
    protection_status: AgentDelegationWeakestProtectionStatus
    evaluation: AgentDelegationWeakestEvaluation


class AgentDelegation(TypedDict):
    "What an agent delegates to, directly and through others, within its team."
    agent_id: str
    nodes: list[AgentDelegationNodesItem]
    edges: list[AgentDelegationEdgesItem]
    cycles: list[list[str]]
    weakest: AgentDelegationWeakest
    complete: bool
    limits: list[Literal["depth", "nodes", "edges", "time"]]


class AgentDependentPageResultsItem(TypedDict):
    id: str
    agent_name: str
    status: NotRequired[Literal["draft", "creating", "active", "under_review", "deprecated", "archived", "pending", "rejected"]]
    trust_stage: NotRequired[Literal["registered", "tested", "hardened", "trusted", "optimized", "adapted"]]
    protection_status: NotRequired[Literal["unprotected", "configured", "guarded"]]
    evaluation: Literal["none", "outdated", "current"]
    position: int
    matched_by: Literal["agent_id", "agent_card_url", "url"]
    ambiguous: bool


class AgentDependentPage(TypedDict):
    "A page of agents that delegate to an agent directly."
    results: list[AgentDependentPageResultsItem]
    next_cursor: str | None


class DependentsImpact(TypedDict):
    "Which agents a change of an agent affects."
    agent_id: str
    dependents: int
    has_more: bool
    strongest_trust_stage: Literal["registered", "tested", "hardened", "trusted", "optimized", "adapted", None]


class AgentDeletePlan(TypedDict):
    "What a deletion would do. Nothing was changed."
    revision: int
    erase_at: int
    impact: DependentsImpact


class A2AAgentCardSupportedInterfacesItem(TypedDict):
    url: str
    protocolBinding: str
    protocolVersion: str
    tenant: NotRequired[str]


class A2AAgentCardProvider(TypedDict):
    "Who offers the agent. Absent if the author or the URL of the author is not known."
    organization: str
    url: str


class A2AAgentCardCapabilities(TypedDict):
    "What the agent supports."
    streaming: NotRequired[bool]
    pushNotifications: NotRequired[bool]
    extendedAgentCard: NotRequired[bool]
    extensions: NotRequired[list[dict[str, Any]]]


class A2AAgentCardSkillsItem(TypedDict):
    id: str
    name: str
    description: str
    tags: list[str]
    examples: NotRequired[list[str]]
    inputModes: NotRequired[list[str]]
    outputModes: NotRequired[list[str]]


class A2AAgentCard(TypedDict):
    "An agent card of A2A 1.0, made from a configuration. It has no secrets."
    name: str
    description: str
    version: str
    supportedInterfaces: list[A2AAgentCardSupportedInterfacesItem]
    provider: NotRequired[A2AAgentCardProvider]
    documentationUrl: NotRequired[str]
    iconUrl: NotRequired[str]
    capabilities: A2AAgentCardCapabilities
    defaultInputModes: list[str]
    defaultOutputModes: list[str]
    skills: list[A2AAgentCardSkillsItem]
    securitySchemes: NotRequired[dict[str, Any]]
    securityRequirements: NotRequired[list[dict[str, Any]]]


class CardRefreshChangesItem(TypedDict):
    field: str
    old: Any
    new: Any


class CardRefresh(TypedDict):
    "What a refresh of an agent from its card did, or would do."
    dry_run: bool
    revision: int
    changes: list[CardRefreshChangesItem]
    moves_to: str | None
    warnings: list[str]


class SavedViewContent(TypedDict):
    "What a view shows."
    query: str
    columns: list[str]


class SavedView(TypedDict):
    "A view of the list of agents that a user has saved."
    name: str
    scope: Literal["user", "team"]
    query: str
    columns: list[str]
    updated_at: int
    updated_by: str


class SavedViewList(TypedDict):
    "The views that a caller can use."
    results: list[SavedView]


class AgentSpec(TypedDict):
    "The fields of an agent that a configuration set owns, with their values. `null`: the field is owned and has no value. An unknown field, and `null` for a field that is never null, get 422. A secret is sent in clear text; a mask gets 422."
    status: NotRequired[Literal["draft", "creating", "active", "under_review", "deprecated", "archived", "pending", "rejected"]]
    agent_name: NotRequired[str]
    agent_url: NotRequired[str | None]
    model_name: NotRequired[str]
    api_key: NotRequired[str | None]
    agent_system_prompt: NotRequired[str | None]
    hub: NotRequired[str]
    rate_limit_requests_per_minute: NotRequired[int]
    access_level: NotRequired[Literal["black_box", "grey_box", "white_box"]]
    agent_params: NotRequired[AgentParams | None]
    mcp_config: NotRequired[MCPConfig | None]
    delegated_agents: NotRequired[list[DelegatedAgent]]
    white_box_config: NotRequired[WhiteBoxConfig | None]
    agent_metadata: NotRequired[AgentMetadata | None]
    purpose: NotRequired[str | None]
    protocol: NotRequired[Literal["chat_completions", "a2a"]]
    test_score: NotRequired[float | str | None]
    last_tested_by: NotRequired[str | None]
    evaluated_harnesses: NotRequired[list[str] | None]
    last_evaluated_at: NotRequired[int | None]
    protection_status: NotRequired[Literal["unprotected", "configured", "guarded"]]
    guard_config_id: NotRequired[str | None]
    guard_manually_configured: NotRequired[bool]
    import_metadata: NotRequired[ImportMetadata]
    capabilities: NotRequired[AgentCapabilities]
    skills: NotRequired[list[AgentSkill]]


class ManagedAgentWrite(TypedDict):
    "The desired state of one agent of a configuration set."
    spec: AgentSpec
    adopt: NotRequired[str]
    force: NotRequired[list[Literal["status", "agent_name", "agent_url", "model_name", "api_key", "agent_system_prompt", "hub", "rate_limit_requests_per_minute", "access_level", "agent_params", "mcp_config", "delegated_agents", "white_box_config", "agent_metadata", "purpose", "protocol", "test_score", "last_tested_by", "evaluated_harnesses", "last_evaluated_at", "protection_status", "guard_config_id", "guard_manually_configured", "import_metadata", "capabilities", "skills"]]]


class ManagedAgentResultChangesItem(TypedDict):
    field: str
    old: Any
    new: Any
    secret_changed: bool
    drifted: bool


class ManagedAgentResult(TypedDict):
    "What a request to apply a spec did, or would do with `dry_run`."
    agent: Agent
    revision: int
    applied_revision: int
    changes: list[ManagedAgentResultChangesItem]
    released: list[str]


class ManagedAgent(TypedDict):
    "An agent of a configuration set."
    key: str
    agent_id: str
    revision: int
    applied_revision: int
    fields: list[str]
    applied_at: int
    applied_by: str


class ManagedAgentPage(TypedDict):
    "A page of the agents of a configuration set."
    results: list[ManagedAgent]
    next_cursor: str | None


class ConfigurationSetListResultsItem(TypedDict):
    name: str
    agents: int


class ConfigurationSetList(TypedDict):
    "The configuration sets of a team. A set exists while it has an agent."
    results: list[ConfigurationSetListResultsItem]


class AgentDriftFieldsItem(TypedDict):
    field: str
    applied: Any
    live: Any
    secret_changed: bool
    revision: int
    changed_at: int
    changed_by: str
    changed_by_name: str | None


class AgentDrift(TypedDict):
    "The drift of one agent of a configuration set."
    key: str
    agent_id: str
    revision: int
    applied_revision: int
    fields: list[AgentDriftFieldsItem]


class AgentDriftPage(TypedDict):
    "A page of the drift of a configuration set."
    results: list[AgentDrift]
    next_cursor: str | None


class AuditEvent(TypedDict):
    "One record of the audit log: what a user did, or what the token did not permit."
    id: str
    at: int
    user_id: str
    changed_by_name: str | None
    action: Literal["agent_created", "agent_updated", "agent_restored", "agent_trust_stage_changed", "agent_deleted", "agent_recovered", "agent_evaluation_recorded", "agent_revision_redacted", "agents_exported", "secrets_read", "idempotency_conflict", "permission_refused", "service_called", "audit_exported", "user_erased", "view_saved", "view_deleted", "set_applied", "set_released"]
    agent_id: str | None
    request_id: str
    via: Literal["api", "mcp", "import", "set"]
    client_id: str | None
    reason: str | None
    detail: dict[str, Any]


class AuditEventPage(TypedDict):
    "A page of the audit log."
    results: list[AuditEvent]
    next_cursor: str | None


EvolutionStatus: TypeAlias = "dict[str, Any]"


EvolutionError: TypeAlias = "Any"


Genome: TypeAlias = "dict[str, Any]"


class AgentEventData(TypedDict):
    "The change."
    team_id: str
    agent_id: str
    revision: int
    action: Literal["created", "updated", "restored", "trust_stage_changed", "deleted", "recovered"]
    fields: list[str]
    changed_by: str
    changed_at: int
    reason: NotRequired[str]
    drifted_sets: NotRequired[list[str]]


class AgentEvent(TypedDict):
    "A change of an agent, as a CloudEvent 1.0."
    specversion: Literal["1.0"]
    id: str
    source: Literal["/v1/agent-configurations"]
    type: Literal["console.agent.created", "console.agent.updated", "console.agent.restored", "console.agent.trust_stage_changed", "console.agent.deleted", "console.agent.recovered"]
    subject: str
    time: str
    datacontenttype: Literal["application/json"]
    epoch: int
    traceparent: NotRequired[str]
    data: AgentEventData


class ServiceDocument(TypedDict):
    "The OpenAPI document of a service that is in use."
    title: str
    version: str
    since: int
    operations: int
    left_out: list[str]


class ServiceStatus(TypedDict):
    "A mounted service, as the replica that sends the response sees it."
    name: str
    tag: str
    prefixes: list[str]
    state: Literal["starting", "up", "document_unreachable", "document_invalid"]
    since: int
    errors: list[str]
    breaker: Literal["closed", "half_open", "open"]
    document: ServiceDocument | None


class ServiceList(TypedDict):
    "All mounted services."
    results: list[ServiceStatus]


class Me(TypedDict):
    "Who the caller is for the console."
    user_id: str
    team_id: str
    name: str | None
    permissions: list[Literal["agent:read", "agent:write", "agent:lifecycle", "agent:secret", "agent:delete", "evaluation:write", "audit:read", "service:read"]]
    client_id: str | None
    expires_at: int


class ValidationError(TypedDict):
    "One validation error of a request."
    loc: list[str | int]
    msg: str
    type: str


class HTTPValidationError(TypedDict):
    "The request is not valid. Nothing was changed."
    detail: NotRequired[list[ValidationError]]


class Problem(TypedDict):
    "Body of every error response except 422."
    detail: str
    code: Literal["bad_request", "unauthenticated", "invalid_token", "permission_missing", "team_missing", "team_ambiguous", "team_not_yours", "user_missing", "not_found", "agent_not_found", "revision_not_found", "secret_not_found", "user_not_found", "view_not_found", "managed_agent_not_found", "method_not_allowed", "request_timeout", "idempotency_conflict", "idempotency_agent_deleted", "value_in_use", "secret_in_use", "too_many_secrets", "has_dependents", "too_many_views", "field_owned", "field_drifted", "agent_bound", "too_many_sets", "set_full", "no_agent_card", "no_card_url", "match_count_differs", "too_many_matches", "position_expired", "revision_stale", "body_too_large", "agent_too_large", "too_many_requests", "request_budget_exceeded", "headers_too_large", "internal", "upstream_failed", "token_exchange_failed", "card_unreachable", "card_unreadable", "issuer_unavailable", "token_exchange_unavailable", "database_unavailable", "overloaded", "agent_busy", "outcome_unknown", "upstream_unavailable", "upstream_not_configured", "events_unavailable", "events_not_configured", "upstream_timeout"]


TrustStage: TypeAlias = "Literal[\"registered\", \"tested\", \"hardened\", \"trusted\", \"optimized\", \"adapted\"]"


ProblemCode: TypeAlias = "Literal[\"bad_request\", \"unauthenticated\", \"invalid_token\", \"permission_missing\", \"team_missing\", \"team_ambiguous\", \"team_not_yours\", \"user_missing\", \"not_found\", \"agent_not_found\", \"revision_not_found\", \"secret_not_found\", \"user_not_found\", \"view_not_found\", \"managed_agent_not_found\", \"method_not_allowed\", \"request_timeout\", \"idempotency_conflict\", \"idempotency_agent_deleted\", \"value_in_use\", \"secret_in_use\", \"too_many_secrets\", \"has_dependents\", \"too_many_views\", \"field_owned\", \"field_drifted\", \"agent_bound\", \"too_many_sets\", \"set_full\", \"no_agent_card\", \"no_card_url\", \"match_count_differs\", \"too_many_matches\", \"position_expired\", \"revision_stale\", \"body_too_large\", \"agent_too_large\", \"too_many_requests\", \"request_budget_exceeded\", \"headers_too_large\", \"internal\", \"upstream_failed\", \"token_exchange_failed\", \"card_unreachable\", \"card_unreadable\", \"issuer_unavailable\", \"token_exchange_unavailable\", \"database_unavailable\", \"overloaded\", \"agent_busy\", \"outcome_unknown\", \"upstream_unavailable\", \"upstream_not_configured\", \"events_unavailable\", \"events_not_configured\", \"upstream_timeout\"]"


class ListUsersQuery(TypedDict):
    ids: list[str]


class ListAgentConfigurationsQuery(TypedDict):
    statuses: NotRequired[list[Literal["draft", "creating", "active", "under_review", "deprecated", "archived", "pending", "rejected"]]]
    trust_stages: NotRequired[list[Literal["registered", "tested", "hardened", "trusted", "optimized", "adapted"]]]
    protection_statuses: NotRequired[list[Literal["unprotected", "configured", "guarded"]]]
    access_levels: NotRequired[list[Literal["black_box", "grey_box", "white_box"]]]
    protocols: NotRequired[list[Literal["chat_completions", "a2a"]]]
    model_names: NotRequired[list[str]]
    hubs: NotRequired[list[str]]
    tags: NotRequired[list[str]]
    evaluation: NotRequired[list[Literal["current", "outdated", "none"]]]
    min_score: NotRequired[float]
    q: NotRequired[str]
    sort: NotRequired[Literal["-created_at", "created_at", "agent_name", "-agent_name", "score", "-score"]]
    limit: NotRequired[int]
    cursor: NotRequired[str]
    fields: NotRequired[list[Literal["id", "agent_name", "model_name", "team_id", "created_by", "created_at", "updated_at", "agent_url", "hub", "api_key", "agent_system_prompt", "rate_limit_requests_per_minute", "status", "access_level", "agent_params", "mcp_config", "delegated_agents", "white_box_config", "agent_metadata", "purpose", "protocol", "test_score", "last_tested_by", "evaluated_harnesses", "last_evaluated_at", "protection_status", "trust_stage", "trusted_at", "ttt_days", "guard_config_id", "guard_manually_configured", "import_metadata", "capabilities", "skills", "latest_evaluation"]]]
    include_scores: NotRequired[bool]
    include_count: NotRequired[bool]


class GetAgentConfigurationQuery(TypedDict):
    revision: NotRequired[int]
    include_scores: NotRequired[bool]


class DeleteAgentConfigurationQuery(TypedDict):
    dry_run: NotRequired[bool]
    erase: NotRequired[bool]


class ListAgentRevisionsQuery(TypedDict):
    limit: NotRequired[int]
    cursor: NotRequired[str]


class DiffAgentRevisionsQuery(TypedDict):
    against: NotRequired[int]


CompareAgentConfigurationsQuery = TypedDict("CompareAgentConfigurationsQuery", {
    "with": "str",
    "revision": "NotRequired[int]",
    "with_revision": "NotRequired[int]",
})


class ListAgentEvaluationsQuery(TypedDict):
    limit: NotRequired[int]
    cursor: NotRequired[str]


class GetAgentEvaluationSeriesQuery(TypedDict):
    metric: NotRequired[Literal["overall_score", "reliability_score", "security_score", "safety_score"]]
    since: NotRequired[int]


class GetAgentFacetsQuery(TypedDict):
    statuses: NotRequired[list[Literal["draft", "creating", "active", "under_review", "deprecated", "archived", "pending", "rejected"]]]
    trust_stages: NotRequired[list[Literal["registered", "tested", "hardened", "trusted", "optimized", "adapted"]]]
    protection_statuses: NotRequired[list[Literal["unprotected", "configured", "guarded"]]]
    access_levels: NotRequired[list[Literal["black_box", "grey_box", "white_box"]]]
    protocols: NotRequired[list[Literal["chat_completions", "a2a"]]]
    model_names: NotRequired[list[str]]
    hubs: NotRequired[list[str]]
    tags: NotRequired[list[str]]
    evaluation: NotRequired[list[Literal["current", "outdated", "none"]]]
    min_score: NotRequired[float]
    q: NotRequired[str]


class ExportAgentConfigurationsQuery(TypedDict):
    statuses: NotRequired[list[Literal["draft", "creating", "active", "under_review", "deprecated", "archived", "pending", "rejected"]]]
    trust_stages: NotRequired[list[Literal["registered", "tested", "hardened", "trusted", "optimized", "adapted"]]]
    protection_statuses: NotRequired[list[Literal["unprotected", "configured", "guarded"]]]
    access_levels: NotRequired[list[Literal["black_box", "grey_box", "white_box"]]]
    protocols: NotRequired[list[Literal["chat_completions", "a2a"]]]
    model_names: NotRequired[list[str]]
    hubs: NotRequired[list[str]]
    tags: NotRequired[list[str]]
    evaluation: NotRequired[list[Literal["current", "outdated", "none"]]]
    min_score: NotRequired[float]
    q: NotRequired[str]
    format: NotRequired[Literal["ndjson", "csv"]]
    cursor: NotRequired[str]


class BulkChangeAgentConfigurationsQuery(TypedDict):
    dry_run: NotRequired[bool]


class ImportAgentConfigurationsQuery(TypedDict):
    dry_run: NotRequired[bool]


class GetAgentDelegationQuery(TypedDict):
    depth: NotRequired[int]


class ListAgentDependentsQuery(TypedDict):
    limit: NotRequired[int]
    cursor: NotRequired[str]


class WatchAgentConfigurationsQuery(TypedDict):
    agent_ids: NotRequired[list[str]]


class RefreshAgentCardQuery(TypedDict):
    dry_run: NotRequired[bool]
    move_interface: NotRequired[bool]


class GetViewQuery(TypedDict):
    scope: NotRequired[Literal["user", "team"]]


class UpdateViewQuery(TypedDict):
    scope: NotRequired[Literal["user", "team"]]


class DeleteViewQuery(TypedDict):
    scope: NotRequired[Literal["user", "team"]]


class ApplyManagedAgentQuery(TypedDict):
    dry_run: NotRequired[bool]


class ListManagedAgentsQuery(TypedDict):
    limit: NotRequired[int]
    cursor: NotRequired[str]


class ListDriftQuery(TypedDict):
    limit: NotRequired[int]
    cursor: NotRequired[str]


class ListAuditEventsQuery(TypedDict):
    agent_id: NotRequired[str]
    user_id: NotRequired[str]
    action: NotRequired[Literal["agent_created", "agent_updated", "agent_restored", "agent_trust_stage_changed", "agent_deleted", "agent_recovered", "agent_evaluation_recorded", "agent_revision_redacted", "agents_exported", "secrets_read", "idempotency_conflict", "permission_refused", "service_called", "audit_exported", "user_erased", "view_saved", "view_deleted", "set_applied", "set_released"]]
    field: NotRequired[str]
    via: NotRequired[Literal["api", "mcp", "import", "set"]]
    client_id: NotRequired[str]
    since: NotRequired[int]
    until: NotRequired[int]
    limit: NotRequired[int]
    cursor: NotRequired[str]


class ExportAuditEventsQuery(TypedDict):
    agent_id: NotRequired[str]
    user_id: NotRequired[str]
    action: NotRequired[Literal["agent_created", "agent_updated", "agent_restored", "agent_trust_stage_changed", "agent_deleted", "agent_recovered", "agent_evaluation_recorded", "agent_revision_redacted", "agents_exported", "secrets_read", "idempotency_conflict", "permission_refused", "service_called", "audit_exported", "user_erased", "view_saved", "view_deleted", "set_applied", "set_released"]]
    field: NotRequired[str]
    via: NotRequired[Literal["api", "mcp", "import", "set"]]
    client_id: NotRequired[str]
    since: NotRequired[int]
    until: NotRequired[int]
    after_id: NotRequired[str]


# End of the generated types.
