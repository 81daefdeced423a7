import CTLSServer
import Synchronization
import TestSupport
import Waiting

#if canImport(Glibc)
    import Glibc
#endif

/// An HTTP/2 server with TLS on 127.0.0.1 that writes what a test says, frame by frame, also what a server should not. Requests
/// are known by their bodies; their heads are not decoded.
final class FrameServer: Sendable {
    private struct State {
        var connections: [FrameConnection] = []
        var accepted = 0
        var isStopped = false
    }

    let port: Int
    /// All bodies, in the order of their arrival.
    let arrived = Mutex<[String]>([])
    /// The bodies of requests that were refused because of the limit of streams.
    let refused = Mutex<[String]>([])
    /// The most requests that were open on a connection at once.
    let openMaximum = Mutex(0)
    let streamsMaximum: Int?

    /// Its calls take a lock of their own.
    private nonisolated(unsafe) let server: OpaquePointer
    private let listener: Int32
    private let state = Mutex(State())
    private let serve: @Sendable (FrameConnection, FrameRequest) -> Void

    /// - Parameters:
    ///   - streamsMaximum: the limit in the first SETTINGS; requests above it are refused from the first frame on.
    ///   - serve: called for each request when its end has come, on the thread of its connection.
    init(
        port: Int = 0, streamsMaximum: Int? = nil, demandsCertificate: Bool = false,
        _ serve: @escaping @Sendable (FrameConnection, FrameRequest) -> Void
    ) {
        self.streamsMaximum = streamsMaximum
        self.serve = serve
        let certificate = TestCertificate.shared
        server = ctls_server(certificate.file, certificate.key, demandsCertificate ? certificate.file : nil)
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var one: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, 4)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        self.port = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(listener, address, length) == 0, listen(listener, 512) == 0 else { return }
                getsockname(listener, address, &length)
            }
            return Int(in_port_t(bigEndian: pointer.pointee.sin_port))
        }
        DedicatedThread.start { [weak self] in
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0, let self else { break }
                self.take(descriptor)
            }
            close(listener)
        }
    }

    deinit { SSL_CTX_free(server) }

    var url: String { "https://127.0.0.1:\(port)" }
    /// The number of connections that were made.
    var accepted: Int { state.withLock { $0.accepted } }
    var connectionsOpen: Int { state.withLock { $0.connections.count } }
    var requests: [String] { arrived.withLock { $0 } }

    /// Ends all connections and takes no more.
    func stop() {
        let connections = state.withLock { state in
            // Once: the descriptor may be another server's afterwards.
            if !state.isStopped { shutdown(listener, Int32(SHUT_RDWR)) }
            state.isStopped = true
            return state.connections
        }
        for connection in connections { connection.end(.reset) }
    }

    private func take(_ descriptor: Int32) {
        let connection = FrameConnection(descriptor, on: server)
        state.withLock { state in
            state.accepted += 1
            state.connections.append(connection)
        }
        DedicatedThread.start { [self] in
            read(connection)
            connection.close()
            state.withLock { $0.connections.removeAll { $0 === connection } }
        }
    }

    private func read(_ connection: FrameConnection) {
        guard connection.read(24) != nil else { return }
        connection.settings(streamsMaximum: streamsMaximum)
        var bodies: [UInt32: [UInt8]] = [:]
        while let head = connection.read(9),
            let payload = connection.read(Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2]))
        {
            let stream = head[5..<9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            switch (head[3], head[4]) {
            case (0, _):
                bodies[stream]?.append(contentsOf: payload)
                connection.widen(by: payload.count)
            case (1, _):
                bodies[stream] = []
                let open = connection.opened(stream)
                openMaximum.withLock { $0 = max($0, open) }
            case (3, _): connection.closed(stream)
            case (4, 0): connection.write(type: 4, flags: 1, stream: 0, [])
            case (6, 0): connection.write(type: 6, flags: 1, stream: 0, payload)
            default: break
            }
            if head[3] < 2, head[4] & 1 == 1, let body = bodies[stream] {
                received(FrameRequest(stream: stream, body: String(decoding: body, as: UTF8.self)), connection)
            }
        }
    }

    private func received(_ request: FrameRequest, _ connection: FrameConnection) {
        if connection.isOverLimit {
            refused.withLock { $0.append(request.body) }
            return connection.reset(request, code: 7)
        }
        arrived.withLock { $0.append(request.body) }
        serve(connection, request)
    }
}

/// A request that a `FrameServer` got.
struct FrameRequest {
    var stream: UInt32
    var body: String
}
