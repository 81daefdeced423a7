import Synchronization
import Testing

@testable import HTTPServer

#if canImport(Glibc)
    import Glibc
#endif

/// Connections that were given up, and a byte of their client that comes before they are closed.
struct LateRequestTests {
    /// A handler that counts the bytes which it is charged.
    private final class Charged: HTTPHandler {
        private let sent = Mutex<[Int]>([])
        var bytes: [Int] { sent.withLock { $0 } }

        func admit(_ head: HTTPRequestHead) -> HTTPAdmission { TestHandler().admit(head) }
        func answer(_ request: HTTPRequest) -> HTTPAnswer { TestHandler().answer(request) }
        func refusal(_ refusal: HTTPRefusal) -> HTTPResponse { TestHandler().refusal(refusal) }
        func sending(_ bytes: Int, to client: ClientAddress?, admitted: (any Sendable)?) {
            sent.withLock { $0.append(bytes) }
        }
    }

    /// A connection over a pair of sockets, without a daemon.
    private final class World {
        let handler = Charged()
        let core: ServerCore
        let connection: Connection
        private let client: Int32
        private let server: Int32
        private let opened = ContinuousClock.now

        init(isEncrypted: Bool = false) throws {
            var pair: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
            (client, server) = (pair[0], pair[1])
            core = ServerCore(configuration: HTTPServerConfiguration(), handler: handler, watch: try Watch())
            connection = Connection(
                nil, descriptor: pair[1], address: nil, identity: 7, isSurplus: false, isEncrypted: isEncrypted,
                timeouts: HTTPServerTimeouts())
        }

        deinit {
            for descriptor in [client, server] { close(descriptor) }
        }

        /// The verdict of the watch a day later.
        func look() -> ConnectionDeadline.Verdict {
            connection.inspect(opened + .seconds(86_400), poll: -1).verdict
        }

        /// The rest of a head arrives.
        func headArrives() -> Bool {
            if connection.headersComplete(bodyFollows: false) != nil { return true }
            core.answerLate(connection)
            return false
        }

        /// What the client got.
        var received: String {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = recv(client, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }

        /// True if the socket stays open for a while after its connection.
        func lingers() -> Bool {
            guard let copy = connection.closed() else { return false }
            close(copy)
            return true
        }
    }

    /// The charge of the answer to a late request.
    private static let charge = ["refused: requestTimedOut".utf8.count]

    @Test("a late request is answered and charged once, if its head is complete before the watch answers or after")
    func once() throws {
        for isBefore in [true, false] {
            let world = try World()
            world.connection.requestLine("/")
            let verdict = world.look()
            #expect(verdict == .answerTimedOut)
            if !isBefore { world.core.act(on: verdict, world.connection) }
            #expect(!world.headArrives())
            if isBefore { world.core.act(on: verdict, world.connection) }
            let text = world.received
            #expect(text.hasPrefix("HTTP/1.1 408 ") && text.ranges(of: "HTTP/1.1").count == 1, "\(text)")
            #expect(world.handler.bytes == Self.charge)
            #expect(world.lingers())
        }
    }

    @Test(
        "a connection that was closed while it rested gets no answer to a request that comes then, and is not charged")
    func resting() throws {
        for isIdle in [true, false] {
            let world = try World()
            if isIdle {
                #expect(world.look() == .close)
            } else {
                world.connection.requestLine("/")
                world.connection.closeResting()
            }
            #expect(!world.headArrives())
            #expect(world.received.isEmpty && world.handler.bytes.isEmpty && !world.lingers())
        }
    }

    @Test("an encrypted connection of a late request is closed without an answer and a charge")
    func encrypted() throws {
        let world = try World(isEncrypted: true)
        world.connection.requestLine("/")
        let verdict = world.look()
        #expect(!world.headArrives())
        world.core.act(on: verdict, world.connection)
        #expect(world.received.isEmpty && world.handler.bytes.isEmpty && !world.lingers())
    }

    @Test("a request that arrives while the server abandons all is refused as stopping, once")
    func abandoned() throws {
        let world = try World()
        world.connection.requestLine("/")
        world.core.stage = .abandoning
        #expect(world.connection.giveUpArriving())
        #expect(!world.headArrives())
        #expect(world.received.hasSuffix("refused: stopping"))
        #expect(world.handler.bytes == ["refused: stopping".utf8.count])
    }
}
