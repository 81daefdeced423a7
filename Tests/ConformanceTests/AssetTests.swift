import Cryptography
import JSON
import Testing
import TextForms

@Suite("5.11 Assets") struct AssetTests {
    /// Uploads bytes for a field; what the field takes.
    static func upload(
        _ bytes: [UInt8], _ user: Visitor, _ type: String, contentType: String = "image/png"
    ) async throws -> JSONValue {
        let url = try await address(user, type)
        let answer = try await user.service.send("POST", url, bytes, headers: [("Content-Type", contentType)])
        return try #require(answer.json["singleFile"], "\(answer)")
    }

    /// An address that takes a file of a record.
    static func address(_ user: Visitor, _ type: String) async throws -> String {
        let reply = try await user.post(
            "assets/upload", ["tokens": [["recordName": "r", "recordType": .string(type), "fieldName": "file"]]])
        return try #require(reply.items("tokens").first?["url"]?.string, "\(reply)")
    }

    /// Saves a file in a record; the address to download it from.
    private func download(_ bytes: [UInt8], _ user: Visitor) async throws -> String {
        let type = Unique.type()
        let saved = try await save(user, type, try await Self.upload(bytes, user, type))
        return try #require(saved.field("file")?["downloadURL"]?.string, "\(saved)")
    }

    @Test(
        "5.11 a part of a file is read by its range",
        arguments: [
            ("bytes=0-4", 0..<5), ("bytes=95-", 95..<100), ("bytes=-7", 93..<100), ("bytes=50-1000", 50..<100),
            ("bytes=99-99", 99..<100), ("bytes=-1000", 0..<100), ("Bytes=0-3", 0..<4), ("BYTES=0-3", 0..<4),
            ("bytes=0-3,", 0..<4), ("bytes=, 0-3 ,", 0..<4),
        ])
    func ranges(range: String, expected: Range<Int>) async throws {
        let user = try await ConformanceService.shared().user()
        let bytes = (0..<100).map { UInt8($0) }
        let url = try await download(bytes, user)
        let reply = try await user.service.send("GET", url, nil, headers: [("Range", range)])
        #expect(reply.status == 206 && reply.body == Array(bytes[expected]), "\(reply)")
        let header = "bytes \(expected.lowerBound)-\(expected.upperBound - 1)/100"
        #expect(reply.header("Content-Range") == header)
    }

    @Test(
        "5.11 a header that is no single range is ignored",
        arguments: ["bytes=0-1,5-6", "lines=1-2", "bytes=5-2", "bytes=x-"])
    func noRanges(range: String) async throws {
        let user = try await ConformanceService.shared().user()
        let url = try await download([1, 2, 3], user)
        let reply = try await user.service.send("GET", url, nil, headers: [("Range", range)])
        #expect(reply.status == 200 && reply.body == [1, 2, 3], "\(reply)")
    }

    @Test("5.11 a range that the file does not have is 416", arguments: ["bytes=3-", "bytes=-0", "bytes=10-20"])
    func beyond(range: String) async throws {
        let user = try await ConformanceService.shared().user()
        let url = try await download([1, 2, 3], user)
        let reply = try await user.service.send("GET", url, nil, headers: [("Range", range)])
        expect(reply, 416, "BAD_REQUEST")
        #expect(reply.header("Content-Range") == "bytes */3")
    }

    @Test("5.11 a file is known by its ETag: it is not sent again, and a range is of it or the file is whole")
    func conditions() async throws {
        let user = try await ConformanceService.shared().user()
        let url = try await download([1, 2, 3], user)
        let tag = try #require(try await user.service.send("GET", url, nil, headers: []).header("ETag"))
        for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
            let reply = try await user.service.send("GET", url, nil, headers: [("If-None-Match", known)])
            #expect(reply.status == 304 && reply.body == [] && reply.header("ETag") == tag, "\(known): \(reply)")
        }
        let other = try await user.service.send("GET", url, nil, headers: [("If-None-Match", "\"other\"")])
        #expect(other.status == 200)
        for (condition, status) in [(tag, 206), ("\"other\"", 200), ("W/\(tag)", 200)] {
            let reply = try await user.service.send(
                "GET", url, nil, headers: [("Range", "bytes=1-"), ("If-Range", condition)])
            #expect(reply.status == status, "\(condition): \(reply)")
        }
    }

    @Test("5.11 a file that is not the one that If-Match names is 412")
    func preconditions() async throws {
        let user = try await ConformanceService.shared().user()
        let url = try await download([1, 2, 3], user)
        let tag = try #require(try await user.service.send("GET", url, nil, headers: []).header("ETag"))
        for (condition, status) in [
            (tag, 200), ("*", 200), ("\"other\", \(tag)", 200), ("\"other\"", 412), ("W/\(tag)", 412),
        ] {
            let reply = try await user.service.send("GET", url, nil, headers: [("If-Match", condition)])
            #expect(reply.status == status, "\(condition): \(reply)")
        }
        let both = try await user.service.send(
            "GET", url, nil, headers: [("If-Match", "\"other\""), ("If-None-Match", tag)])
        expect(both, 412, "BAD_REQUEST")
    }

    @Test("5.11 304 has the length of the file, as 200 has, and no bytes")
    func unchangedLength() async throws {
        let user = try await ConformanceService.shared().user()
        let url = try await download([1, 2, 3], user)
        for method in ["GET", "HEAD"] {
            let reply = try await user.service.send(method, url, nil, headers: [("If-None-Match", "*")])
            #expect(reply.status == 304 && reply.body == [], "\(reply)")
            #expect(reply.header("Content-Length") == "3", "\(reply)")
            // The connection goes on behind it.
            #expect(try await user.service.send("GET", url, nil, headers: []).body == [1, 2, 3])
        }
    }

    @Test("5.2 where GET is answered, HEAD is, and Allow says so")
    func allowedMethods() async throws {
        let user = try await ConformanceService.shared().user()
        let url = try await download([1, 2, 3], user)
        let reply = try await user.service.send("DELETE", url, nil, headers: [])
        #expect(reply.status == 405 && reply.header("Allow") == "GET, HEAD", "\(reply)")
        #expect(try await user.service.send("HEAD", url, nil, headers: []).status == 200)
        let lists = try await user.service.send(
            "DELETE", user.target(user.service.path("zones/list", in: "private")), nil, headers: [])
        #expect(lists.header("Allow") == "GET, HEAD, POST", "\(lists)")
    }

    @Test("5.11 assets/upload for a zone that there is not is ZONE_NOT_FOUND, as assets/rereference")
    func unknownZone() async throws {
        let user = try await ConformanceService.shared().user()
        let zone = try await user.zone()
        func ask(_ zone: String) async throws -> Reply {
            try await user.post(
                "assets/upload",
                ["tokens": [["recordType": "T", "fieldName": "f"]], "zoneID": ["zoneName": .string(zone)]])
        }
        expect(try await ask("nowhere"), 404, "ZONE_NOT_FOUND")
        for zone in [zone, "_defaultZone"] { #expect(try await ask(zone).items("tokens").count == 1) }
    }

    @Test("5.11 a browser gets the name to save a file under")
    func fileNames() async throws {
        let user = try await ConformanceService.shared().user()
        let url = try await download([1, 2, 3], user)
        let reply = try await user.service.send("GET", url + "?filename=M%C3%BCll%22%0d%0a.png", nil, headers: [])
        #expect(
            reply.header("Content-Disposition")
                == "attachment; filename=\"M_ll___.png\"; filename*=UTF-8''M%C3%BCll%22%0D%0A.png")
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

    @Test("5.11 the bytes that were uploaded are those of downloadURL", arguments: [0, 1, 300_000, 5_000_000])
    func transfer(count: Int) async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        let asset = try await Self.upload(bytes, user, type)
        #expect(asset["size"]?.integer == Int64(count))
        #expect(asset["fileChecksum"]?.string == Base64.standard.encode(SHA256.hash(bytes)))
        for member in ["wrappingKey", "receipt", "referenceChecksum"] {
            #expect(asset[member]?.string?.isEmpty == false, "\(member)")
        }
        let saved = try await save(user, type, asset)
        #expect(saved.code == nil, "\(saved)")
        #expect(["ASSETID", "ASSET"].contains(saved["fields"]?["file"]?["type"]?.string), "\(saved)")
        let value = try #require(try await user.lookUp("r").first?.field("file"))
        #expect(value["fileChecksum"] == asset["fileChecksum"] && value["size"] == asset["size"])
        #expect(value["receipt"] == nil, "a receipt is for writing")
        let url = try #require(value["downloadURL"]?.string)
        let answer = try await user.service.send("GET", url, nil, headers: [])
        #expect(answer.status == 200 && answer.body == bytes)
        #expect(answer.header("Content-Type") == "application/octet-stream")
        #expect(answer.header("Content-Length") == "\(count)")
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
        let asset = try await Self.upload(Array("text".utf8), user, type)
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
