import CloudModel
import FanfareCloudKit
import Foundation
import HTTPClient
import JSON
import Operations
import TestSupport
import Testing

/// An operator looks at what users have, while the service runs.
@Suite struct UsageStory {
    /// What `fanfare users usage` says of a user.
    private func usage(_ system: StorySystem, _ user: String, _ flags: String...) async throws -> JSONValue {
        let (code, output, complaints) = try await system.run(
            ["users", "usage", "--user", user, "--json"] + system.storeFlags + flags)
        try #require(code == 0, "\(complaints)")
        return try JSONValue(parsing: Array(output.utf8))
    }

    private func upload(_ bytes: [UInt8], _ user: StoryUser, _ system: StorySystem) async throws -> JSONValue {
        let made = try await user.client.database(
            .private, "assets/upload", ["tokens": [["recordType": "Picture", "fieldName": "image"]]])
        let url = try #require(made["tokens"]?[0]?["url"]?.string)
        let answer = try await system.http.send(HTTPClientRequest("POST", url, body: .bytes(bytes)))
        return try #require(try JSONValue(parsing: answer.body)["singleFile"])
    }

    private func modify(_ operations: JSONValue..., zone: String, _ user: StoryUser) async throws {
        let answer = try await user.client.database(
            .private, "records/modify",
            ["zoneID": ["zoneName": .string(zone)], "operations": .array(operations)])
        #expect(answer["records"]?.array?.allSatisfy { $0["recordChangeTag"] != nil } == true, "\(answer)")
    }

    @Test("users usage counts records, files, shares and devices beside the service, and names unknown users")
    func usage() async throws {
        let system = try await StorySystem.shared(.embedded)
        let name = "measured-\(UInt32.random(in: 0 ... .max))"
        let user = try await system.user(named: name)
        _ = try await user.register("phone-\(name)")
        try await user.subscribe("all", to: "Errand")
        try await user.save((0..<3).map { ("\(name)-\($0)", ["n": 1]) }, type: "Errand")
        _ = try await user.client.database(
            .private, "zones/modify",
            ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": "album"]]]]])
        let file = try await upload([UInt8](repeating: 7, count: 100_000), user, system)
        let picture: JSONValue = [
            "operationType": "create",
            "record": ["recordName": "p", "recordType": "Picture", "fields": ["image": ["value": file]]],
        ]
        let share: JSONValue = [
            "operationType": "create",
            "record": ["recordName": "s", "recordType": "cloudkit.share", "forRecord": ["recordName": "p"]],
        ]
        try await modify(picture, zone: "album", user)
        try await modify(share, zone: "album", user)

        let found = try await usage(system, name)
        #expect(found["userRecordName"]?.string == user.record.rawValue)
        func used(_ line: String) -> Int64? { found["usage"]?[line]?["used"]?.integer }
        // The user's own record is one of the public ones.
        let expected: [String: Int64] = [
            "publicRecords": 4, "privateRecords": 2, "assetBytes": 100_000, "uploadBytes": 100_000, "shares": 1,
            "zones": 1, "devices": 1, "subscriptions.public": 1, "webCouriers": 0,
        ]
        for (line, count) in expected { #expect(used(line) == count, "\(line): \(found)") }
        #expect((used("privateBytes") ?? 0) > 100 && (used("publicBytes") ?? 0) > 100)
        #expect(found["usage"]?["shares"]?["quota"] == .integer(Int64(Limits.sharesPerUserMax)))

        // The settings of the service are those of the command, too; 0 is no bound.
        let other = try await usage(
            system, user.record.rawValue, "--quota-public-records", "7", "--quota-asset-mebibytes", "1",
            "--quota-shares", "0", "--subscriptions-max", "5")
        #expect(other["usage"]?["publicRecords"]?["quota"] == 7)
        #expect(other["usage"]?["assetBytes"]?["quota"] == 1_048_576)
        #expect(other["usage"]?["shares"]?["quota"] == .null)
        #expect(other["usage"]?["subscriptions.public"]?["quota"] == 5)

        let all = try await system.run(["users", "usage"] + system.storeFlags)
        #expect(all.code == 0 && all.output.contains("\(user.record)\n  privateRecords: 2 of 1000000"), "\(all)")
        for nobody in ["nobody-\(name)", "_nobody"] {
            let refused = try await system.run(["users", "usage", "--user", nobody] + system.storeFlags)
            #expect(refused.code == 1 && refused.output.isEmpty)
            #expect(refused.complaints.contains("there is no user '\(nobody)'"), "\(refused)")
        }
        let folder = try await system.run(["users", "usage", "--data", system.folder.path("elsewhere")])
        #expect(folder.code != 0 && !folder.complaints.isEmpty)
    }

    @Test("a quota that a setting gives is refused by name")
    func quota() async throws {
        let folder = TemporaryFolder()
        let command = FanfareProcess(
            [
                "dev", "--data", folder.path("data"), "--listen", "127.0.0.1:0", "--internal-listen", "127.0.0.1:0",
                "--quota-private-records", "2",
            ], folder: folder, name: "dev")
        try command.start()
        let file = folder.path("data/dev.json")
        try await eventually("fanfare dev") { FileManager.default.fileExists(atPath: file) }
        let json = try JSONValue(parsing: Array(Data(contentsOf: URL(fileURLWithPath: file))))
        let scope = ContainerEnvironment(
            container: ContainerIdentifier(trusted: json["container"]!.string!), environment: .development)
        let (client, _) = try await CloudService(
            url: json["url"]!.string!, scope: scope, apiToken: json["apiToken"]!.string!,
            transport: HTTPClientTransport()
        ).signedIn(as: "alice")
        let operations = ["a", "b", "c"].map { name -> JSONValue in
            ["operationType": "create", "record": ["recordName": .string(name), "recordType": "Errand"]]
        }
        let answer = try await client.database(.private, "records/modify", ["operations": .array(operations)])
        #expect(answer["records"]?[1]?["recordChangeTag"] != nil)
        #expect(answer["records"]?[2]?["serverErrorCode"] == "QUOTA_EXCEEDED", "\(answer)")
        #expect(answer["records"]?[2]?["reason"]?.string?.contains("records in the private database is 2") == true)
        #expect(await command.terminate() == 0)
    }
}
