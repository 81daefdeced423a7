import CloudModel
import JSON
import RecordService
import TestSupport
import Testing

/// Answers to saves of records that their callers may write and not read, in JSON.
@Suite struct AnsweredRecordTests {
    private static let type = RecordType(trusted: "T")

    private func modify(
        _ bench: WebBench, _ record: JSONObject, _ user: WebBench.SignedIn, desiredKeys: JSONValue? = nil
    ) async throws -> Answer {
        var record = record
        record["recordName"] = "r"
        record["recordType"] = "T"
        var operation: JSONObject = ["operationType": "forceUpdate", "record": .object(record)]
        if let desiredKeys { operation["desiredKeys"] = desiredKeys }
        return try await bench.send(
            "POST", bench.database("records/modify"), ["operations": [.object(operation)]], user: user)
    }

    private func upload(_ bytes: [UInt8], _ field: String, _ bench: WebBench, _ user: WebBench.SignedIn) async throws
        -> JSONValue
    {
        let asked = try await bench.send(
            "POST", bench.database("assets/upload"),
            ["tokens": [["recordName": "r", "recordType": "T", "fieldName": .string(field)]]], user: user)
        let url = try #require(asked.json["tokens"]?[0]?["url"]?.string, "\(asked.json)")
        return try #require(try await bench.raw("POST", url, bytes: bytes).json["singleFile"])
    }

    @Test("the answer has no field of another user's, and no address of a file")
    func answers() async throws {
        try await WebBench.run { bench in
            let (alice, bob) = (try await bench.signIn("alice"), try await bench.signIn("bob"))
            let file = try await upload([1, 2, 3], "file", bench, alice)
            let first = try await modify(
                bench, ["fields": ["secret": ["value": "alice's"], "file": ["value": file, "type": "ASSETID"]]], alice)
            #expect(first.json["records"]?[0]?["fields"]?["file"]?["value"]?["downloadURL"] != nil, "\(first.json)")
            let records = bench.system.service
            try await records.setRight(.read, of: .world, on: Self.type, to: false)
            try await records.setRight(.read, of: .creator, on: Self.type, to: true)
            try await records.setRight(.write, of: .icloud, on: Self.type, to: true)
            let own = try await upload([4, 5], "other", bench, bob)
            for desiredKeys in [nil, ["secret", "file", "mine", "other"], []] as [JSONValue?] {
                let answer = try await modify(
                    bench,
                    ["fields": ["mine": ["value": "bob's"], "other": ["value": own, "type": "ASSETID"]]], bob,
                    desiredKeys: desiredKeys)
                let record = try #require(answer.json["records"]?[0])
                #expect(record["recordChangeTag"] != nil && record["serverErrorCode"] == nil, "\(answer.json)")
                for word in ["alice's", "downloadURL", "secret", alice.name] {
                    #expect(!answer.text.contains(word), "\(word) \(answer.text)")
                }
                #expect(record["fields"]?["file"] == nil)
                if desiredKeys == nil { #expect(record["fields"]?["mine"]?["value"] == "bob's") }
            }
            // A file of the field that the caller may not read needs a receipt.
            for size in [3, 4] as [JSONValue] {
                let guess: JSONValue = ["fileChecksum": file["fileChecksum"] ?? .null, "size": size]
                let answer = try await modify(
                    bench, ["fields": ["file": ["value": guess, "type": "ASSETID"]]], bob)
                let error = answer.json["records"]?[0]
                #expect(error?["serverErrorCode"] == "BAD_REQUEST", "\(answer.json)")
                #expect(error?["reason"]?.string?.contains("receipt") == true, "\(answer.json)")
            }
        }
    }
}
