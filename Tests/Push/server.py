"""A server over TLS that speaks HTTP/2 and HTTP/1.1 and can play the faults of a provider.

A twin derives from `Server` and answers each `Request` with an `Answer`. All servers share one event loop in one thread.
"""
import asyncio, dataclasses, itertools, logging, os, threading, time
import h2.config, h2.connection, h2.errors, h2.events, h2.exceptions, h2.settings
from hyperframe.frame import GoAwayFrame


@dataclasses.dataclass
class Answer:
    """The answer of a server, with the fault that it plays."""
    status: int = 200
    headers: dict = dataclasses.field(default_factory=dict)
    body: bytes = b""
    # Seconds before the answer, and between its bytes.
    delay: float = 0
    trickle: float = 0
    # None; "silence": no answer; "cut": the connection is aborted; "refuse": REFUSED_STREAM; "goaway": the streams before
    # this one are answered, this one and later ones are not processed.
    fault: str | None = None
    # MAX_CONCURRENT_STREAMS from now on.
    streams: int | None = None
    # Called in the loop before the answer is sent; an Event of threading holds it back.
    gate: object = None

    @property
    def is_processed(self):
        return self.fault not in ("refuse", "goaway")


@dataclasses.dataclass
class Request:
    """A request, as it came."""
    connection: int
    stream: int
    method: str
    path: str
    headers: dict
    body: bytes
    version: str
    # The client's certificate; None or empty without one.
    certificate: dict | None
    time: float = dataclasses.field(default_factory=time.time)
    answer: Answer | None = None
    # The payload of CloudKit, and of a webhook the event around it; a twin reads them.
    payload: dict | None = None
    event: dict | None = None

    @property
    def id(self):
        """The name of the push, which is the same in a repeat."""
        return next((self.headers[name] for name in ("apns-id", "webhook-id", "topic") if name in self.headers), None)


# Clients that end a connection are a part of the play.
logging.getLogger("asyncio").setLevel(logging.ERROR)


class Loop:
    """The event loop of the servers."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self.changed = threading.Condition()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(30)

    def notify(self):
        with self.changed:
            self.changed.notify_all()

    def wait(self, what, condition, seconds=float(os.environ.get("PUSH_CHECK_SECONDS", 60))):
        """Waits until a condition is true, and returns its value."""
        deadline = time.monotonic() + seconds
        while True:
            value = condition()
            if value:
                return value
            left = deadline - time.monotonic()
            if left <= 0:
                raise AssertionError(f"{what}: not within {seconds} s")
            with self.changed:
                self.changed.wait(min(left, 0.1))


class Server:
    """A server on a free port of the loopback interface."""
    # MAX_CONCURRENT_STREAMS of new connections.
    streams = 1000
    first_streams = None

    def __init__(self, loop, context, port=0, host="127.0.0.1"):
        self.loop, self.context, self.host, self.port = loop, context, host, port
        self.requests, self.violations, self.connections = [], [], set()
        self.numbers = itertools.count(1)
        self.opened = 0
        self.running = None
        self.start()

    def start(self):
        async def listen():
            return await asyncio.get_running_loop().create_server(
                lambda: Connection(self), self.host, self.port, ssl=self.context, backlog=1000)
        self.running = self.loop.run(listen())
        self.port = self.running.sockets[0].getsockname()[1]

    def stop(self):
        """Stops listening, and aborts all connections."""
        async def close():
            self.running.close()
            for connection in list(self.connections):
                connection.transport.abort()
        self.loop.run(close())

    def close_connections(self):
        """Closes all connections in order, as an idle server does."""
        async def close():
            for connection in list(self.connections):
                connection.goodbye()
        self.loop.run(close())

    @property
    def origin(self):
        return f"https://{self.host}:{self.port}"

    def respond(self, request):
        """The answer to a request; noted by then."""
        raise NotImplementedError

    def violate(self, text):
        self.violations.append(text)

    def take(self, request):
        try:
            request.answer = self.respond(request)
        except Exception as error:
            self.violate(f"{request.path}: {error!r}")
            request.answer = Answer(500)
        self.requests.append(request)
        self.loop.notify()
        return request.answer


class Connection(asyncio.Protocol):
    """A connection of a client, of either version."""

    def __init__(self, server):
        self.server, self.number = server, next(server.numbers)
        self.streams, self.last = {}, 0
        self.h2, self.buffer = None, b""
        self.tasks = set()
        self.ignores_from = None
        self.window = asyncio.Event()

    def connection_made(self, transport):
        self.transport = transport
        self.server.connections.add(self)
        self.server.opened += 1
        tls = transport.get_extra_info("ssl_object")
        self.certificate = tls and tls.getpeercert()
        if tls is None or tls.selected_alpn_protocol() != "h2":
            return
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        self.h2.local_settings.update({
            h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: self.server.first_streams or self.server.streams})
        self.h2.initiate_connection()
        self.flush()

    def connection_lost(self, error):
        self.server.connections.discard(self)
        for task in self.tasks:
            task.cancel()

    def flush(self):
        if self.h2 and not self.transport.is_closing():
            self.transport.write(self.h2.data_to_send())

    def goodbye(self):
        if self.h2:
            self.write_goaway(self.last)
        self.transport.close()

    def write_goaway(self, last):
        frame = GoAwayFrame(0)
        frame.last_stream_id, frame.error_code = last, h2.errors.ErrorCodes.NO_ERROR
        self.flush()
        self.transport.write(frame.serialize())

    def data_received(self, data):
        if self.h2 is None:
            return self.received_text(data)
        try:
            events = self.h2.receive_data(data)
        except h2.exceptions.ProtocolError as error:
            self.server.violate(f"HTTP/2: {error!r}")
            return self.transport.abort()
        for event in events:
            if isinstance(event, h2.events.RequestReceived):
                self.streams[event.stream_id] = (event.headers, bytearray())
                self.last = max(self.last, event.stream_id)
            elif isinstance(event, h2.events.DataReceived):
                self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                if event.stream_id in self.streams:
                    self.streams[event.stream_id][1].extend(event.data)
            elif isinstance(event, h2.events.StreamEnded):
                self.complete(event.stream_id)
            elif isinstance(event, h2.events.StreamReset):
                self.streams.pop(event.stream_id, None)
            elif isinstance(event, h2.events.WindowUpdated):
                self.window.set()
        self.flush()

    def complete(self, stream):
        if self.ignores_from is not None and stream >= self.ignores_from:
            return
        headers, body = self.streams.pop(stream)
        pseudo = {name: value for name, value in headers if name.startswith(":")}
        request = Request(
            self.number, stream, pseudo[":method"], pseudo[":path"],
            {name: value for name, value in headers if not name.startswith(":")}, bytes(body), "2", self.certificate)
        names = [name for name, _ in headers]
        if len(set(names)) < len(names):
            self.server.violate(f"duplicate headers: {names}")
        self.spawn(self.reply(request, self.server.take(request)))

    def spawn(self, coroutine):
        task = asyncio.get_running_loop().create_task(coroutine)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def hold(self, answer):
        if answer.gate is not None:
            while not answer.gate.is_set():
                await asyncio.sleep(0.01)
        if answer.delay:
            await asyncio.sleep(answer.delay)

    async def reply(self, request, answer):
        if answer.fault == "goaway":
            self.ignores_from = request.stream
            self.write_goaway(max(0, request.stream - 2))
            return self.spawn(self.close_when_idle())
        await self.hold(answer)
        if answer.fault == "silence" or self.transport.is_closing():
            return
        if answer.fault == "cut":
            return self.transport.abort()
        try:
            if answer.fault == "refuse":
                self.h2.reset_stream(request.stream, h2.errors.ErrorCodes.REFUSED_STREAM)
                return self.flush()
            limit = answer.streams or (self.server.streams if self.server.first_streams else None)
            if limit and limit != self.h2.local_settings.max_concurrent_streams:
                self.h2.update_settings({h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: limit})
            headers = [(":status", str(answer.status)), *((name.lower(), value) for name, value in answer.headers.items())]
            self.h2.send_headers(request.stream, headers, end_stream=not answer.body)
            self.flush()
            await self.send_body(request.stream, answer)
        except (h2.exceptions.ProtocolError, KeyError):
            # The client has reset the stream, or the connection has ended.
            pass

    async def send_body(self, stream, answer):
        rest = answer.body
        while rest:
            space = min(self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size)
            if space <= 0:
                self.window.clear()
                await self.window.wait()
                continue
            part = rest[:1 if answer.trickle else space]
            rest = rest[len(part):]
            self.h2.send_data(stream, part, end_stream=not rest)
            self.flush()
            if answer.trickle:
                await asyncio.sleep(answer.trickle)

    async def close_when_idle(self):
        """Ends the connection once all other streams are answered."""
        await asyncio.sleep(0)
        while len(self.tasks) > 1:
            await asyncio.sleep(0.01)
        self.transport.close()

    # HTTP/1.1, one request after the other.

    def received_text(self, data):
        self.buffer += data
        while b"\r\n\r\n" in self.buffer:
            head, rest = self.buffer.split(b"\r\n\r\n", 1)
            lines = head.decode("latin-1").split("\r\n")
            headers = {}
            for line in lines[1:]:
                name, value = line.split(":", 1)
                headers[name.strip().lower()] = value.strip()
            length = int(headers.get("content-length", 0))
            if len(rest) < length:
                return
            self.buffer = rest[length:]
            method, path, _ = lines[0].split(" ", 2)
            self.last += 1
            request = Request(self.number, self.last, method, path, headers, rest[:length], "1.1", self.certificate)
            self.spawn(self.reply_text(self.server.take(request)))

    async def reply_text(self, answer):
        await self.hold(answer)
        if answer.fault == "silence" or self.transport.is_closing():
            return
        if answer.fault:
            return self.transport.abort()
        headers = {**answer.headers, "content-length": str(len(answer.body))}
        head = f"HTTP/1.1 {answer.status} Status\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.transport.write(head.encode("latin-1") + b"\r\n")
        step = 1 if answer.trickle else 65_536
        for start in range(0, len(answer.body), step):
            if self.transport.is_closing():
                return
            self.transport.write(answer.body[start:start + step])
            await asyncio.sleep(answer.trickle)
