import PostgreSQL
import TestSupport
import Testing

/// Servers that are broken, of another make, or hostile: each gives an error, and memory stays bounded.
@Suite("Lying servers", .hangGuard) struct LyingServerTests {
    static let bytesMaximum = 4 << 20

    static func configuration(_ server: FakeServer) -> PostgreSQLConfiguration {
        PostgreSQLConfiguration(
            address: server.address, connectTimeout: .milliseconds(300), answerTimeout: .milliseconds(300),
            answerBytesMaximum: bytesMaximum)
    }

    /// A server that writes a session's beginning and an answer, of which only the first `count` bytes.
    static func server(_ greeting: [UInt8], _ answer: [UInt8], count: Int = .max, isSilent: Bool = false) -> FakeServer
    {
        FakeServer { peer in
            guard peer.message(isFirst: true) != nil else { return }
            guard peer.write(Array(greeting.prefix(count))) else { return }
            if count >= greeting.count, peer.readRequest() {
                peer.write(Array(answer.prefix(count == .max ? count : count - greeting.count)))
            }
            if isSilent { peer.waitForEnd() }
        }
    }

    /// Asks and reads all values, as a caller would.
    @discardableResult static func ask(_ server: FakeServer) throws -> Int {
        let connection = try PostgreSQLConnection.open(configuration(server))
        let rows = try connection.query("SELECT 1")
        for row in rows {
            _ = try row.integer(0)
            _ = try row.optionalText(1)
        }
        return rows.count
    }

    @Test("the honest form of the server is understood")
    func honest() throws {
        let server = Self.server(ServerBytes.greeting.flatMap { $0 }, ServerBytes.answer.flatMap { $0 })
        #expect(try Self.ask(server) == 2)
    }

    @Test("a connection that ends within any message gives an error, after any byte")
    func cut() throws {
        let (greeting, answer) = (ServerBytes.greeting.flatMap { $0 }, ServerBytes.answer.flatMap { $0 })
        for count in 0..<greeting.count + answer.count {
            let error = try failure { try Self.ask(Self.server(greeting, answer, count: count)) }
            let isOpen = count >= greeting.count
            #expect(error.kind == (isOpen ? .connectionLost : .unreachable), "after \(count) bytes: \(error)")
            #expect(error.isOutcomeUnknown == isOpen)
        }
    }

    @Test("a server that falls silent within a message gives an error at the end of the time")
    func silent() throws {
        let (greeting, answer) = (ServerBytes.greeting.flatMap { $0 }, ServerBytes.answer.flatMap { $0 })
        for count in [0, 3, greeting.count - 1, greeting.count, greeting.count + 12, greeting.count + answer.count - 1]
        {
            let error = try failure { try Self.ask(Self.server(greeting, answer, count: count, isSilent: true)) }
            #expect(error.kind == (count >= greeting.count ? .timedOut : .unreachable), "after \(count) bytes")
        }
    }

    @Test("wrong lengths of messages give errors", arguments: [-1, 0, 3, 4, 5, 0x7fff_ffff, Int32.min])
    func lengths(length: Int32) throws {
        for number in ServerBytes.greeting.indices {
            var greeting = ServerBytes.greeting
            greeting[number].replaceSubrange(1..<5, with: ServerBytes.integer(length))
            guard greeting[number] != ServerBytes.greeting[number] else { continue }
            _ = try failure { try Self.ask(Self.server(greeting.flatMap { $0 }, [])) }
        }
        for number in ServerBytes.answer.indices {
            var answer = ServerBytes.answer
            answer[number].replaceSubrange(1..<5, with: ServerBytes.integer(length))
            guard answer[number] != ServerBytes.answer[number] else { continue }
            _ = try failure {
                try Self.ask(Self.server(ServerBytes.greeting.flatMap { $0 }, answer.flatMap { $0 }))
            }
        }
    }

    @Test("counts and values that do not fit their description give errors")
    func values() throws {
        let typed = { (type: Int32, format: Int16) in
            ServerBytes.description([
                ServerBytes.column("id", type: type, format: format), ServerBytes.column("name", type: 25),
            ])
        }
        let good = ServerBytes.row([[0, 0, 0, 0, 0, 0, 0, 7], nil])
        let answers: [[[UInt8]]] = [
            [typed(20, 1), ServerBytes.row([[1, 2, 3], nil])], [typed(20, 1), ServerBytes.row([[], nil])],
            [typed(20, 1), ServerBytes.row([nil, nil])], [typed(20, 1), ServerBytes.row([[0, 0, 0, 0, 0, 0, 0, 7]])],
            [typed(20, 1), ServerBytes.row([[0, 0, 0, 0, 0, 0, 0, 7], [0xff, 0xfe]])], [typed(20, 0), good],
            [typed(16, 1), good], [typed(20, 1), ServerBytes.message("D", ServerBytes.short(-1))],
            [typed(20, 1), ServerBytes.message("D", ServerBytes.short(2) + ServerBytes.integer(1000) + [1])],
            [ServerBytes.message("T", ServerBytes.short(3000)), good], [good], [typed(20, 1), typed(20, 1), good],
        ]
        for (number, answer) in answers.enumerated() {
            let bytes =
                [ServerBytes.message("1"), ServerBytes.message("2")] + answer
                + [ServerBytes.message("C", ServerBytes.text("SELECT 1")), ServerBytes.ready]
            let server = Self.server(ServerBytes.greeting.flatMap { $0 }, bytes.flatMap { $0 })
            _ = try failure { try Self.ask(server) }
            #expect(server.accepted.value >= 1, "answer \(number)")
        }
    }

    @Test("answers to nothing, too many answers and other kinds of answers give errors or are passed over")
    func otherAnswers() throws {
        let copies = ["G", "H", "W"].map { ServerBytes.message(Character($0), [1] + ServerBytes.short(0)) }
        for extra in copies + [
            ServerBytes.ready, ServerBytes.message("I"), ServerBytes.message("1"), [0], [0xff, 0, 0, 0, 4],
        ] {
            for place in 0..<ServerBytes.answer.count - 1 {
                var answer = ServerBytes.answer
                answer.insert(extra, at: place)
                do {
                    let server = Self.server(ServerBytes.greeting.flatMap { $0 }, answer.flatMap { $0 })
                    #expect(try Self.ask(server) <= 2)
                } catch is PostgreSQLError {}
            }
        }
    }

    @Test("garbage gives errors", arguments: TestSeeds.several(60))
    func garbage(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let random = { (count: Int, generator: inout SeededGenerator) in
            (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
        _ = try? Self.ask(Self.server(random(200, &generator), []))
        var answer = ServerBytes.answer.flatMap { $0 }
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            answer[Int.random(in: answer.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        let greeting = ServerBytes.greeting.flatMap { $0 }
        // A change may be in a value, which then is another one.
        do { try Self.ask(Self.server(greeting, answer)) } catch is PostgreSQLError {}
        _ = try failure { try Self.ask(Self.server(greeting, random(2000, &generator))) }
    }

    @Test(
        "an answer without an end is ended by its bytes",
        arguments: ["rows", "notices", "parameters", "columns", "row"])
    func endless(kind: String) throws {
        let messages: [String: [UInt8]] = [
            "rows": ServerBytes.row([[0, 0, 0, 0, 0, 0, 0, 7], [UInt8](repeating: 97, count: 1000)]),
            "notices": Array(ServerBytes.error("01000", severity: "WARNING").dropFirst()),
            "parameters": ServerBytes.message("S", ServerBytes.text("client_encoding") + ServerBytes.text("UTF8")),
            "columns": ServerBytes.description([ServerBytes.column("id", type: 20)]),
            "row": [UInt8](repeating: 97, count: 1000),
        ]
        let repeated = (kind == "notices" ? [Character("N").asciiValue!] : []) + messages[kind]!
        let chunk = [[UInt8]](repeating: repeated, count: 32).flatMap { $0 }
        let server = FakeServer { peer in
            guard peer.greet(), peer.readRequest() else { return }
            peer.write(ServerBytes.answer[0] + ServerBytes.answer[1] + ServerBytes.answer[2])
            if kind == "row" {
                peer.write(ServerBytes.message("D").prefix(1) + ServerBytes.integer(.max) + ServerBytes.short(2))
            }
            while peer.write(chunk) {}
        }
        var configuration = Self.configuration(server)
        configuration.answerTimeout = hangGuard
        let connection = try PostgreSQLConnection.open(configuration)
        let error = try failure { _ = try connection.query("SELECT 1") }
        #expect([.answerTooLarge, .connectionLost, .malformedAnswer].contains(error.kind), "\(error)")
        #expect(connection.isLost)
        // The rest is in the buffers of two sockets.
        #expect(server.written.value < Self.bytesMaximum + (24 << 20))
    }

    @Test("a greeting without an end is ended by its bytes", arguments: ["S", "N"])
    func endlessGreeting(kind: Character) throws {
        let body =
            kind == "S" ? ServerBytes.text("a") + ServerBytes.text("b") : Array(ServerBytes.error("01000").dropFirst(5))
        let chunk = [[UInt8]](repeating: ServerBytes.message(kind, body), count: 100).flatMap { $0 }
        let server = FakeServer { peer in
            guard peer.message(isFirst: true) != nil else { return }
            peer.write(ServerBytes.greeting[0])
            while peer.write(chunk) {}
        }
        var configuration = Self.configuration(server)
        configuration.connectTimeout = hangGuard
        let error = try failure { _ = try PostgreSQLConnection.open(configuration) }
        #expect(error.kind == .answerTooLarge)
        #expect(server.written.value < 32 << 20)
    }

    @Test("texts with a NUL end there, and the connection goes on")
    func nul() throws {
        let answer = ServerBytes.error("23505", "a\u{0}b")
        let server = Self.server(ServerBytes.greeting.flatMap { $0 }, answer + ServerBytes.ready)
        let connection = try PostgreSQLConnection.open(Self.configuration(server))
        let error = try failure { _ = try connection.query("SELECT 1") }
        #expect([.uniqueViolation, .connectionLost].contains(error.kind))
    }

    @Test("a server that takes a cancellation and says nothing keeps the thread for a bounded time")
    func silentCancellation() throws {
        let server = FakeServer { peer in
            guard peer.greet(), peer.readRequest() else { return peer.waitForEnd() }
            peer.waitForEnd()
        }
        let connection = try PostgreSQLConnection.open(Self.configuration(server))
        connection.canceller.stop()
        connection.canceller.reset()
        let error = try failure { _ = try connection.query("SELECT 1") }
        #expect(error.kind == .timedOut && connection.isLost)
    }
}
