import CloudModel
import Cryptography
import FanfareCloudKit
import Foundation
import HTTPClient
import JSON
import S3Assets
import TestSupport
import Testing
import TextForms

/// A service with its files in a bucket.
@Suite(.hangGuard) struct BucketStory {
    private let folder = TemporaryFolder()
    private let bytes = (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    private func credentials(secret: String = S3Twin.key.secretKey) throws -> String {
        let path = folder.path("credentials-\(UInt32.random(in: 0 ... .max))")
        let text = "[default]\naws_access_key_id = \(S3Twin.key.accessKey)\naws_secret_access_key = \(secret)\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func address(_ user: StoryUser) async throws -> String {
        let made = try await user.client.database(
            .private, "assets/upload", ["tokens": [["recordType": "Picture", "fieldName": "image"]]])
        return try #require(made["tokens"]?[0]?["url"]?.string)
    }

    /// Saves a record, perhaps with a file; the address of the file's bytes.
    private func save(_ name: String, _ file: JSONValue?, _ user: StoryUser) async throws -> String? {
        let saved = try await user.client.database(
            .private, "records/modify",
            [
                "operations": [
                    [
                        "operationType": "forceUpdate",
                        "record": [
                            "recordName": .string(name), "recordType": "Picture",
                            "fields": .object(file.map { ["image": ["value": $0]] } ?? [:]),
                        ],
                    ]
                ]
            ])
        #expect(saved["records"]?[0]?["recordName"]?.string == name, "\(saved)")
        return saved["records"]?[0]?["fields"]?["image"]?["value"]?["downloadURL"]?.string
    }

    @Test("files are saved and read through a bucket, which may be away; and copied to a folder")
    func files() async throws {
        let twin = try await S3Twin.start()
        let system = try await StorySystem.start(.embedded, with: twin.settings(credentials: credentials()))
        let user = try await system.user("alice")
        func send(_ method: String, _ url: String, _ headers: [(String, String)] = []) async throws
            -> HTTPClientResponse
        {
            try await system.http.send(
                HTTPClientRequest(method, url, headers: headers, body: method == "POST" ? .bytes(bytes) : .empty))
        }
        let uploaded = try await send("POST", address(user))
        let file = try #require(try JSONValue(parsing: uploaded.body)["singleFile"])
        let url = try #require(try await save("p", file, user))
        let name = "\(system.scope)/\(Hexadecimal.encode(SHA256.hash(bytes)).prefix(2))"
        #expect(twin.names.count == 1 && twin.names[0].hasPrefix("tests/\(name)/"))
        #expect(try await send("GET", url).body == bytes)
        let part = try await send("GET", url, [("Range", "bytes=700000-1200000")])
        #expect(part.status == 206 && part.body == Array(bytes[700_000...1_200_000]))

        await twin.stop()
        let refused = try await send("GET", url)
        #expect(refused.status == 503)
        #expect(try JSONValue(parsing: refused.body)["serverErrorCode"] == "TRY_AGAIN_LATER")
        let place = try await address(user)
        #expect(try await send("POST", place).status == 503)
        #expect(try await save("q", nil, user) == nil, "records go on")
        try await twin.restart()
        #expect(try await send("POST", place).status == 200, "the same address is good again")
        #expect(try await send("GET", url).body == bytes)

        let settings = twin.settings(credentials: try credentials()).filter { $0.key != "FANFARE_ASSETS" }
        func copy() async throws -> (code: Int32, output: String) {
            try await within("assets copy") {
                try await FanfareProcess(
                    [
                        "assets", "copy", "--data", system.folder.path("data"), "--from",
                        "s3://\(S3Twin.bucket)/tests", "--to", system.folder.path("copied"),
                    ], environment: settings, folder: system.folder, name: "copy-\(UInt32.random(in: 0 ... .max))"
                ).run()
            }
        }
        let copied = try await copy()
        #expect(copied.code == 0 && copied.output.contains("1 copied with 1500000 bytes"), "\(copied.output)")
        #expect(try await copy().output.contains("0 copied with 0 bytes, 1 were there"))
        twin.forget(twin.names[0])
        try FileManager.default.removeItem(atPath: system.folder.path("copied"))
        #expect(try await copy().code == 3)
        try await system.stop()
        await twin.stop()
    }

    @Test("a start with a wrong key is refused with the reason, and one beside a store that is away warns")
    func starts() async throws {
        let twin = try await S3Twin.start()
        let settings = twin.settings(credentials: try credentials(secret: "wrong/secret"))
        func dev(_ settings: [String: String], _ name: String) -> FanfareProcess {
            FanfareProcess(
                [
                    "dev", "--data", folder.path(name), "--listen", "127.0.0.1:0", "--internal-listen", "127.0.0.1:0",
                    "--environments", "development",
                ], environment: settings, folder: folder, name: name)
        }
        let wrong = dev(settings, "wrong")
        let refused = try await within("the refusal") { try await wrong.run() }
        #expect(refused.code == 1)
        #expect(wrong.complaints.contains("SignatureDoesNotMatch"), "\(wrong.complaints)")
        #expect(!wrong.complaints.contains("wrong/secret"))
        let good = twin.settings(credentials: try credentials())
        await twin.stop()
        let away = dev(good, "away")
        try away.start()
        try await eventually("the start") {
            guard away.isRunning else { throw StorySystem.Failed(away.complaints) }
            return FileManager.default.fileExists(atPath: folder.path("away/dev.json"))
        }
        #expect(away.complaints.contains("assets.unreachable"), "\(away.complaints)")
        #expect(await away.terminate() == 0)
    }
}
