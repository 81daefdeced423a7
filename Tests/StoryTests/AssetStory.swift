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

/// Files and keys outlive a process that dies.
@Suite struct AssetStory {
    @Test("kill -9 after an upload was answered: its receipt saves, and the bytes are there")
    func anUploadThatWasAnsweredIsKept() async throws {
        let system = try await StorySystem.start(.embedded)
        let user = try await system.user("alice")
        let process = try #require(system.processes["dev"])
        var files: [(bytes: [UInt8], asset: JSONValue)] = []
        for index in 0..<5 {
            let bytes = [UInt8](repeating: UInt8(index), count: index * 700_000)
            let made = try await user.client.database(
                .private, "assets/upload", ["tokens": [["recordType": "Picture", "fieldName": "image"]]])
            let url = try #require(made["tokens"]?[0]?["url"]?.string)
            let answer = try await system.http.send(HTTPClientRequest("POST", url, body: .bytes(bytes)))
            // The last answer is followed by the end at once.
            if index == 4 { await process.kill() }
            files.append((bytes, try #require(try JSONValue(parsing: answer.body)["singleFile"])))
        }
        try process.start()
        try await eventually("the service") { (try? await user.client.get("device", "devices/list")) != nil }
        for (index, file) in files.enumerated() {
            let saved = try await user.client.database(
                .private, "records/modify",
                [
                    "operations": [
                        [
                            "operationType": "create",
                            "record": [
                                "recordName": .string("p\(index)"), "recordType": "Picture",
                                "fields": ["image": ["value": file.asset]],
                            ],
                        ]
                    ]
                ])
            let value = try #require(saved["records"]?[0]?["fields"]?["image"]?["value"], "\(saved)")
            let url = try #require(value["downloadURL"]?.string)
            let downloaded = try await system.http.send(HTTPClientRequest("GET", url)).body
            #expect(downloaded == file.bytes)
        }
        try await system.stop()
    }

    @Test("the key in dev.json and one made beside the running service sign requests, in their environment only")
    func keysAreMadeByTheProgram() async throws {
        let system = try await StorySystem.start(.embedded)
        let data = system.folder.path("data")
        let dev = try JSONValue(parsing: Array(Data(contentsOf: URL(fileURLWithPath: "\(data)/dev.json"))))
        var keys = [(try #require(dev["keyID"]?.string), try #require(dev["privateKeyPath"]?.string))]
        let made = try await system.command(
            ["key", "create", "--data", data, "--private-key", system.folder.path("key.pem")], name: "key"
        ).run()
        #expect(made.code == 0)
        let words = made.output.split(whereSeparator: \.isWhitespace).map(String.init)
        keys.append((try #require(words.first), try #require(words.last)))
        for (id, file) in keys {
            let key = try SigningKey(pem: try String(contentsOfFile: file, encoding: .utf8))
            for environment in ["development", "production"] {
                let path = "/database/1/\(system.scope.container)/\(environment)/public/records/lookup"
                let body = Array(#"{"records": []}"#.utf8)
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
                #expect(answer.status == (environment == "development" ? 200 : 401), "\(environment)")
            }
        }
        // A token of development is none of production.
        let path =
            "/database/1/\(system.scope.container)/production/public/records/lookup?ckAPIToken=\(system.apiToken)"
        let answer = try await system.http.send(
            HTTPClientRequest("POST", system.url + path, body: .bytes(Array(#"{"records": []}"#.utf8))))
        #expect(answer.status == 401)
        try await system.stop()
    }
}
