import CloudMessages
import CloudModel
import HTTPClient
import Identity
import JSON
import TestSupport
import Testing
import WebAPI

@testable import Console

/// The rules of every answer, and what the pages begin with.
@Suite struct ConsolePolicyTests {
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types live"

    @Test("every answer below /console/ has the policy, errors too, and no other answer has it")
    func policy() async throws {
        try await ConsoleBench.run { bench in
            let build = bench.console.build
            let requests = [
                ("GET", "/console"), ("GET", "/console/"), ("GET", "/console/start.json"), ("POST", "/console/"),
                ("GET", "/console/\(build)/console.css"), ("GET", "/console/\(build)/none.js"),
                ("GET", "/console/a/b/c/d/e"), ("DELETE", "/console/start.json"), ("HEAD", "/console/"),
                ("OPTIONS", "/console/"),
            ]
            for (method, path) in requests {
                let answer = try await bench.send(method, path)
                #expect(answer.headers["Content-Security-Policy"] == Self.policy, "\(method) \(path)")
                #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
                #expect(answer.headers["Referrer-Policy"] == "no-referrer")
                #expect(answer.headers["Cross-Origin-Opener-Policy"] == "same-origin")
                #expect(answer.headers["Cross-Origin-Resource-Policy"] == "same-origin")
                #expect(answer.headers["Permissions-Policy"]?.contains("camera=()") == true)
                #expect(answer.headers["Access-Control-Allow-Origin"] == nil)
            }
            let other = try await bench.send("GET", "/openapi.yaml")
            #expect(other.headers["Content-Security-Policy"] == nil)
        }
    }

    @Test("the start names each container with the console's API token, once the service has begun")
    func start() async throws {
        try await ConsoleBench.run { bench in
            let early = try await bench.send("GET", "/console/start.json")
            #expect(early.code == "TRY_AGAIN_LATER")
            bench.start.show([ConsoleStart.Container(bench.system.identity, apiToken: bench.apiToken)])
            let answer = try await bench.send("GET", "/console/start.json")
            #expect(answer.headers["Cache-Control"] == "no-store")
            let scope = bench.system.layout.scope
            let routes = OperatorMount.endpoints.map { JSONValue.string($0.name) }
            let expected: JSONValue = [
                "build": .string(bench.console.build), "readOnly": false,
                "operators": ["signIn": false, "routes": .array(routes)],
                "containers": [
                    [
                        "container": .string(scope.container.rawValue), "environment": "development",
                        "apiToken": .string(bench.apiToken), "signInByName": true, "signInPage": false,
                    ]
                ],
            ]
            #expect(answer.json == expected)
            for site in ["cross-site", "same-site"] {
                let foreign = try await bench.send(
                    "GET", "/console/start.json", headers: [("Sec-Fetch-Site", site)])
                #expect(foreign.code == "ACCESS_DENIED" && foreign.status == 403)
            }
        }
    }

    @Test("the console's tokens are made once for its origins, and others when the origins change")
    func tokens() async throws {
        try await ConsoleBench.run { bench in
            let file = Box()
            let keeping = KeptFile(load: { file.bytes }, save: { file.bytes = $0 })
            let identity = bench.system.identity
            func token(_ origins: [String]) async throws -> String {
                try #require(try await ConsoleTokens(keeping).tokens([identity], origins: origins)[identity.scope])
            }
            let first = try await token(["http://127.0.0.1:1"])
            #expect(try await token(["http://127.0.0.1:1"]) == first)
            let known = try #require(try await identity.apiToken(first))
            #expect(known.allows("http://127.0.0.1:1") && !known.allows("https://elsewhere.example"))
            let second = try await token(["http://127.0.0.1:2"])
            #expect(second != first)
            #expect(try await identity.apiToken(first) == nil)
            #expect(try await identity.apiToken(second) != nil)
            _ = try await identity.revokeAPIToken(second)
            #expect(try await token(["http://127.0.0.1:2"]) == second)
            #expect(try await identity.apiToken(second) != nil, "made again where it was missing")
        }
    }

    @Test("a read-only listener refuses what changes something, and answers what reads")
    func readOnly() async throws {
        try await ConsoleBench.run(isReadOnly: true) { bench in
            let (scope, token) = (bench.scopePath, "ckAPIToken=\(bench.apiToken)")
            let signIn = try await bench.send("POST", "/auth/1/\(scope)/signin?\(token)", ["user": "alice"])
            #expect(signIn.status == 200)
            let session = try #require(signIn.json["ckWebAuthToken"]?.string)
            let headers = [("Authorization", "Bearer \(session)")]
            let query = try await bench.send(
                "POST", "/database/1/\(scope)/public/records/query?\(token)", ["query": ["recordType": "T"]],
                headers: headers)
            #expect(query.code != "ACCESS_DENIED")
            let zones = try await bench.send(
                "POST", "/database/1/\(scope)/private/zones/list?\(token)", headers: headers)
            #expect(zones.status == 200)
            for path in [
                "/database/1/\(scope)/public/records/modify", "/database/1/\(scope)/private/zones/modify",
                "/database/1/\(scope)/public/subscriptions/modify", "/database/1/\(scope)/public/assets/upload",
                "/database/1/\(scope)/public/users/discoverable", "/device/1/\(scope)/devices/register",
                "/device/1/\(scope)/notifications/markRead", "/device/1/\(scope)/badge/modify",
                "/database/1/\(scope)/public/records/accept", "/device/1/\(scope)/tokens/create",
            ] {
                let answer = try await bench.send("POST", "\(path)?\(token)", ["operations": []], headers: headers)
                #expect(answer.status == 403 && answer.code == "ACCESS_DENIED", "\(path)")
            }
        }
    }
}

// Unchecked: one test writes it, and reads it after the answer.
private final class Box: @unchecked Sendable {
    var bytes: [UInt8]?
}
