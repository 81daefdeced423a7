import JSON
import Testing

@Suite("5.11 Assets") struct AssetTests {
    /// Uploads bytes for a field; what the field takes.
    private func upload(_ bytes: [UInt8], _ user: Visitor, _ type: String, _ field: String = "file") async throws
        -> JSONValue
    {
        let reply = try await user.post(
            "assets/upload",
            ["tokens": [["recordName": "r", "recordType": .string(type), "fieldName": .string(field)]]])
        let url = try #require(reply.items("tokens").first?["url"]?.string, "\(reply)")
        let answer = try await user.service.send("POST", url, bytes, headers: [("Content-Type", "image/png")])
        return try #require(answer.json["singleFile"], "\(answer)")
    }

    private func save(_ user: Visitor, _ type: String, _ asset: JSONValue, name: String = "r") async throws -> JSONValue
    {
        try await user.modify(
            "forceUpdate",
            [
                "recordName": .string(name), "recordType": .string(type),
                "fields": ["file": ["value": asset, "type": "ASSET"]],
            ])
    }

    @Test("5.11 the bytes that were uploaded are those of downloadURL", arguments: [0, 1, 100_000])
    func transfer(count: Int) async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let asset = try await upload(bytes, user, type)
        #expect(asset["size"]?.integer == Int64(count))
        for member in ["wrappingKey", "fileChecksum", "receipt", "referenceChecksum"] {
            #expect(asset[member]?.string != nil, "\(member)")
        }
        let saved = try await save(user, type, asset)
        #expect(saved.code == nil, "\(saved)")
        let value = try #require(try await user.lookUp("r").first?.field("file"))
        #expect(value["fileChecksum"] == asset["fileChecksum"] && value["size"] == asset["size"])
        #expect(value["receipt"] == nil, "a receipt is for writing")
        let url = try #require(value["downloadURL"]?.string)
        let answer = try await user.service.send("GET", url, nil, headers: [])
        #expect(answer.status == 200 && answer.body == bytes)
    }

    @Test("5.11 an asset that was not uploaded is refused")
    func madeUp() async throws {
        let user = try await ConformanceService.shared().user()
        let item = try await save(
            user, Unique.type(), ["fileChecksum": "AAAA", "size": 4, "receipt": "nonsense", "wrappingKey": "AAAA"])
        #expect(item.code != nil, "\(item)")
    }

    @Test("5.11 assets/rereference lets another record have the asset")
    func rereference() async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        let asset = try await upload(Array("text".utf8), user, type)
        _ = try await save(user, type, asset)
        let reply = try await user.post(
            "assets/rereference",
            ["zoneID": ["zoneName": "_defaultZone"], "assets": [["recordName": "r", "fieldName": "file"]]])
        let again = try #require(reply.items("assets").first, "\(reply)")
        #expect(again["fileChecksum"] == asset["fileChecksum"])
        #expect(try await save(user, type, again, name: "other").code == nil)
    }

    @Test("7 uploads for more than 200 fields are refused")
    func limit() async throws {
        let user = try await ConformanceService.shared().user()
        let token: JSONValue = ["recordType": "T", "fieldName": "f"]
        let reply = try await user.post("assets/upload", ["tokens": .array(Array(repeating: token, count: 201))])
        expect(reply, 413, "QUOTA_EXCEEDED")
    }

    @Test("5.11 an address of another token takes nothing")
    func wrongAddress() async throws {
        let service = try await ConformanceService.shared()
        for direction in ["upload", "download"] {
            let path = "/assets/1/\(service.container)/\(service.environment)/\(direction)/nonsense"
            let body = direction == "upload" ? Array("x".utf8) : nil
            let reply = try await service.send(direction == "upload" ? "POST" : "GET", path, body, headers: [])
            #expect((400..<500).contains(reply.status) && reply.code != nil, "\(reply)")
        }
    }
}
