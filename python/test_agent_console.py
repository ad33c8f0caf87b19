"""Runs against a console: `AGENT_CONSOLE_URL` and `AGENT_CONSOLE_TOKEN` name it. test/python/client.test.ts starts one."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import sys
import threading
import unittest
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib import parse

from agent_console import (
    AgentUpdate,
    ApiError,
    Conflict,
    ConnectionFailed,
    Console,
    ConsoleError,
    Forbidden,
    NotFound,
    PositionExpired,
    Stale,
    TimedOut,
    Unauthenticated,
    Unavailable,
    ValidationFailed,
)

URL = os.environ["AGENT_CONSOLE_URL"]
TOKEN = os.environ["AGENT_CONSOLE_TOKEN"]
UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"

Handle = Callable[["Handler", int], None]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server  # pyright: ignore[reportIncompatibleVariableOverride]

    def handle_one_request(self) -> None:
        self.close_connection = True
        self.raw_requestline = self.rfile.readline(65_537)
        if not self.raw_requestline or not self.parse_request():
            return
        self.body = self.rfile.read(int(self.headers.get("content-length") or 0))
        with self.server.lock:
            number = len(self.server.requests)
            self.server.requests.append(self)
        self.server.handle(self, number)

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def reply(self, status: int, body: str = "", **headers: str) -> None:
        self.send_response(status)
        for name, value in {"content-type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def forward(self) -> tuple[int, list[tuple[str, str]], bytes]:
        """Lets the console handle the request."""
        connection = http.client.HTTPConnection(parse.urlsplit(URL).netloc)
        connection.request(self.command, self.path, self.body, dict(self.headers))
        response = connection.getresponse()
        return response.status, response.getheaders(), response.read()

    def pass_on(self) -> None:
        status, headers, body = self.forward()
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in ("transfer-encoding", "content-length", "connection"):
                self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    """Answers as a test tells it to."""

    daemon_threads = True

    def __init__(self, handle: Handle) -> None:
        super().__init__(("127.0.0.1", 0), Handler, bind_and_activate=False)
        # Systems take ports for outgoing connections from 32768 on: below, nothing takes the port of a closed server.
        for port in random.sample(range(20_000, 32_000), 50):
            self.server_address = ("127.0.0.1", port)
            with contextlib.suppress(OSError):
                self.server_bind()
                break
        self.server_activate()
        self.handle = handle
        self.requests: list[Handler] = []
        self.lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that disconnects is what a test is about."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class TestCase(unittest.TestCase):
    console = Console(URL, TOKEN)

    def serve(self, handle: Handle) -> Server:
        server = Server(handle)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def create(self, name: str = "Helper") -> str:
        return self.console.agents.create({"agent_name": name, "model_name": "m"}).agent["id"]

    def fails(self, kind: type[ConsoleError], call: Callable[[], object]) -> ConsoleError:
        with self.assertRaises(kind) as caught:
            call()
        self.assertIs(type(caught.exception), kind)
        self.assertNotIn(TOKEN, f"{caught.exception!r} {vars(caught.exception)}")
        return caught.exception


class AgentsTest(TestCase):
    def test_lifecycle(self) -> None:
        agents = self.console.agents
        created = agents.create({"agent_name": "Zürich ✓", "model_name": "m"}, reason="Größer als vorher")
        id = created.agent["id"]
        self.assertEqual((created.revision, created.ignored_fields), (1, []))
        updated = agents.update(id, {"purpose": "Invoices"}, if_revision=1)
        self.assertEqual((updated.revision, updated.agent["purpose"]), (2, "Invoices"))
        self.assertEqual(agents.get(id, revision=1).agent["purpose"], None)
        self.assertEqual([each["field"] for each in agents.diff(id, 2)["changes"]], ["purpose"])
        self.assertEqual(agents.restore(id, 1, if_revision=2).revision, 3)
        self.assertEqual(agents.move_stage(id, "tested", if_revision=3).agent["trust_stage"], "tested")
        revisions = agents.revisions(id)["results"]
        self.assertEqual([each["revision"] for each in revisions], [4, 3, 2, 1])
        self.assertEqual(revisions[-1]["reason"], "Größer als vorher")
        agents.delete(id, if_revision=4)
        self.fails(NotFound, lambda: agents.get(id))

    def test_ignored_fields_and_warnings(self) -> None:
        changes: Any = {"purpose": "x", "nothing": 1}
        self.assertEqual(self.console.agents.update(self.create(), changes).ignored_fields, ["nothing"])

    def test_iterates_over_all_pages(self) -> None:
        ids = {self.create(f"page {n}") for n in range(7)}
        found = list(self.console.agents.iterate(q="page ", limit=2, statuses=["draft", "active"]))
        self.assertEqual({agent["id"] for agent, _ in found}, ids)
        self.assertEqual({revision for _, revision in found}, {1})

    def test_edit_starts_again_after_another_writer(self) -> None:
        agents, id = self.console.agents, self.create()
        calls: list[int] = []

        def change(_: object, revision: int) -> AgentUpdate:
            calls.append(revision)
            if len(calls) == 1:
                agents.update(id, {"hub": "other"})
            return {"purpose": f"edited at {revision}"}

        self.assertEqual(agents.edit(id, change).agent["purpose"], "edited at 2")
        self.assertEqual(calls, [1, 2])
        self.assertEqual(agents.edit(id, lambda _, __: None).revision, 3)

    def test_any_operation(self) -> None:
        content: Any = {"query": "statuses=active", "columns": []}
        saved = self.console.request("PUT", "/v1/views/{name}", path={"name": "a b ü"}, body=content)
        self.assertEqual((saved.status, saved.data["name"]), (200, "a b ü"))
        self.assertTrue(saved.request_id)
        self.assertIsNone(self.console.request("DELETE", "/v1/views/{name}", path={"name": "a b ü"}).data)
        self.create()
        export = self.console.request("GET", "/v1/agent-configurations/export", query={"format": "ndjson"}).data
        self.assertIn("agent_name", json.loads(export.splitlines()[0]))
        self.assertIn("agent:write", self.console.me()["permissions"])


class ErrorsTest(TestCase):
    def test_classes(self) -> None:
        agents, id = self.console.agents, self.create()
        stale = self.fails(Stale, lambda: agents.update(id, {"purpose": "x"}, if_revision=9))
        self.assertTrue(stale.request_id)
        missing = self.fails(NotFound, lambda: agents.get(UNKNOWN_ID))
        assert isinstance(missing, ApiError)
        self.assertEqual((missing.status, missing.code), (404, "agent_not_found"))
        invalid: Any = {"agent_name": 1}
        faults = self.fails(ValidationFailed, lambda: agents.update(id, invalid))
        assert isinstance(faults, ApiError)
        self.assertEqual(faults.faults[0]["loc"], ["body", "agent_name"])
        self.assertIn("body.agent_name", str(faults))
        self.fails(Unauthenticated, lambda: Console(URL, "wrong").me())
        reader = Console(URL, os.environ["AGENT_CONSOLE_READER_TOKEN"])
        self.fails(Forbidden, lambda: reader.agents.create({"agent_name": "x", "model_name": "m"}))
        key = "used for another body"
        agents.create({"agent_name": "x", "model_name": "m"}, idempotency_key=key)
        self.fails(Conflict, lambda: agents.create({"agent_name": "y", "model_name": "m"}, idempotency_key=key))

    def test_no_error_has_the_token(self) -> None:
        for call in (
            lambda: Console(URL, f"{TOKEN}\n").me(),
            lambda: Console("http://user:password@host", TOKEN),
            lambda: Console("file:///etc/passwd", TOKEN),
            lambda: self.console.agents.get(".."),
        ):
            self.fails(ConsoleError, call)
        self.assertNotIn(TOKEN, repr(self.console))

    def test_redirects_are_not_followed(self) -> None:
        other = self.serve(lambda handler, _: handler.reply(200, "{}"))
        server = self.serve(lambda handler, _: handler.reply(302, "", location=other.url))
        self.fails(ApiError, Console(server.url, TOKEN).me)
        self.assertEqual(other.requests, [])


class RetryTest(TestCase):
    def tries(self, status: int, call: Callable[[Console], object], body: str = "{}", **headers: str) -> int:
        server = self.serve(lambda handler, _: handler.reply(status, body, **headers))
        logged: list[dict[str, Any]] = []
        console = Console(server.url, TOKEN, retry_delay_s=0, logger=logged.append)
        with self.assertRaises(ApiError):
            call(console)
        self.assertEqual(len(logged), len(server.requests))
        self.assertNotIn(TOKEN, str(logged))
        self.assertEqual(len({request.headers["x-request-id"] for request in server.requests}), 1)
        self.assertEqual(len({request.headers["idempotency-key"] for request in server.requests}), 1)
        return len(server.requests)

    def test_repeats_only_what_is_safe(self) -> None:
        calls: dict[str, tuple[int, Callable[[Console], object]]] = {
            "read": (3, lambda console: console.agents.get("x")),
            "creation": (3, lambda console: console.agents.create({"agent_name": "x", "model_name": "m"})),
            "guarded update": (3, lambda console: console.agents.update("x", {}, if_revision=1)),
            "update": (1, lambda console: console.agents.update("x", {})),
            "deletion": (1, lambda console: console.agents.delete("x")),
            "genome": (1, lambda console: console.request("POST", "/v1/genomes/", body={})),
            "any revision": (1, lambda c: c.request("PUT", "/v1/x", body={}, headers={"If-Match": "*"})),
            "idempotent": (3, lambda c: c.request("POST", "/v1/x", body={}, idempotent=True)),
        }
        for name, (expected, call) in calls.items():
            with self.subTest(name):
                self.assertEqual(self.tries(503, call), expected)

    def test_repeats_only_what_passes(self) -> None:
        def me(console: Console) -> object:
            return console.me()

        for status in (400, 401, 403, 404, 409, 410, 412, 422, 500):
            with self.subTest(status):
                self.assertEqual(self.tries(status, me), 1)
        for status in (408, 429, 502, 503, 504):
            with self.subTest(status):
                self.assertEqual(self.tries(status, me, "<html>"), 3)
        self.assertEqual(self.tries(503, me, '{"code": "evolution_not_configured"}'), 1)
        self.assertEqual(self.tries(429, me, retry_after="61"), 1)
        self.assertEqual(self.tries(429, me, retry_after="0"), 3)

    def test_a_response_that_breaks_off_is_repeated(self) -> None:
        text = json.dumps(self.console.me())

        def handle(handler: Handler, number: int) -> None:
            if number == 2:
                return handler.reply(200, text)
            handler.send_response(200)
            handler.send_header("content-type", "application/json")
            if number == 0:
                handler.send_header("content-length", str(len(text)))
            handler.end_headers()
            handler.wfile.write(text[:-5].encode())

        server = self.serve(handle)
        self.assertEqual(json.dumps(Console(server.url, TOKEN, retry_delay_s=0).me()), text)
        self.assertEqual(len(server.requests), 3)

    def test_a_text_that_breaks_off_is_no_response(self) -> None:
        def handle(handler: Handler, _: int) -> None:
            handler.send_response(200)
            handler.send_header("content-type", "text/csv")
            handler.send_header("content-length", "100")
            handler.end_headers()
            handler.wfile.write(b"id,agent_name\n")

        console = Console(self.serve(handle).url, TOKEN, max_retries=0)
        self.fails(ConnectionFailed, lambda: console.request("GET", "/v1/agent-configurations/export"))

    def test_no_connection_and_no_response_in_time(self) -> None:
        server = self.serve(lambda handler, _: handler.connection.close())
        self.fails(ConnectionFailed, Console(server.url, TOKEN, max_retries=0).me)
        ended = threading.Event()
        self.addCleanup(ended.set)

        def wait(_: Handler, __: int) -> None:
            ended.wait()

        silent = self.serve(wait)
        self.fails(TimedOut, Console(silent.url, TOKEN, timeout_s=0.1, max_retries=0).me)

        def trickle(handler: Handler, _: int) -> None:
            handler.send_response(200)
            handler.send_header("content-length", "100000")
            handler.end_headers()
            while not ended.wait(0.02):
                handler.wfile.write(b" ")

        slow = self.serve(trickle)
        self.fails(TimedOut, Console(slow.url, TOKEN, timeout_s=0.5, max_retries=0).me)

    def lose_first_change(self) -> Console:
        """The console makes the change, and the response is lost."""

        def handle(handler: Handler, number: int) -> None:
            if number == 0:
                handler.forward()
            else:
                handler.pass_on()

        return Console(self.serve(handle).url, TOKEN, retry_delay_s=0)

    def change_instead(self, id: str, changes: AgentUpdate) -> Console:
        """In place of the first request another writer changes the agent, and the connection breaks."""

        def handle(handler: Handler, number: int) -> None:
            if number == 0:
                self.console.agents.update(id, changes)
            else:
                handler.pass_on()

        return Console(self.serve(handle).url, TOKEN, retry_delay_s=0)

    def test_a_lost_response_makes_no_second_change(self) -> None:
        id = self.create()
        agents = self.lose_first_change().agents
        updated = agents.update(id, {"purpose": "once", "api_key": "k" * 30}, if_revision=1, reason=" why ")
        self.assertEqual((updated.revision, updated.agent["purpose"]), (2, "once"))
        self.assertEqual(self.lose_first_change().agents.restore(id, 1, if_revision=2).revision, 3)
        self.assertEqual(self.lose_first_change().agents.move_stage(id, "tested", if_revision=3).revision, 4)
        self.lose_first_change().agents.delete(id, if_revision=4)
        created = self.lose_first_change().agents.create({"agent_name": "created once", "model_name": "m"})
        found = self.console.agents.list(q="created once")["results"]
        self.assertEqual([agent["id"] for agent in found], [created.agent["id"]])

    def test_a_change_of_another_writer_is_stale(self) -> None:
        id = self.create()
        agents = self.change_instead(id, {"purpose": "of another writer"}).agents
        self.fails(Stale, lambda: agents.update(id, {"purpose": "mine"}, if_revision=1))

    def test_a_part_of_a_change_is_not_the_change(self) -> None:
        id = self.create()
        agents = self.change_instead(id, {"purpose": "mine"}).agents
        self.fails(Stale, lambda: agents.update(id, {"purpose": "mine", "hub": "h"}, if_revision=1))

    def test_a_whole_agent_is_recognised_although_the_console_ignores_a_part_of_it(self) -> None:
        id = self.create()
        ignored = {"updated_at": 1, "unknown": "u", "protocol": None}
        changes = cast("AgentUpdate", {**self.console.agents.get(id).agent, "purpose": "mine", **ignored})
        self.assertEqual(self.lose_first_change().agents.update(id, changes, if_revision=1).revision, 2)

    def test_a_short_secret_of_another_is_not_its_own(self) -> None:
        id = self.create()
        agents = self.change_instead(id, {"api_key": "other"}).agents
        self.fails(Stale, lambda: agents.update(id, {"api_key": "mine"}, if_revision=1))

    def test_a_token_that_comes_later_is_no_lost_response(self) -> None:
        tokens = iter([ConnectionFailed("The issuer does not respond"), TOKEN])

        def token() -> str:
            found = next(tokens)
            if isinstance(found, ConnectionFailed):
                raise found
            return found

        agents = Console(URL, token, retry_delay_s=0).agents
        self.fails(NotFound, lambda: agents.delete(UNKNOWN_ID, if_revision=1))


class WatchTest(TestCase):
    def test_receives_each_event_once_through_interruptions(self) -> None:
        id = self.create()
        position: list[str] = []
        states: list[ConsoleError | None] = []

        def handle(handler: Handler, number: int) -> None:
            """Passes the stream of the console on and breaks it after some bytes, also inside of an event."""
            connection = http.client.HTTPConnection(parse.urlsplit(URL).netloc)
            connection.request("GET", handler.path, headers=dict(handler.headers))
            response = connection.getresponse()
            handler.send_response(response.status)
            handler.send_header("content-type", "text/event-stream")
            handler.end_headers()
            for _ in range(400 + 900 * number):
                if not (byte := response.read(1)):
                    break
                handler.wfile.write(byte)
            connection.close()

        console = Console(self.serve(handle).url, TOKEN, retry_delay_s=0)
        start = self.current_position()
        threading.Thread(target=self.change, args=(id, 20)).start()
        revisions: list[int] = []
        for event in console.agents.watch([id], last_event_id=start, on_state=states.append):
            position.append(event.id)
            revisions.append(event.data["data"]["revision"])
            if revisions[-1] == 21:
                break
        # The stream may have been at its creation.
        self.assertIn(revisions[0], (1, 2))
        self.assertEqual(revisions, list(range(revisions[0], 22)))
        self.assertGreater(len([state for state in states if isinstance(state, ConnectionFailed)]), 1)
        # It continues from a position of another process.
        for event in self.console.agents.watch(last_event_id=position[-2]):
            self.assertEqual(event.data["data"]["revision"], 21)
            break

    def current_position(self) -> str:
        """The stream sends it before the first event."""
        connection = http.client.HTTPConnection(parse.urlsplit(URL).netloc)
        connection.request("GET", "/v1/agent-configurations/events", headers={"authorization": f"Bearer {TOKEN}"})
        response = connection.getresponse()
        self.addCleanup(connection.close)
        return next(line.decode()[4:].strip() for line in response if line.startswith(b"id: "))

    def change(self, id: str, times: int) -> None:
        for n in range(times):
            self.console.agents.update(id, {"purpose": f"change {n}"})

    def test_a_silent_connection_is_lost(self) -> None:
        ended = threading.Event()
        self.addCleanup(ended.set)
        event = 'id: 1-1-1\ndata: {"id": "a:1"}\n\n'

        def handle(handler: Handler, number: int) -> None:
            handler.send_response(200)
            handler.end_headers()
            handler.wfile.write((": hello\n\n" if number == 0 else event).encode())
            ended.wait()

        server = self.serve(handle)
        tokens = iter(("first", "second"))
        states: list[ConsoleError | None] = []
        console = Console(server.url, lambda: next(tokens), retry_delay_s=0)
        for watched in console.agents.watch(silence_s=0.1, on_state=states.append):
            self.assertEqual((watched.id, watched.data["id"]), ("1-1-1", "a:1"))
            break
        self.assertEqual([type(state) for state in states], [type(None), TimedOut, type(None)])
        self.assertEqual(
            [request.headers["authorization"] for request in server.requests], ["Bearer first", "Bearer second"]
        )

    def test_raises_what_does_not_pass(self) -> None:
        for status, kind in ((401, Unauthenticated), (403, Forbidden), (410, PositionExpired)):
            server = self.serve(lambda handler, _, status=status: handler.reply(status, "{}"))
            self.fails(kind, lambda url=server.url: next(iter(Console(url, TOKEN).agents.watch())))
            self.assertEqual(len(server.requests), 1)
        server = self.serve(lambda handler, number: handler.reply(503 if number < 3 else 401, "{}"))
        states: list[ConsoleError | None] = []
        watch = Console(server.url, TOKEN, retry_delay_s=0).agents.watch(on_state=states.append)
        self.fails(Unauthenticated, lambda: next(watch))
        self.assertEqual([type(state) for state in states], [Unavailable] * 3)


if __name__ == "__main__":
    unittest.main()
