import CMicroHTTPD
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

extension Exchange {
    /// Answers up to this size have no deadline of their own: the kernel takes them.
    private static let atOnceBytes = 64 << 10

    /// Queues an answer with the daemon. Called on the connection's worker, when the daemon awaits one.
    func send(_ response: HTTPResponse, on pointer: OpaquePointer) -> MHD_Result {
        let prepared: OpaquePointer
        var response = response
        do throws(UnsendableResponse) {
            if let defect = response.defect { throw UnsendableResponse(reason: defect) }
            prepared = try prepare(response)
        } catch {
            response.discard(.clientLeft)
            core.log(.error, "An answer to \(requestName) cannot be sent: \(error.reason).")
            response = core.refusal(.invalidResponse(reason: error.reason))
            guard let substitute = try? prepare(response) else { return .NO }
            prepared = substitute
        }
        // The connection holds the answer from here on, and frees it when it is sent or the connection ends.
        defer { MHD_destroy_response(prepared) }
        if let bytes = response.bytesToSend {
            if bytes > Self.atOnceBytes { connection.answering(bytes: bytes) }
            if bytes > 0, head?.isHead != true { core.handler.sending(bytes, to: client, admitted: admitted) }
        }
        return MHD_queue_response(pointer, UInt32(response.status), prepared)
    }

    private var requestName: String { head.map { "\($0.method) \($0.path)" } ?? "a request" }

    private func prepare(_ response: HTTPResponse) throws(UnsendableResponse) -> OpaquePointer {
        let prepared: OpaquePointer?
        switch response.body {
        case .empty: prepared = MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
        case .bytes(let bytes) where !holdInMemory(bytes.count): prepared = try prepareSpilled(bytes)
        case .bytes(let bytes):
            prepared = bytes.withUnsafeBytes {
                MHD_create_response_from_buffer(
                    $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
            }
        case .file(let path, let offset, let length):
            prepared = try prepareFile(path, offset: offset, length: length)
        case .stream(let stream):
            prepared = try prepareStream(stream, status: response.status)
        case .resting: throw UnsendableResponse(reason: "it rests")
        }
        guard let prepared else { throw UnsendableResponse(reason: "there is no memory for it") }
        var headers = core.identified(response).headers.filter { !$0.1.isEmpty }
        if closes || core.stage > .running { headers.append(("Connection", "close")) }
        for (name, value) in headers where MHD_add_response_header(prepared, name, value) != .YES {
            MHD_destroy_response(prepared)
            throw UnsendableResponse(reason: "libmicrohttpd does not take header \(name)")
        }
        return prepared
    }

    /// Returns true if an answer of this size may wait in memory until the client has read it.
    private func holdInMemory(_ bytes: Int) -> Bool {
        guard let reservation = core.answers.reserve(bytes, for: accounts) else { return false }
        state.withLock { $0.answerReservation = reservation }
        return true
    }

    /// An answer in a file: the work is done, and its effects may be visible.
    private func prepareSpilled(_ bytes: [UInt8]) throws(UnsendableResponse) -> OpaquePointer? {
        let file: TemporaryFile
        do {
            file = try TemporaryFile(in: core.configuration.answersDirectory)
            try file.write(bytes)
        } catch {
            throw UnsendableResponse(reason: error.reason)
        }
        // Opened once more before the name goes away.
        return try withExtendedLifetime(file) { () throws(UnsendableResponse) -> OpaquePointer? in
            try prepareFile(file.path, offset: 0, length: bytes.count)
        }
    }

    private func prepareFile(_ path: String, offset: Int, length: Int?) throws(UnsendableResponse) -> OpaquePointer? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw UnsendableResponse(reason: "could not open \(path): \(String(cString: strerror(errno)))")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, offset >= 0,
            offset <= Int(status.st_size), (length ?? 0) >= 0, (length ?? 0) <= Int(status.st_size) - offset
        else {
            close(descriptor)
            let part = "bytes from \(offset), \(length.map { "\($0)" } ?? "all")"
            throw UnsendableResponse(reason: "\(path) is no file with \(part)")
        }
        let size = length ?? Int(status.st_size) - offset
        guard let prepared = MHD_create_response_from_fd_at_offset64(UInt64(size), descriptor, UInt64(offset)) else {
            close(descriptor)
            return nil
        }
        return prepared
    }

    /// The daemon reads the stream whenever the socket takes more; a stream with nothing to send suspends it.
    private func prepareStream(
        _ stream: HTTPResponseStream, status: Int
    ) throws(UnsendableResponse) -> OpaquePointer? {
        if status == 204 || status == 304 || head?.isHead ?? true {
            stream.end(.finished)
            guard status != 204, head != nil, let length = stream.length else {
                return MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
            }
            // Only its length is sent: nothing is read.
            return prepareReader(of: stream, size: UInt64(length))
        }
        guard stream.attach(to: connection) else {
            throw UnsendableResponse(reason: "its stream belongs to another answer")
        }
        connection.limitSendBuffer(bytes: core.configuration.streamSendBufferBytes)
        if !connection.register(.stream(stream), unless: { core.stage > .running }) { stream.finish() }
        return prepareReader(of: stream, size: stream.length.map { UInt64($0) } ?? microhttpd_size_unknown())
    }

    private func prepareReader(of stream: HTTPResponseStream, size: UInt64) -> OpaquePointer? {
        core.counters.streams.add(1, ordering: .relaxed)
        let reader = StreamReader(stream: stream, exchange: self)
        let context = Unmanaged.passRetained(reader).toOpaque()
        let prepared = MHD_create_response_from_callback(size, 1 << 10, readStream, context, releaseStream)
        if prepared == nil { releaseStream(context: context) }
        return prepared
    }
}

/// The reason why an answer cannot be sent.
private struct UnsendableResponse: Error {
    var reason: String
}

/// The source that the daemon reads a stream from while it sends it.
private final class StreamReader: Sendable {
    let stream: HTTPResponseStream
    let core: ServerCore
    private let client: ClientAddress?
    private let admitted: (any Sendable)?

    init(stream: HTTPResponseStream, exchange: Exchange) {
        self.stream = stream
        (core, client, admitted) = (exchange.core, exchange.client, exchange.admitted)
    }

    func read(into target: UnsafeMutableRawBufferPointer) -> StreamMachine.Read {
        let read = stream.read(into: target)
        if case .bytes(let count) = read { core.handler.sending(count, to: client, admitted: admitted) }
        return read
    }
}

/// On the connection's worker, whenever it can send.
private func readStream(
    context: UnsafeMutableRawPointer?, position: UInt64, buffer: UnsafeMutablePointer<CChar>?, capacity: Int
) -> Int {
    guard let context, let buffer else { return microhttpd_stream_failure() }
    let reader = Unmanaged<StreamReader>.fromOpaque(context).takeUnretainedValue()
    switch reader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity)) {
    case .bytes(let count): return count
    case .suspend: return 0
    case .end: return microhttpd_stream_end()
    case .failure: return microhttpd_stream_failure()
    }
}

/// On the connection's worker, when the answer was sent or the connection ended.
private func releaseStream(context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    let reader = Unmanaged<StreamReader>.fromOpaque(context).takeRetainedValue()
    reader.core.counters.streams.subtract(1, ordering: .relaxed)
    reader.stream.detach()
}
