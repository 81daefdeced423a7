import CloudModel
import Cryptography
import FanfareCloudKit
import Foundation
import HTTPClient
import JSON
import RecordService
import TestSupport
import Testing
import TextForms

/// A server with a server-to-server key gets the notifications of its subscriptions by a webhook of an operator.
@Suite struct ServerWebhookStory {
    /// Requests that a key signs.
    private struct Server {
        let system: StorySystem
        let id: String
        let key: SigningKey

        func send(_ endpoint: String, _ body: JSONValue) async throws -> JSONValue {
            let path = "/database/1/\(system.scope.container)/\(system.scope.environment)/public/\(endpoint)"
            let body = try body.serialized()
            let date = Timestamp.wallClock().iso8601
            let hash = Base64.standard.encode(SHA256.hash(body))
            let signature = key.signature(of: Array("\(date):\(hash):\(path)".utf8))
            let answer = try await system.http.send(
                HTTPClientRequest(
                    "POST", system.url + path,
                    headers: [
                        ("X-Apple-CloudKit-Request-KeyID", id), ("X-Apple-CloudKit-Request-ISO8601Date", date),
                        ("X-Apple-CloudKit-Request-SignatureV1", Base64.standard.encode(signature)),
                    ], body: .bytes(body)))
            let json = try JSONValue(parsing: answer.body)
            #expect(answer.status == 200, "\(endpoint): \(json)")
            return json
        }
    }

    private func run(
        _ system: StorySystem, _ arguments: [String], expects code: Int32 = 0
    ) async throws -> [JSONValue] {
        let all = arguments + ["--data", system.folder.path("data"), "--json"]
        let process = system.command(all, name: "webhooks-\(UInt32.random(in: 0 ... .max))")
        let run = try await process.run()
        #expect(run.code == code, "\(arguments): \(run.output) \(process.complaints)")
        return try run.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
    }

    @Test(
        "an operator has the notifications of a server-to-server key sent to a webhook, lists it and removes it",
        arguments: StorySystem.Kind.available)
    func webhook(_ kind: StorySystem.Kind) async throws {
        let provider = try await StoryProvider.start()
        let system = try await StorySystem.start(kind, with: provider.settings)
        let file = system.folder.path("key.pem")
        let made = try await system.command(
            ["key", "create", "--data", system.folder.path("data"), "--private-key", file], name: "key"
        ).run()
        let id = try #require(made.output.split(separator: " ").first.map(String.init))
        let server = Server(
            system: system, id: id, key: try SigningKey(pem: try String(contentsOfFile: file, encoding: .utf8)))
        let create = ["webhooks", "create", "--server-key", id, "--push-loopback=true", "--webhook-url"]
        let hook = try await run(system, create + ["\(provider.origin)/hook/server"])
        let device = try #require(hook.first?["deviceID"]?.string)
        let secret = try #require(hook.first?["secret"]?.string)
        _ = try await server.send(
            "subscriptions/modify",
            [
                "operations": [
                    [
                        "operationType": "create",
                        "subscription": [
                            "subscriptionID": "all", "subscriptionType": "query", "firesOn": ["create"],
                            "query": ["recordType": "Order"], "notificationInfo": ["alertBody": "An order"],
                        ],
                    ]
                ]
            ])
        let alice = try await system.user("alice")
        try await alice.save([("first", ["n": 1])], type: "Order")
        let push = try await provider.pushes("/hook/server", atLeast: 1)[0]
        #expect(push.json?["data"]?["ck"]?["qry"]?["rid"] == "first")
        let signed = "\(push.headers["webhook-id"] ?? "").\(push.headers["webhook-timestamp"] ?? "")."
        let key = Base64.standard.decode(String(secret.dropFirst("whsec_".count))) ?? []
        let code = HMACSHA256(key: key).code(for: Array(signed.utf8) + push.body)
        #expect(push.headers["webhook-signature"] == "v1,\(Base64.standard.encode(code))")

        let listed = try await run(system, ["webhooks", "list"])
        #expect(listed.map { $0["deviceID"]?.string } == [device] && listed[0]["keyID"]?.string == id)
        #expect(listed[0]["url"]?.string == "\(provider.origin)/hook/server")
        // Addresses that are refused leave no device behind.
        _ = try await run(system, create + ["https://10.0.0.1/"], expects: 1)
        _ = try await run(
            system, ["webhooks", "create", "--server-key", "none", "--webhook-url", "https://localhost"], expects: 1)
        _ = try await run(system, ["webhooks", "remove", "another"], expects: 1)
        #expect(try await run(system, ["webhooks", "list"]).count == 1)
        let removed = try await run(system, ["webhooks", "remove", device])
        #expect(removed.first?["deleted"] == true)
        #expect(try await run(system, ["webhooks", "list"]).isEmpty)
        try await system.stop()
        await provider.stop()
    }
}
