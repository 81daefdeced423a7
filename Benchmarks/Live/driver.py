"""A client of one thread over raw keep-alive sockets: cheap, as it shares the machine with what it measures."""
import json, select, socket, time
from collections import deque
from urllib.parse import quote


class Failure(Exception):
    """The service answered what it should not have."""


class Connection:
    """One socket; sends a request, and calls back with the answer once it is whole."""

    def __init__(self, driver):
        self.driver, self.then, self.rest = driver, None, b""
        self.socket = socket.create_connection(driver.address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.unsent = b""
        driver.add(self)

    def ask(self, request, then):
        self.then = then
        self.send(request)

    def send(self, data):
        try:
            sent = self.socket.send(data)
        except BlockingIOError:
            sent = 0
        if sent < len(data):
            self.unsent = data[sent:]
            self.driver.poller.modify(self.socket, select.EPOLLIN | select.EPOLLOUT)

    def writable(self):
        data, self.unsent = self.unsent, b""
        self.driver.poller.modify(self.socket, select.EPOLLIN)
        self.send(data)

    def readable(self):
        data = self.socket.recv(1 << 18)
        if not data:
            raise Failure("a connection was closed by the service")
        self.rest = self.rest + data if self.rest else data
        end = self.rest.find(b"\r\n\r\n")
        if end < 0:
            return
        head = self.rest[:end].lower()
        at = head.index(b"content-length:") + 15
        length = int(head[at:head.find(b"\r\n", at) if head.find(b"\r\n", at) > 0 else end])
        if len(self.rest) < end + 4 + length:
            return
        body, self.rest = self.rest[end + 4:end + 4 + length], b""
        then, self.then = self.then, None
        then(self, int(head[9:12]), body)

    def close(self):
        self.driver.remove(self)


class Stream(Connection):
    """A stream of server-sent events: gives the subscription's and the record's number of each notification to `take(list, time)`."""

    def __init__(self, driver, request, take):
        super().__init__(driver)
        self.take, self.text, self.is_open = take, b"", False
        self.send(request)

    def readable(self):
        data = self.socket.recv(1 << 19)
        now = time.monotonic()
        if not data:
            raise Failure("a stream was closed by the service")
        data = self.rest + data if self.rest else data
        if not self.is_open:
            end = data.find(b"\r\n\r\n")
            if end < 0:
                self.rest = data
                return
            if data[9:12] != b"200":
                raise Failure(f"a stream was refused: {data[:500]}")
            self.is_open, data = True, data[end + 4:]
        parts, at = [self.text], 0
        while True:
            line = data.find(b"\r\n", at)
            if line < 0:
                break
            size = int(data[at:line], 16)
            if len(data) < line + 4 + size:
                break
            parts.append(data[line + 2:line + 2 + size])
            at = line + 4 + size
        self.rest = data[at:]
        events = b"".join(parts).split(b"\n\n")
        self.text = events.pop()
        found = []
        for event in events:
            subscription = event.find(b'"subscriptionID":"s')
            if subscription < 0:
                if event.startswith(b"event: error"):
                    raise Failure(f"a stream ended: {event[:500]}")
                continue
            record = event.find(b'"recordName":"', subscription) + 14
            found.append((event[subscription + 19:event.index(b'"', subscription + 19)], event[record:event.index(b'"', record)]))
        if found:
            self.take(found, now)


class Driver:
    """All connections to one service."""

    def __init__(self, dev):
        host, port = dev["url"].split("//")[1].split(":")
        self.address, self.dev = (host, int(port)), dev
        self.poller, self.connections, self.idle = select.epoll(), {}, []

    def add(self, connection):
        self.connections[connection.socket.fileno()] = connection
        self.poller.register(connection.socket, select.EPOLLIN)

    def remove(self, connection):
        self.connections.pop(connection.socket.fileno(), None)
        connection.socket.close()

    def turn(self, timeout):
        """Waits for news, and handles them."""
        for number, events in self.poller.poll(max(0, timeout)):
            connection = self.connections.get(number)
            if connection and events & select.EPOLLOUT:
                connection.writable()
            if connection and events & ~select.EPOLLOUT:
                connection.readable()

    def request(self, family, rest, body=None, token=None):
        path = f"/{family}/1/{self.dev['container']}/development/{rest}"
        path += ("&" if "?" in rest else "?") + f"ckAPIToken={self.dev['apiToken']}"
        if token:
            path += f"&ckWebAuthToken={quote(token, safe='')}"
        if body is None:
            return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data

    def all(self, requests, connections=16, accept=None):
        """Sends all, so many at once; returns the answers in order. `accept` may say that a request is to be sent again."""
        requests = list(requests)
        answers, waiting, left = [None] * len(requests), deque(enumerate(requests)), len(requests)

        def next(connection):
            if waiting:
                index, request = waiting.popleft()
                connection.ask(request, lambda connection, status, body: done(connection, index, status, body))
            else:
                self.idle.append(connection)

        def done(connection, index, status, body):
            nonlocal left
            if status in (429, 503) or accept and not accept(status, body):
                waiting.append((index, requests[index]))
            elif status != 200 or b'"serverErrorCode"' in body:
                raise Failure(f"{status}: {body[max(0, body.find(b'serverErrorCode') - 200):][:600]} to {requests[index][:120]}")
            else:
                answers[index], left = body, left - 1
            next(connection)

        for _ in range(min(connections, len(requests))):
            next(self.idle.pop() if self.idle else Connection(self))
        while left:
            self.turn(1)
        return answers

    def one(self, *words, **named):
        return json.loads(self.all([self.request(*words, **named)])[0])

    def close_idle(self):
        """Closes the connections that rest: the service would, after a while."""
        while self.idle:
            self.idle.pop().close()

    def close(self):
        for connection in list(self.connections.values()):
            connection.close()
        self.poller.close()


def percentile(values, share):
    """In milliseconds, of seconds; None of nothing."""
    if not values:
        return None
    values = sorted(values)
    return round(values[min(len(values) - 1, int(len(values) * share))] * 1000, 2)
