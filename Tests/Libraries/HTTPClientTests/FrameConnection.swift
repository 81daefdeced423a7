import CTLSServer
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// A connection of a `FrameServer`: writes frames of HTTP/2. The head of an answer is written without compression.
final class FrameConnection: Sendable {
    /// The ways in which a connection ends.
    enum End {
        /// As a server does that stops.
        case stop
        /// As the system does for a process that is killed.
        case kill
        case reset
    }

    private struct State {
        var open: Set<UInt32> = []
        var limit: Int?
        var isClosed = false
    }

    private let descriptor: Int32
    private let state = Mutex(State())
    /// Nil once it is freed.
    private let connection: Mutex<TLS?>
    /// A frame is written whole.
    private let writing = Mutex(())

    /// Sendable by its use: the mutex around it lets one thread at a time to the pointer.
    private struct TLS: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    init(_ descriptor: Int32, on server: OpaquePointer) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        // Or a frame waits for the acknowledgement of the one before it.
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        connection = Mutex(ctls_accept(server, descriptor).map(TLS.init))
    }

    var isOverLimit: Bool { state.withLock { state in state.limit.map { state.open.count > $0 } ?? false } }

    // MARK: What a server says

    func answer(
        _ request: FrameRequest, status: Int = 200, headers: [(String, String)] = [], _ body: String = "",
        ends: Bool = true
    ) {
        // Literal fields without indexing: the eighth name of the static table is `:status`.
        var block: [UInt8] = [0x08, 3] + Array("\(status)".utf8)
        for (name, value) in headers {
            block += [0] + [UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
        }
        if ends { closed(request.stream) }
        let flags: UInt8 = body.isEmpty && ends ? 1 : 0
        write(
            type: 1, flags: flags | (block.count > 16_384 ? 0 : 4), stream: request.stream, Array(block.prefix(16_384)))
        for start in stride(from: 16_384, to: block.count, by: 16_384) {
            let end = min(block.count, start + 16_384)
            write(type: 9, flags: end == block.count ? 4 : 0, stream: request.stream, Array(block[start..<end]))
        }
        if !body.isEmpty { data(request, Array(body.utf8), ends: ends) }
    }

    func data(_ request: FrameRequest, _ bytes: [UInt8], ends: Bool) {
        for start in stride(from: 0, to: bytes.count, by: 16_384) {
            let part = bytes[start..<min(bytes.count, start + 16_384)]
            write(type: 0, flags: ends && part.endIndex == bytes.count ? 1 : 0, stream: request.stream, Array(part))
        }
    }

    func reset(_ request: FrameRequest, code: UInt32) {
        closed(request.stream)
        write(type: 3, flags: 0, stream: request.stream, Self.bytes(code))
    }

    func goAway(last stream: UInt32, code: UInt32 = 0) {
        write(type: 7, flags: 0, stream: 0, Self.bytes(stream) + Self.bytes(code))
    }

    /// Nil for a server without a limit of streams.
    func settings(streamsMaximum: Int?) {
        state.withLock { $0.limit = streamsMaximum }
        announce(streamsMaximum: streamsMaximum)
    }

    /// A limit that the client obeys, and the server does not enforce.
    func announce(streamsMaximum: Int?) {
        write(type: 4, flags: 0, stream: 0, streamsMaximum.map { [0, 3] + Self.bytes(UInt32($0)) } ?? [])
    }

    func end(_ end: End) {
        if end == .stop { _ = transfer { SSL_shutdown($0) >= 0 ? 1 : 0 } }
        state.withLock { state in
            guard !state.isClosed else { return }
            if end == .reset {
                var now = linger(l_onoff: 1, l_linger: 0)
                setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
            }
            shutdown(descriptor, Int32(end == .reset ? SHUT_RD : SHUT_RDWR))
        }
    }

    // MARK: For the server

    /// The number of streams that are open then.
    func opened(_ stream: UInt32) -> Int {
        state.withLock { state in
            state.open.insert(stream)
            return state.open.count
        }
    }

    func closed(_ stream: UInt32) { state.withLock { _ = $0.open.remove(stream) } }

    func close() {
        connection.withLock { connection in
            SSL_free(connection?.pointer)
            connection = nil
        }
        state.withLock { state in
            state.isClosed = true
            _ = Glibc.close(descriptor)
        }
    }

    /// Gives the client room for as many bytes as it sent.
    func widen(by count: Int) {
        if count > 0 { write(type: 8, flags: 0, stream: 0, Self.bytes(UInt32(count))) }
    }

    func write(type: UInt8, flags: UInt8, stream: UInt32, _ payload: [UInt8]) {
        let frame = Self.bytes(UInt32(payload.count)).dropFirst() + [type, flags] + Self.bytes(stream) + payload
        writing.withLock { _ in
            var rest = Array(frame)[...]
            while !rest.isEmpty {
                let count = transfer { connection in
                    rest.withUnsafeBytes { ctls_write(connection, $0.baseAddress, Int32($0.count)) }
                }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Nil at the end of the connection.
    func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var position = 0
        while position < count {
            let read = transfer { connection in
                bytes.withUnsafeMutableBytes {
                    ctls_read(connection, $0.baseAddress! + position, Int32(count - position))
                }
            }
            guard read > 0 else { return nil }
            position += read
        }
        return bytes
    }

    /// The result of a call of OpenSSL, which is repeated when the socket is ready for it.
    private func transfer(_ call: (OpaquePointer) -> Int32) -> Int {
        while true {
            let result = connection.withLock { connection in connection.map { call($0.pointer) } ?? 0 }
            if result >= 0 { return Int(result) }
            var awaited = pollfd(fd: descriptor, events: Int16(result == -1 ? POLLIN : POLLOUT), revents: 0)
            poll(&awaited, 1, 1000)
        }
    }

    private static func bytes(_ value: UInt32) -> [UInt8] {
        [
            UInt8(truncatingIfNeeded: value >> 24), UInt8(truncatingIfNeeded: value >> 16),
            UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value),
        ]
    }
}
