import Foundation
import JSON
import Testing

/// Forms in which clients of CloudKit Web Services write their requests, beside those that Apple's document has.
@Suite("5.3 Forms of requests that clients write") struct ClientFormTests {
    @Test(
        "5.3 a TIMESTAMP may have a fraction of a millisecond, which is cut off",
        arguments: [1_700_000_000_000.25, 1_700_000_000_000.999, 1_700_000_000_000.0])
    func fractions(time: Double) async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        let typed = try await user.modify(
            "create",
            [
                "recordName": "r", "recordType": .string(type),
                "fields": ["when": ["value": .double(time), "type": "TIMESTAMP"]],
            ])
        #expect(typed.field("when") == 1_700_000_000_000, "\(typed)")
        // Without a type, into a field whose type is known, and in a filter.
        let untyped = try await user.save("s", type, ["when": .double(time)])
        #expect(untyped.field("when") == 1_700_000_000_000, "\(untyped)")
        let found = try await user.post(
            "records/query",
            [
                "query": [
                    "recordType": .string(type),
                    "filterBy": [
                        [
                            "fieldName": "when", "comparator": "EQUALS",
                            "fieldValue": ["value": .double(time), "type": "TIMESTAMP"],
                        ]
                    ],
                ]
            ])
        #expect(found.items("records").count == 2, "\(found)")
    }

    @Test("5.3 a fraction of a TIMESTAMP is cut off before 1970, too", arguments: [(-1.5, -1), (-0.5, 0)])
    func fractionsBefore1970(time: Double, expected: Int64) async throws {
        let user = try await ConformanceService.shared().user()
        let saved = try await user.modify(
            "create",
            [
                "recordName": "r", "recordType": .string(Unique.type()),
                "fields": ["when": ["value": .double(time), "type": "TIMESTAMP"]],
            ])
        #expect(saved.field("when")?.integer == expected, "\(saved)")
    }

    @Test(
        "8.1 an empty list of no type leaves open what a new field's lists are of",
        arguments: [nil, "LIST", "EMPTY_LIST"])
    func emptyLists(name: String?) async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        func save(_ record: String, _ value: JSONValue, _ name: String?) async throws -> JSONValue {
            var field: JSONObject = ["value": value]
            if let name { field["type"] = .string(name) }
            return try await user.modify(
                "forceUpdate",
                ["recordName": .string(record), "recordType": .string(type), "fields": ["n": .object(field)]])
        }
        let empty = try await save("a", [], name)
        #expect(empty.field("n") == [], "\(empty)")
        #expect(try await save("b", [1, 2], nil)["fields"]?["n"] == ["value": [1, 2], "type": "INT64_LIST"])
        #expect(try await save("c", ["x"], nil).code == "BAD_REQUEST", "the first list with elements has fixed it")
        #expect(try await save("a", [], name)["fields"]?["n"] == ["value": [], "type": "INT64_LIST"])
        // As it was answered before.
        #expect(try await save("a", [], "STRING_LIST")["fields"]?["n"] == ["value": [], "type": "INT64_LIST"])
        let found = try await user.post(
            "records/query",
            [
                "query": [
                    "recordType": .string(type),
                    "filterBy": [
                        ["fieldName": "n", "comparator": "LIST_CONTAINS", "fieldValue": ["value": 2]]
                    ],
                ]
            ])
        #expect(found.items("records").map(\.recordName) == ["b"], "\(found)")
        // One with an explicit type fixes it, as any value does.
        let typed = Unique.type()
        let answer = try await user.modify(
            "create",
            [
                "recordName": "t", "recordType": .string(typed),
                "fields": ["n": ["value": [], "type": "STRING_LIST"]],
            ])
        #expect(answer.code == nil, "\(answer)")
        #expect(try await user.save("u", typed, ["n": [1]]).code == "BAD_REQUEST")
    }

    @Test("5.3 an INT64 may be written as a double that is whole")
    func wholeDoubles() async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        let typed = try await user.modify(
            "create",
            ["recordName": "r", "recordType": .string(type), "fields": ["n": ["value": 5.0, "type": "INT64"]]])
        #expect(typed.field("n") == 5 && typed["fields"]?["n"]?["type"] == "INT64", "\(typed)")
        #expect(try await user.save("r", type, ["n": 6.0]).field("n") == 6)
        #expect(try await user.save("r", type, ["n": 6.5]).code == "BAD_REQUEST")
    }

    @Test(
        "5.3 a field without a value is removed, as one that is null",
        arguments: [[:], ["type": "STRING"]] as [JSONValue])
    func emptyFields(field: JSONValue) async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        try await user.save("r", type, ["a": "1", "b": "2"])
        let item = try await user.modify(
            "forceUpdate", ["recordName": "r", "recordType": .string(type), "fields": ["a": field]])
        #expect(item.field("a") == nil && item.field("b") == "2", "\(item)")
    }

    @Test("5.3 a list of any elements may be called LIST", arguments: ["LIST", "UNKNOWN_LIST", "EMPTY_LIST"])
    func lists(name: String) async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        try await user.save("r", type, ["n": [1, 2], "s": ["x"]])
        let item = try await user.modify(
            "forceUpdate",
            [
                "recordName": "r", "recordType": .string(type),
                "fields": ["n": ["value": [], "type": .string(name)], "s": ["value": ["y"], "type": .string(name)]],
            ])
        #expect(item["fields"]?["n"] == ["value": [], "type": "INT64_LIST"], "\(item)")
        #expect(item["fields"]?["s"] == ["value": ["y"], "type": "STRING_LIST"], "\(item)")
        let found = try await user.post(
            "records/query",
            [
                "query": [
                    "recordType": .string(type),
                    "filterBy": [
                        [
                            "fieldName": "s", "comparator": "LIST_CONTAINS_ANY",
                            "fieldValue": ["value": ["y", "z"], "type": .string(name)],
                        ]
                    ],
                ]
            ])
        #expect(found.items("records").map(\.recordName) == ["r"], "\(found)")
    }

    @Test("5.3 a reference without an action is NONE")
    func references() async throws {
        let user = try await ConformanceService.shared().user()
        let item = try await user.modify(
            "create",
            [
                "recordName": "r", "recordType": .string(Unique.type()),
                "fields": ["to": ["value": ["recordName": "s"], "type": "REFERENCE"]],
            ])
        #expect(item.field("to")?["action"] == "NONE", "\(item)")
    }

    @Test("5.3 an asset may be called ASSET or ASSETID, and is answered as ASSETID", arguments: ["ASSET", "ASSETID"])
    func assets(name: String) async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        let asset = try await AssetTests.upload(Array("bytes".utf8), user, type)
        func save(_ record: String, _ field: JSONValue) async throws -> JSONValue {
            try await user.modify(
                "forceUpdate", ["recordName": .string(record), "recordType": .string(type), "fields": ["file": field]])
        }
        let one = try await save("r", ["value": asset, "type": .string(name)])
        #expect(one["fields"]?["file"]?["type"] == "ASSETID", "\(one)")
        let listed = try await user.modify(
            "forceUpdate",
            [
                "recordName": "l", "recordType": .string(Unique.type()),
                "fields": ["files": ["value": [], "type": .string("\(name)_LIST")]],
            ])
        #expect(listed["fields"]?["files"]?["type"] == "ASSETID_LIST", "\(listed)")
    }

    @Test("5.11 of a multipart upload the part is the file", arguments: [0, 5, 300_000])
    func multipart(count: Int) async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        let boundary = "----74DC\(Unique.text())"
        let head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a.png\"\r\n"
        let form = Array("\(head)Content-Type: image/png\r\n\r\n".utf8) + bytes + Array("\r\n--\(boundary)--\r\n".utf8)
        let asset = try await AssetTests.upload(
            form, user, type, contentType: "multipart/form-data; boundary=\(boundary)")
        #expect(asset["size"]?.integer == Int64(count), "\(asset)")
        let saved = try await user.modify(
            "create",
            ["recordName": "r", "recordType": .string(type), "fields": ["file": ["value": asset, "type": "ASSETID"]]])
        let url = try #require(saved.field("file")?["downloadURL"]?.string, "\(saved)")
        #expect(try await user.service.send("GET", url, nil, headers: []).body == bytes)
    }

    @Test("5.11 a form that cannot be read is refused")
    func unreadableForm() async throws {
        let user = try await ConformanceService.shared().user()
        for (form, type) in [
            ("bytes", "multipart/form-data; boundary=b"), ("--b--\r\n", "multipart/form-data; boundary=b"),
            ("--b\r\n\r\nbytes", "multipart/form-data; boundary=b"), ("bytes", "multipart/form-data"),
        ] {
            let url = try await AssetTests.address(user, Unique.type())
            let reply = try await user.service.send("POST", url, Array(form.utf8), headers: [("Content-Type", type)])
            expect(reply, 400, "BAD_REQUEST")
        }
    }

    @Test(
        "5.11 a form that breaks off, or whose boundary is in the file, is refused",
        arguments: [
            "--XX\r\n\r\nDATA\r\n--XX", "--XX\r\n\r\nDATA\r\n--XX-", "--XX\r\n\r\nDATA\r\n--XX\r\n",
            "--XX\r\n\r\nDATA\r\n--XX\r\nA: b\r\n\r\nmore", "--XX\r\n\r\nDA\r\n--XXY?\r\nTA\r\n--XX--\r\n",
        ])
    func brokenForms(form: String) async throws {
        let user = try await ConformanceService.shared().user()
        let url = try await AssetTests.address(user, Unique.type())
        let reply = try await user.service.send(
            "POST", url, Array(form.utf8), headers: [("Content-Type", "multipart/form-data; boundary=XX")])
        expect(reply, 400, "BAD_REQUEST")
    }

    @Test("5.11 no multipart type but form-data is taken", arguments: ["multipart/mixed", "multipart/related"])
    func otherMultiparts(type: String) async throws {
        let user = try await ConformanceService.shared().user()
        let url = try await AssetTests.address(user, Unique.type())
        let reply = try await user.service.send(
            "POST", url, Array("--XX\r\n\r\nDATA\r\n--XX--\r\n".utf8),
            headers: [("Content-Type", "\(type); boundary=XX")])
        expect(reply, 400, "BAD_REQUEST")
    }

    @Test("5.11 of a multipart upload the file is the first part with a filename", arguments: [true, false])
    func fields(isFileFirst: Bool) async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        let field = "--XX\r\nContent-Disposition: form-data; name=\"comment\"\r\n\r\nno; filename=x file\r\n"
        let file =
            "--XX\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\n\r\nDATA of the file\r\n"
        let form = (isFileFirst ? file + field : field + file) + "--XX--\r\n"
        let asset = try await AssetTests.upload(
            Array(form.utf8), user, type, contentType: "multipart/form-data; boundary=XX")
        let saved = try await user.modify(
            "create",
            ["recordName": "r", "recordType": .string(type), "fields": ["file": ["value": asset, "type": "ASSETID"]]])
        let url = try #require(saved.field("file")?["downloadURL"]?.string, "\(saved)")
        #expect(try await user.service.send("GET", url, nil, headers: []).body == Array("DATA of the file".utf8))
    }

    @Test(
        "5.2 lists answer POST as GET",
        arguments: [
            ("zones/list", "private"), ("zones/list", "public"), ("subscriptions/list", "private"),
            ("users/caller", "public"), ("users/current", "public"),
        ])
    func posts(endpoint: String, database: String) async throws {
        let user = try await ConformanceService.shared().user()
        _ = try await user.zone()
        let got = try await user.get(endpoint, in: database)
        let posted = try await user.post(endpoint, in: database, [:])
        #expect(got.status == 200 && posted.json == got.json, "\(got) \(posted)")
    }

    @Test("5.3 tokens are base64 that a client may take apart and put together again")
    func tokens() async throws {
        let user = try await ConformanceService.shared().user()
        let zone = try await user.zone()
        let zones = try await user.get("zones/list").items("zones")
        let text = try #require(zones.last?["syncToken"]?.string, "\(zones)")
        let bytes = try #require(Data(base64Encoded: text))
        #expect(bytes.base64EncodedString() == text)
        // In the alphabet of URLs, as tokens once were given out.
        let url = text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        for token in [text, url] {
            let reply = try await user.post(
                "changes/zone", ["zones": [["zoneID": ["zoneName": .string(zone)], "syncToken": .string(token)]]])
            #expect(reply.items("zones").first?["moreComing"] == false, "\(reply)")
        }
    }

    @Test("5.1 environments may be written large")
    func environments() async throws {
        let service = try await ConformanceService.shared()
        let user = try await service.user()
        let path = service.path("users/caller", in: "public")
            .replacing("/\(service.environment)/", with: "/\(service.environment.uppercased())/")
        let reply = try await service.send("GET", user.target(path), nil, headers: [])
        #expect(reply.json["userRecordName"]?.string == user.recordName, "\(reply)")
    }

    @Test("8.5 custom zones can be shared, and say so; the default zone cannot")
    func eligibility() async throws {
        let user = try await ConformanceService.shared().user()
        _ = try await user.zone()
        for zone in try await user.get("zones/list").items("zones") {
            let isCustom = zone["zoneID"]?["zoneName"] != "_defaultZone"
            for member in ["isEligibleForZoneShare", "isEligibleForHierarchicalShare"] {
                #expect(zone[member] == .bool(isCustom), "\(zone)")
            }
        }
    }

    @Test("5.5 a record that names another zone than its request is refused")
    func otherZone() async throws {
        let user = try await ConformanceService.shared().user()
        let zone = try await user.zone()
        let type = JSONValue.string(Unique.type())
        func record(_ zone: JSONValue) -> JSONValue { ["recordName": "r", "recordType": type, "zoneID": zone] }
        let other = try await user.modify([("create", record(["zoneName": .string(zone)]))])
        expect(other, 400, "BAD_REQUEST")
        expect(
            try await user.post("records/lookup", ["records": [record(["zoneName": .string(zone)])]]), 400,
            "BAD_REQUEST")
        // The same one, also as answers have it, is no contradiction.
        for zoneID in [
            ["zoneName": .string(zone)], ["zoneName": .string(zone), "ownerRecordName": .string(user.recordName)],
            ["zoneName": .string(zone), "ownerRecordName": "_defaultOwner"],
        ] as [JSONValue] {
            let saved = try await user.modify([("forceUpdate", record(zoneID))], zone: zone)
            #expect(saved.items("records").first?.code == nil && saved.status == 200, "\(saved)")
        }
    }

    @Test("5.5 an operation that names another zone than its request is refused")
    func otherZoneOfOperation() async throws {
        let user = try await ConformanceService.shared().user()
        let (zone, type) = (try await user.zone(), JSONValue.string(Unique.type()))
        func operation(_ zone: String) -> JSONValue {
            [
                "operationType": "forceUpdate", "record": ["recordName": "r", "recordType": type],
                "zoneID": ["zoneName": .string(zone)],
            ]
        }
        func modify(_ operation: JSONValue) async throws -> Reply {
            try await user.post(
                "records/modify", ["operations": [operation], "zoneID": ["zoneName": .string(zone)]])
        }
        expect(try await modify(operation("_defaultZone")), 400, "BAD_REQUEST")
        #expect(try await modify(operation(zone)).items("records").first?.recordName == "r")
    }

    @Test(
        "8.4 parent, share and forRecord stay in their record's zone, as references do",
        arguments: ["parent", "share", "forRecord"])
    func otherZoneOfLinks(member: String) async throws {
        let user = try await ConformanceService.shared().user()
        let (zone, other) = (try await user.zone(), try await user.zone())
        let type = Unique.type()
        for zone in [zone, other] { try await user.save("p", type, zone: zone) }
        func save(_ zoneID: JSONValue) async throws -> JSONValue {
            try await user.modify(
                "create",
                .object([
                    "recordName": .string(Unique.text()),
                    "recordType": member == "forRecord" ? "cloudkit.share" : .string(type),
                    member: ["recordName": "p", "zoneID": zoneID],
                ]), zone: zone)
        }
        let refused = try await save(["zoneName": .string(other)])
        #expect(refused.code == "BAD_REQUEST", "\(refused)")
        #expect(refused["reason"]?.string?.contains("another zone") == true, "\(refused)")
        let owned = try await save(
            ["zoneName": .string(zone), "ownerRecordName": .string(user.recordName)])
        #expect(owned.code == nil, "\(owned)")
    }

    @Test("0, 5.3 _defaultOwner and __defaultOwner__ are the caller", arguments: ["_defaultOwner", "__defaultOwner__"])
    func owners(name: String) async throws {
        let user = try await ConformanceService.shared().user()
        let zone = try await user.zone()
        let reply = try await user.post(
            "zones/lookup", ["zones": [["zoneName": .string(zone), "ownerRecordName": .string(name)]]])
        #expect(reply.items("zones").first?["zoneID"]?["ownerRecordName"]?.string == user.recordName, "\(reply)")
    }

    @Test("5.12 tokens/create is found where Apple's document has it, too")
    func tokenPaths() async throws {
        let service = try await ConformanceService.shared()
        let user = try await service.user()
        for path in ["tokens/create", "public/tokens/create"] {
            let reply = try await user.post(
                path: "/database/1/\(service.container)/\(service.environment)/\(path)",
                ["apnsEnvironment": "development", "clientId": "browser"])
            #expect(reply.json["apnsToken"]?.string != nil, "\(reply)")
        }
    }
}
