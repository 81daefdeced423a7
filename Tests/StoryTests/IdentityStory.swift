import CloudModel
import FanfareCloudKit
import Foundation
import JSON
import TestSupport
import Testing

/// An operator ends what lets people in, while the service runs.
@Suite struct IdentityStory {
    /// Waits until a user's calls are answered, or refused with a code.
    private func eventuallyRefused(_ user: StoryUser, _ what: String) async throws {
        try await eventually(what) {
            do {
                _ = try await user.client.get("database", "public/users/caller")
                return false
            } catch let error as FanfareError {
                return error.code == .authenticationFailed
            }
        }
    }

    private func works(_ user: StoryUser) async throws {
        #expect(try await user.client.get("database", "public/users/caller")["userRecordName"] != nil)
    }

    private func run(_ system: StorySystem, _ arguments: String...) async throws -> JSONValue {
        let (code, output, complaints) = try await system.run(arguments + system.storeFlags + ["--json"])
        #expect(code == 0, "\(arguments) \(complaints)")
        return (try? JSONValue(parsing: Array((output.split(separator: "\n").last ?? "").utf8))) ?? .null
    }

    @Test(
        "users sign-out, block, unblock and delete take hold in the running service",
        arguments: StorySystem.Kind.available)
    func users(_ kind: StorySystem.Kind) async throws {
        let system = try await StorySystem.shared(kind)
        let name = "carol-\(UInt32.random(in: 0 ... .max))"
        let carol = try await system.user(named: name)
        let bystander = try await system.user("bystander")
        _ = try await run(system, "users", "sign-out", name)
        try await eventuallyRefused(carol, "the end of the session")
        let again = try await system.user(named: name)
        try await works(again)
        _ = try await run(system, "users", "block", again.record.rawValue)
        try await eventuallyRefused(again, "the block")
        await #expect(throws: FanfareError.self) { _ = try await system.user(named: name) }
        _ = try await run(system, "users", "unblock", name)
        try await eventually("the end of the block") {
            (try? await system.user(named: name)) != nil
        }
        let last = try await system.user(named: name)
        #expect(last.record == carol.record)
        _ = try await last.register("phone")
        try await last.save([("mine", ["n": 1])], type: "Owned", in: .private)
        let removed = try await run(system, "users", "delete", name)
        #expect(removed["devices"]?.integer == 1 && removed["records"]?.integer == 1, "\(removed)")
        try await eventuallyRefused(last, "the removal")
        // A new user with that name is somebody else.
        #expect(try await system.user(named: name).record != carol.record)
        try await works(bystander)
        let listed = try await system.run(["users", "list", "--json"] + system.storeFlags)
        #expect(!listed.output.contains(carol.record.rawValue) && listed.output.contains(bystander.record.rawValue))
    }

    @Test("API tokens and keys are listed and taken back, and sealing keys rotated and removed, beside the service")
    func credentials() async throws {
        let system = try await StorySystem.start(.embedded)
        let made = try await system.run(["token", "create", "--note", "shortlived"] + system.storeFlags)
        let token = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        @Sendable func client() -> CloudService {
            CloudService(url: system.url, scope: system.scope, apiToken: token, transport: system.transport)
        }
        _ = try await client().signedIn(as: "alice")
        let listed = try await run(system, "token", "list")
        #expect(listed["note"] == "shortlived" && listed["digest"]?.string?.utf8.count == 64, "\(listed)")
        _ = try await run(system, "token", "revoke", token)
        try await eventually("the end of the token") {
            do {
                _ = try await client().signedIn(as: "alice")
                return false
            } catch let error as FanfareError {
                return error.code == .authenticationFailed
            }
        }
        let key = try await run(system, "key", "list")
        let id = try #require(key["keyID"]?.string)
        #expect(try await run(system, "key", "revoke", id)["keyID"]?.string == id)
        #expect(try await system.run(["key", "list"] + system.storeFlags).output.isEmpty)
        #expect(try await system.run(["key", "revoke", id] + system.storeFlags).code == 1)

        let alice = try await system.user("alice")
        let data = ["--data", system.folder.path("data")]
        let before = try await system.run(["secrets", "list"] + data).output
        let old = String(before.prefix { $0 != " " })
        #expect(try await system.run(["secrets", "remove", old] + data).code == 1, "the current one stays")
        #expect(try await system.run(["secrets", "rotate"] + data).code == 0)
        try await works(alice)
        // New tokens are sealed with the new key once the service has seen it; then the old one may go.
        try await eventually("tokens of the new key") {
            let fresh = try await system.user("bob")
            let bytes = Data(base64Encoded: Self.padded(fresh.client.webAuthToken ?? "")) ?? Data()
            return !String(decoding: bytes.prefix(40), as: UTF8.self).contains(old)
        }
        let bob = try await system.user("bob")
        #expect(try await system.run(["secrets", "remove", old] + data).code == 0)
        try await eventuallyRefused(alice, "the end of what the old key sealed")
        try await works(bob)
        try await system.stop()
    }

    private static func padded(_ text: String) -> String {
        let plain = text.replacing("-", with: "+").replacing("_", with: "/")
        return plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
    }

    @Test("nobody signs in to production by name, and an environment that is not served is not there")
    func environments() async throws {
        let system = try await StorySystem.shared(.embedded)
        let made = try await system.run(["token", "create"] + system.storeFlags + ["--environment", "production"])
        let token = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        var scope = system.scope
        scope.environment = .production
        let client = CloudService(url: system.url, scope: scope, apiToken: token, transport: system.transport)
        await #expect {
            try await client.signedIn(as: "alice")
        } throws: {
            ($0 as? FanfareError)?.code == .accessDenied
        }
        let folder = TemporaryFolder()
        for flags in [
            ["--environments", "staging"], ["--environments", "production"], ["--oidc-issuer", "http://example.com"],
        ] {
            let command = FanfareProcess(
                ["dev", "--data", folder.path("data"), "--listen", "127.0.0.1:0", "--internal-listen", "127.0.0.1:0"]
                    + flags,
                folder: folder, name: "refused-\(flags[1].utf8.count)-\(flags[0].utf8.count)")
            #expect(try await within { try await command.run() }.code == 2, "\(flags)")
        }
    }
}
