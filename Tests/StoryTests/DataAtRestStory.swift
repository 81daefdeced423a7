import CloudModel
import FanfareCloudKit
import Foundation
import HTTPClient
import JSON
import TestSupport
import Testing

/// What SECURITY.md says of data at rest and of logs.
@Suite struct DataAtRestStory {
    @Test(
        "files and folders are their user's alone, and logs have neither tokens nor records nor addresses of pushes",
        arguments: StorySystem.Kind.available)
    func data(_ kind: StorySystem.Kind) async throws {
        let provider = try await StoryProvider.start()
        let system = try await StorySystem.start(kind, with: provider.settings)
        let secretText = "Tulpenfeld-\(UInt32.random(in: 0 ... .max))"
        let alice = try await system.user("alice")
        let phone = try await alice.register("phone")
        let push = String(repeating: "9c", count: 32)
        _ = try await alice.client.device(
            "devices/push",
            ["deviceID": .string(phone), "apns": ["token": .string(push), "environment": "development"]])
        try await alice.subscribe("s", to: "Note", in: .private)
        try await alice.save([(name: "note", fields: ["title": .string(secretText)])], type: "Note", in: .private)
        let page = try await alice.feed(phone, atLeast: 1)
        _ = try await provider.pushes("/3/device/\(push)", atLeast: 1)
        let webToken = try #require(alice.client.webAuthToken)
        let refused = try await refusals(system, alice, page.token, secretText)
        try await file(system, alice, secretText)

        let manager = FileManager.default
        var seen: Set<String> = []
        for folder in ["data", "sender"] where manager.fileExists(atPath: system.folder.path(folder)) {
            let root = system.folder.path(folder)
            let names = try #require(manager.enumerator(atPath: root)).compactMap { $0 as? String }
            for path in [root] + names.map({ "\(root)/\($0)" }) {
                // A file of SQLite's may be gone by now.
                guard let attributes = try? manager.attributesOfItem(atPath: path) else { continue }
                let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
                let mode = attributes[.posixPermissions] as? Int ?? -1
                #expect(mode == (isFolder ? 0o700 : 0o600), "\(path) has \(String(mode, radix: 8))")
                seen.insert(isFolder ? "folder" : path.split(separator: ".").last.map(String.init) ?? "")
            }
        }
        #expect(seen.isSuperset(of: ["folder", "sqlite", "keys"]), "\(seen)")

        try await system.stop()
        await provider.stop()
        for process in system.processes.values {
            // `fanfare dev` prints its API token, and the others print nothing but logs.
            let text = process.complaints + (kind.isEmbedded ? "" : process.output)
            for secret in [webToken, page.token, secretText, push] + refused
                + (kind.isEmbedded ? [] : [system.apiToken])
            {
                #expect(!text.contains(secret.prefix(40)), "a log has '\(secret)'")
            }
            #expect(!text.isEmpty)
        }
    }

    /// Uploads a file and saves it.
    private func file(_ system: StorySystem, _ alice: StoryUser, _ text: String) async throws {
        let answer = try await alice.client.database(
            .private, "assets/upload", ["tokens": [["recordType": "Picture", "fieldName": "image"]]])
        let url = try #require(answer["tokens"]?[0]?["url"]?.string)
        let sent = try await system.http.send(HTTPClientRequest("POST", url, body: .bytes(Array(text.utf8))))
        #expect(sent.status == 200)
    }

    /// Sends what fails, with secrets in it.
    /// - Returns: the secrets.
    private func refusals(
        _ system: StorySystem, _ alice: StoryUser, _ changeToken: String, _ text: String
    ) async throws -> [String] {
        let forged = "0123456789abcdef" + String(changeToken.reversed())
        let scope = "\(system.scope.container)/\(system.scope.environment)"
        for (path, token) in [
            ("database/1/\(scope)/private/records/modify", forged), ("device/1/\(scope)/notifications/changes", forged),
            ("database/1/\(scope)/private/records/query", alice.client.webAuthToken ?? ""),
        ] {
            let query = "ckAPIToken=\(system.apiToken)&ckWebAuthToken=\(token.replacing("+", with: "%2B"))"
            let body = Array(#"{"operations": ["\#(text)""#.utf8)
            let answer = try await system.http.send(
                HTTPClientRequest("POST", "\(system.url)/\(path)?\(query)", body: .bytes(body)))
            #expect(answer.status >= 400)
        }
        return [forged]
    }
}
