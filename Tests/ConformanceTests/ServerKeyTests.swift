import Cryptography
import Foundation
import JSON
import Testing
import TextForms

/// A client of the service's own kind: a server that signs its requests.
struct SigningServer: Sendable {
    let service: ConformanceService
    private let id: String
    private let key: SigningKey

    /// Nil where the suite was given no key.
    init?(_ service: ConformanceService) throws {
        guard let given = service.serverKey else { return nil }
        self.service = service
        id = given.id
        key = try SigningKey(pem: String(contentsOfFile: given.file, encoding: .utf8))
    }

    /// - Parameters:
    ///     - signed: the signed text instead of the target: Go's clients leave the query out.
    ///     - signedBody: the signed body, if it is another than the sent one.
    ///     - emptyHash: the replacement for the hash of an empty body.
    func send(
        _ target: String, _ body: String, method: String = "POST", signed: String? = nil, signedBody: String? = nil,
        emptyHash: String? = nil, secondsAgo: Double = 0
    ) async throws -> Reply {
        let date = Date(timeIntervalSinceNow: -secondsAgo).formatted(.iso8601)
        let bytes = Array((signedBody ?? body).utf8)
        let hash = bytes.isEmpty ? emptyHash ?? Self.hash(bytes) : Self.hash(bytes)
        let signature = key.signature(of: Array("\(date):\(hash):\(signed ?? target)".utf8))
        return try await service.send(
            method, target, method == "GET" ? nil : Array(body.utf8),
            headers: [
                ("X-Apple-CloudKit-Request-KeyID", id), ("X-Apple-CloudKit-Request-ISO8601Date", date),
                ("X-Apple-CloudKit-Request-SignatureV1", Base64.standard.encode(signature)),
                ("Content-Type", "text/plain"),
            ])
    }

    private static func hash(_ bytes: [UInt8]) -> String { Base64.standard.encode(SHA256.hash(bytes)) }
}

@Suite("5.14 Server-to-server keys") struct ServerKeyTests {
    private static let lookup = #"{"records": [{"recordName": "none"}]}"#

    private func server() async throws -> SigningServer? { try SigningServer(try await ConformanceService.shared()) }

    private func path(_ server: SigningServer, _ endpoint: String, in database: String = "public") -> String {
        server.service.path(endpoint, in: database)
    }

    @Test("5.14 a signed request reads and writes the public database as one user")
    func save() async throws {
        guard let server = try await server() else { return }
        var users: Set<String?> = []
        for _ in 0..<2 {
            let body = #"{"operations": [{"operationType": "create", "record": {"recordType": "\#(Unique.type())"}}]}"#
            let reply = try await server.send(path(server, "records/modify"), body)
            #expect(reply.status == 200, "\(reply)")
            users.insert(reply.items("records").first?["created"]?["userRecordName"]?.string)
        }
        #expect(users.count == 1 && !users.contains(nil))
    }

    @Test("5.14 the path is signed with its query or without")
    func query() async throws {
        guard let server = try await server() else { return }
        let path = path(server, "records/lookup")
        #expect(try await server.send("\(path)?x=1", Self.lookup).status == 200)
        #expect(try await server.send("\(path)?x=1", Self.lookup, signed: path).status == 200)
    }

    @Test("5.14 an empty body is signed by its hash or by nothing")
    func emptyBody() async throws {
        guard let server = try await server() else { return }
        let path = path(server, "zones/list")
        #expect(try await server.send(path, "", method: "GET").status == 200)
        #expect(try await server.send(path, "", method: "GET", emptyHash: "").status == 200)
    }

    @Test("5.14 a date over ten minutes away is refused", arguments: [-700, 700] as [Double])
    func clock(secondsAgo: Double) async throws {
        guard let server = try await server() else { return }
        let reply = try await server.send(path(server, "records/lookup"), Self.lookup, secondsAgo: secondsAgo)
        expect(reply, 401, "AUTHENTICATION_FAILED")
    }

    @Test("5.14 a signature of another body or path is refused")
    func wrongSignatures() async throws {
        guard let server = try await server() else { return }
        let path = path(server, "records/lookup")
        let body = try await server.send(path, Self.lookup, signedBody: "{}")
        expect(body, 401, "AUTHENTICATION_FAILED")
        let other = try await server.send(path, Self.lookup, signed: path + "x")
        expect(other, 401, "AUTHENTICATION_FAILED")
    }

    @Test("5.14 a key reaches no private database and no users")
    func reach() async throws {
        guard let server = try await server() else { return }
        let denied = try await server.send(path(server, "records/lookup", in: "private"), Self.lookup)
        #expect((400..<500).contains(denied.status), "\(denied)")
        let share = try await server.send(path(server, "records/accept"), #"{"shortGUIDs": [{"value": "x"}]}"#)
        expect(share, 403, "ACCESS_DENIED")
        // 5.2: with a server key, users are AUTHENTICATION_FAILED.
        expect(try await server.send(path(server, "users/discover"), "", method: "GET"), 401, "AUTHENTICATION_FAILED")
    }

    @Test(
        "5.10 a key gets its user: Apple's own examples begin with that",
        arguments: ["users/caller", "users/current"])
    func caller(endpoint: String) async throws {
        guard let server = try await server() else { return }
        let reply = try await server.send(path(server, endpoint), "", method: "GET")
        #expect(reply.status == 200 && reply.json["userRecordName"]?.string?.hasPrefix("_") == true, "\(reply)")
    }
}
