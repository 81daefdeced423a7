import CloudModel
import HTTPClient
import JSON
import Synchronization
import TestSupport
import Testing

@testable import Console

/// How an operator's session begins and ends.
@Suite struct OperatorSessionTests {
    /// A clock that a test moves, and a file in memory.
    private final class Bench: Sendable {
        private let milliseconds = Mutex<Int64>(1_790_000_000_000)
        private let bytes = Mutex<[UInt8]?>(nil)
        static let fixed = String(repeating: "f", count: 64)

        func sessions() -> OperatorSessions {
            OperatorSessions(
                fixedToken: Self.fixed,
                file: KeptFile(
                    load: { self.bytes.withLock(\.self) }, save: { bytes in self.bytes.withLock { $0 = bytes } }),
                now: { Timestamp(milliseconds: self.milliseconds.withLock(\.self)) })
        }

        func pass(minutes: Int64) { milliseconds.withLock { $0 += minutes * 60_000 } }

        var saved: String { String(decoding: bytes.withLock(\.self) ?? [], as: UTF8.self) }
    }

    private static let anna = Operator(name: "anna@example.com", role: .operator)

    @Test("a code begins one session, once, within ten minutes")
    func codes() throws {
        let bench = Bench()
        let sessions = bench.sessions()
        let code = sessions.makeCode(for: Self.anna)
        let (token, session) = try sessions.begin(code: code)
        #expect(session.who == Self.anna)
        #expect(try sessions.session(of: token).who == Self.anna)
        #expect(throws: CloudError.self) { try sessions.begin(code: code) }
        #expect(throws: CloudError.self) { try sessions.begin(code: "x") }
        let late = sessions.makeCode(for: Self.anna)
        bench.pass(minutes: 10)
        #expect(throws: CloudError.self) { try sessions.begin(code: late) }
    }

    @Test("a session ends after half an hour without a request, after twelve hours in any case, and by signing out")
    func ends() throws {
        let bench = Bench()
        let sessions = bench.sessions()
        let idle = try sessions.begin(Self.anna).token
        bench.pass(minutes: 29)
        _ = try sessions.session(of: idle)
        bench.pass(minutes: 30)
        #expect(throws: CloudError.self) { try sessions.session(of: idle) }

        let busy = try sessions.begin(Self.anna).token
        for _ in 0..<(12 * 60 / 20 - 1) {
            bench.pass(minutes: 20)
            _ = try sessions.session(of: busy)
        }
        bench.pass(minutes: 20)
        #expect(throws: CloudError.self) { try sessions.session(of: busy) }

        let ended = try sessions.begin(Self.anna).token
        try sessions.end(ended)
        #expect(throws: CloudError.self) { try sessions.session(of: ended) }
    }

    @Test("sessions outlive a restart, ended ones do not, and no token is in the file")
    func restart() throws {
        let bench = Bench()
        let first = bench.sessions()
        let ben = Operator(
            name: "ben@example.com", rights: [.init(.viewer), .init(.operator, place: "iCloud.a/development")])
        let (kept, ended) = (try first.begin(ben).token, try first.begin(Self.anna).token)
        try first.end(ended)
        let second = bench.sessions()
        #expect(try second.session(of: kept).who == ben)
        #expect(throws: CloudError.self) { try second.session(of: ended) }
        #expect(!bench.saved.contains(kept))
        bench.pass(minutes: 31)
        #expect(throws: CloudError.self) { try bench.sessions().session(of: kept) }
    }

    @Test("the token of a file is good without a session")
    func fixedToken() throws {
        let bench = Bench()
        let sessions = bench.sessions()
        bench.pass(minutes: 100_000)
        #expect(try sessions.session(of: Bench.fixed).who.role == .operator)
        #expect(throws: CloudError.self) { try sessions.session(of: "") }
    }

    @Test("sessions and codes are bounded: the oldest make room")
    func bounded() throws {
        let bench = Bench()
        let sessions = bench.sessions()
        let first = try sessions.begin(Self.anna).token
        let code = sessions.makeCode(for: Self.anna)
        bench.pass(minutes: 1)
        for _ in 0..<Limits.operatorSessionsMax {
            _ = try sessions.begin(Self.anna)
            _ = sessions.makeCode(for: Self.anna)
        }
        #expect(throws: CloudError.self) { try sessions.session(of: first) }
        #expect(throws: CloudError.self) { try sessions.begin(code: code) }
    }

    @Test("a session begins, is shown and ends over HTTP")
    func overHTTP() async throws {
        try await ConsoleBench.run { bench in
            let code = bench.sessions.makeCode(for: Self.anna)
            let header = [("X-Fanfare-Console", "1")]
            let refused = try await bench.send("POST", "/operator/1/sessions", ["code": .string(code)])
            #expect(refused.code == "ACCESS_DENIED", "and the code is as good as before")
            let begun = try await bench.send("POST", "/operator/1/sessions", ["code": .string(code)], headers: header)
            #expect(begun.json["operator"] == "anna@example.com" && begun.json["role"] == "operator")
            let token = try #require(begun.json["token"]?.string)
            let again = try await bench.send("POST", "/operator/1/sessions", ["code": .string(code)], headers: header)
            #expect(again.status == 401 && again.code == "AUTHENTICATION_FAILED")
            let current = try await bench.send(
                "POST", "/operator/1/sessions/current", headers: bench.headers(token))
            #expect(current.json["operator"] == "anna@example.com" && current.json["expires"] == begun.json["expires"])
            let other = try await bench.send("POST", "/operator/1/codes", [:], headers: bench.headers(token))
            let second = try bench.sessions.begin(code: try #require(other.json["code"]?.string))
            #expect(second.session.who == Self.anna)
            let end = try await bench.send("POST", "/operator/1/sessions/end", [:], headers: bench.headers(token))
            #expect(end.json["ended"] == true)
            let over = try await bench.send(
                "POST", "/operator/1/sessions/current", [:], headers: bench.headers(token))
            #expect(over.status == 401)
        }
    }
}
