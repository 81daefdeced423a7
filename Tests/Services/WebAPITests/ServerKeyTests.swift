import CloudModel
import Cryptography
import HTTPClient
import Identity
import JSON
import RecordService
import TestSupport
import Testing
import TextForms

/// Requests signed with a server-to-server key (docs/cloudkit.md#authentication).
@Suite struct ServerKeyTests {
    /// A client with a key.
    struct Signer: Sendable {
        let bench: WebBench
        let id: String
        let key: SigningKey

        init(_ bench: WebBench) async throws {
            self.bench = bench
            (id, key) = try await bench.system.identity.makeServerKey(note: "test")
        }

        enum EmptyBody { case hashed, empty }

        func headers(
            _ path: String, body: String, emptyBody: EmptyBody = .hashed, minutesAgo: Int64 = 0
        ) -> [(String, String)] {
            let time = Timestamp(milliseconds: bench.system.service.now().milliseconds - minutesAgo * 60_000)
            let date = time.iso8601
            let hash = body.isEmpty && emptyBody == .empty ? "" : Base64.standard.encode(SHA256.hash(Array(body.utf8)))
            let signature = key.signature(of: Array("\(date):\(hash):\(path)".utf8))
            return Self.headers(id, date, Base64.standard.encode(signature))
        }

        static func headers(_ id: String, _ date: String, _ signature: String) -> [(String, String)] {
            [
                ("X-Apple-CloudKit-Request-KeyID", id), ("X-Apple-CloudKit-Request-ISO8601Date", date),
                ("X-Apple-CloudKit-Request-SignatureV1", signature),
            ]
        }

        func send(_ path: String, _ body: String) async throws -> Answer {
            try await bench.raw("POST", path, bytes: Array(body.utf8), headers: headers(path, body: body))
        }
    }

    static let save = """
        {"operations": [{"operationType": "forceUpdate", "record": {"recordName": "k", "recordType": "T", "fields": {}}}]}
        """

    @Test func aSignedRequestActsAsTheKeysOwnUser() async throws {
        try await WebBench.run { bench in
            let signer = try await Signer(bench)
            let saved = try await signer.send(bench.database("records/modify"), Self.save)
            #expect(saved.status == 200)
            let creator = saved.json["records"]?[0]?["created"]?["userRecordName"]?.string
            #expect(creator?.hasPrefix("_") == true)
            #expect(saved.headers["X-Apple-CloudKit-Web-Auth-Token"] == nil)
            let again = try await signer.send(bench.database("records/modify"), Self.save)
            #expect(again.json["records"]?[0]?["modified"]?["userRecordName"]?.string == creator)
            // Another user's record is another's for the key, too.
            let alice = try await bench.signIn("alice")
            try await bench.save("a", user: alice)
            let other = try await signer.send(
                bench.database("records/modify"), Self.save.replacing("\"k\"", with: "\"a\""))
            #expect(other.json["records"]?[0]?["serverErrorCode"]?.string == "ACCESS_DENIED")
        }
    }

    @Test("a key whose user is blocked signs nothing until the user is let in again")
    func blockedKeys() async throws {
        try await WebBench.run { bench in
            let signer = try await Signer(bench)
            let user = try await bench.system.identity.user(ofServerKey: signer.id)
            #expect(try await signer.send(bench.database("records/modify"), Self.save).status == 200)
            try await bench.system.identity.setBlocked(true, user)
            expect(try await signer.send(bench.database("records/modify"), Self.save), .accessDenied)
            try await bench.system.identity.setBlocked(false, user)
            #expect(try await signer.send(bench.database("records/modify"), Self.save).status == 200)
        }
    }

    /// Apple's JS signs the query, too; MistKit has nothing where others have the hash of nothing.
    @Test func allFormsOfASignatureAreTaken() async throws {
        try await WebBench.run { bench in
            let signer = try await Signer(bench)
            let path = bench.database("subscriptions/list")
            for signed in [path, path + "?ckjsVersion=2.6.4&x=%20"] {
                for emptyBody in [Signer.EmptyBody.hashed, .empty] {
                    let headers = signer.headers(signed, body: "", emptyBody: emptyBody)
                    #expect(
                        try await bench.raw("GET", path + "?ckjsVersion=2.6.4&x=%20", headers: headers).status == 200)
                }
            }
            let headers = signer.headers(path + "?y=1", body: "")
            expect(try await bench.raw("GET", path + "?x=1", headers: headers), .authenticationFailed)
        }
    }

    @Test func theDateIsAtMostTenMinutesAway() async throws {
        try await WebBench.run { bench in
            let signer = try await Signer(bench)
            let path = bench.database("records/lookup")
            let body = #"{"records": []}"#
            for (minutes, isGood) in [(9, true), (-9, true), (11, false), (-11, false), (60 * 24, false)] {
                let headers = signer.headers(path, body: body, minutesAgo: Int64(minutes))
                let answer = try await bench.raw("POST", path, bytes: Array(body.utf8), headers: headers)
                #expect(answer.status == (isGood ? 200 : 401), "\(minutes)")
                if !isGood { expect(answer, .authenticationFailed) }
            }
        }
    }

    @Test func aSignatureIsOfOneBodyPathKeyAndEnvironment() async throws {
        try await WebBench.run { bench in
            let signer = try await Signer(bench)
            let path = bench.database("records/modify")
            let good = signer.headers(path, body: Self.save)
            #expect(try await bench.raw("POST", path, bytes: Array(Self.save.utf8), headers: good).status == 200)
            // Decision 0010: the same request again is the same request, within the window.
            #expect(try await bench.raw("POST", path, bytes: Array(Self.save.utf8), headers: good).status == 200)
            let changed = Self.save.replacing("\"k\"", with: "\"m\"")
            for (path, body) in [(path, changed), (path, ""), (bench.database("records/lookup"), Self.save)] {
                expect(try await bench.raw("POST", path, bytes: Array(body.utf8), headers: good), .authenticationFailed)
            }
            let other = try await Signer(bench)
            for headers in [
                Signer.headers(other.id, good[1].1, good[2].1), Signer.headers("x", good[1].1, good[2].1),
                Signer.headers(good[0].1, "2026-01-31", good[2].1), Signer.headers(good[0].1, good[1].1, "!"),
                Signer.headers(good[0].1, good[1].1, "AAAA"), Signer.headers("", good[1].1, good[2].1),
                Array(good.prefix(2)), Array(good.suffix(1)),
            ] {
                let answer = try await bench.raw("POST", path, bytes: Array(Self.save.utf8), headers: headers)
                expect(answer, .authenticationFailed)
            }
        }
    }

    @Test(arguments: Endpoint.all)
    func aKeyReachesThePublicDatabaseAlone(endpoint: Endpoint) async throws {
        try await WebBench.run { bench in
            let signer = try await Signer(bench)
            let body = try endpoint.body.map { String(decoding: try $0.serialized(), as: UTF8.self) } ?? ""
            func code(_ path: String) async throws -> String? {
                try await bench.raw(
                    endpoint.method, path, bytes: body.isEmpty ? nil : Array(body.utf8),
                    headers: signer.headers(path, body: body)
                ).code
            }
            let isAboutUsers = endpoint.path.hasPrefix("users/")
            let code1 = try await code(endpoint.address(bench))
            switch endpoint.family {
            case .database where ["users/caller", "users/current"].contains(endpoint.path): #expect(code1 == nil)
            case .database where isAboutUsers: #expect(code1 == "AUTHENTICATION_FAILED")
            // What people share is theirs, though the path says public.
            case .database where ["records/resolve", "records/accept"].contains(endpoint.path):
                #expect(code1 == "ACCESS_DENIED")
            case .database where endpoint.database != "public": #expect(code1 == "ACCESS_DENIED")
            case .database: #expect(code1 == nil)
            default: #expect(code1 == "ACCESS_DENIED")
            }
            guard endpoint.family == .database else { return }
            for database in ["private", "shared"] {
                let code = try await code(bench.database(endpoint.path, database))
                #expect(code == (isAboutUsers ? "BAD_REQUEST" : "ACCESS_DENIED"), "\(database)")
            }
        }
    }
}
