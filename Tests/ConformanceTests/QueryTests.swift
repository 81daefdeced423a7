import JSON
import Testing

@Suite("5.4, 6 Queries") struct QueryTests {
    /// A user with records `r0`… of a type of their own.
    private func records(_ fields: [JSONObject], zone: String? = nil) async throws -> (user: Visitor, type: String) {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        for (index, fields) in fields.enumerated() {
            let item = try await user.save("r\(index)", type, fields, zone: zone)
            try #require(item.code == nil, "\(item)")
        }
        return (user, type)
    }

    private func names(_ user: Visitor, _ query: JSONObject, _ type: String, _ more: JSONObject = [:]) async throws
        -> [String]
    {
        var (query, body) = (query, more)
        query["recordType"] = .string(type)
        body["query"] = .object(query)
        let reply = try await user.post("records/query", .object(body))
        try #require(reply.status == 200, "\(reply)")
        return reply.items("records").compactMap(\.recordName)
    }

    private func filter(_ comparator: String, _ value: JSONValue, type: String? = nil, field: String = "f") -> JSONValue
    {
        var operand: JSONObject = ["value": value]
        if let type { operand["type"] = .string(type) }
        return ["comparator": .string(comparator), "fieldName": .string(field), "fieldValue": .object(operand)]
    }

    @Test("5.4 a query without filters finds all records of the type")
    func all() async throws {
        let (user, type) = try await records([[:], [:], [:]])
        try await user.save("other", Unique.type())
        #expect(Set(try await names(user, [:], type)) == ["r0", "r1", "r2"])
    }

    @Test(
        "5.3 comparators of numbers",
        arguments: [
            ("EQUALS", 2, ["r1"]), ("NOT_EQUALS", 2, ["r0", "r2"]), ("LESS_THAN", 2, ["r0"]),
            ("LESS_THAN_OR_EQUALS", 2, ["r0", "r1"]), ("GREATER_THAN", 2, ["r2"]),
            ("GREATER_THAN_OR_EQUALS", 2, ["r1", "r2"]), ("IN", [1, 3], ["r0", "r2"]), ("NOT_IN", [1, 3], ["r1"]),
        ] as [(String, JSONValue, Set<String>)])
    func numbers(comparator: String, value: JSONValue, expected: Set<String>) async throws {
        let (user, type) = try await records([["f": 1], ["f": 2], ["f": 3]])
        let listType = value.array == nil ? nil : "INT64_LIST"
        let found = try await names(user, ["filterBy": [filter(comparator, value, type: listType)]], type)
        #expect(Set(found) == expected)
    }

    @Test(
        "5.3, 6.2 comparators of strings: equality knows no case, prefixes do",
        arguments: [
            ("EQUALS", "ÄPFEL", ["r0"]), ("BEGINS_WITH", "Äp", ["r0"]), ("BEGINS_WITH", "äp", []),
            ("NOT_BEGINS_WITH", "Äp", ["r1"]), ("IN", ["äpfel", "x"], ["r0"]),
        ] as [(String, JSONValue, Set<String>)])
    func strings(comparator: String, value: JSONValue, expected: Set<String>) async throws {
        let (user, type) = try await records([["f": "Äpfel"], ["f": "Birnen"]])
        let listType = value.array == nil ? nil : "STRING_LIST"
        let found = try await names(user, ["filterBy": [filter(comparator, value, type: listType)]], type)
        #expect(Set(found) == expected)
    }

    @Test(
        "5.3 comparators of lists",
        arguments: [
            ("LIST_CONTAINS", "a", nil, ["r0"]), ("NOT_LIST_CONTAINS", "a", nil, ["r1"]),
            ("LIST_CONTAINS_ANY", ["a", "z"], "STRING_LIST", ["r0"]),
            ("NOT_LIST_CONTAINS_ANY", ["a", "z"], "STRING_LIST", ["r1"]),
            ("LIST_CONTAINS_ALL", ["b", "c"], "STRING_LIST", ["r1"]),
            ("NOT_LIST_CONTAINS_ALL", ["b", "c"], "STRING_LIST", ["r0"]),
            ("LIST_MEMBER_BEGINS_WITH", "c", nil, ["r1"]), ("NOT_LIST_MEMBER_BEGINS_WITH", "c", nil, ["r0"]),
        ] as [(String, JSONValue, String?, Set<String>)])
    func lists(comparator: String, value: JSONValue, listType: String?, expected: Set<String>) async throws {
        let (user, type) = try await records([["f": ["a", "b"]], ["f": ["b", "c"]]])
        let found = try await names(user, ["filterBy": [filter(comparator, value, type: listType)]], type)
        #expect(Set(found) == expected)
    }

    @Test("5.3 NEAR finds what lies within metres")
    func near() async throws {
        let (user, type) = try await records([
            ["f": ["latitude": 52.52, "longitude": 13.405]], ["f": ["latitude": 48.137, "longitude": 11.575]],
        ])
        let near: JSONValue = [
            "comparator": "NEAR", "fieldName": "f", "distance": 50_000,
            "fieldValue": ["value": ["latitude": 52.4, "longitude": 13.06], "type": "LOCATION"],
        ]
        #expect(try await names(user, ["filterBy": [near]], type) == ["r0"])
    }

    @Test(
        "6.2 words are found without case and accents, any or all of them",
        arguments: [
            ("CONTAINS_ANY_TOKENS", "cafe moon", ["r0", "r1"]), ("CONTAINS_ALL_TOKENS", "cafe river", ["r0"]),
            ("CONTAINS_ALL_TOKENS", "cafe moon", []),
        ] as [(String, String, Set<String>)])
    func words(comparator: String, words: String, expected: Set<String>) async throws {
        let (user, type) = try await records([["f": "The Café by the river"], ["f": "Moon over water"]])
        let found = try await names(user, ["filterBy": [filter(comparator, .string(words))]], type)
        #expect(Set(found) == expected)
        let inAnyField: JSONValue = ["comparator": .string(comparator), "fieldValue": ["value": .string(words)]]
        #expect(Set(try await names(user, ["filterBy": [inAnyField]], type)) == expected)
    }

    @Test("5.3 IN without a list type is BAD_REQUEST")
    func untypedList() async throws {
        let (user, type) = try await records([["f": 1]])
        let query: JSONValue = ["recordType": .string(type), "filterBy": [filter("IN", [1])]]
        expect(try await user.post("records/query", ["query": query]), 400, "BAD_REQUEST")
    }

    @Test("5.3 filters are ANDed")
    func and() async throws {
        let (user, type) = try await records([["f": 1, "g": 1], ["f": 1, "g": 2], ["f": 2, "g": 2]])
        let found = try await names(
            user, ["filterBy": [filter("EQUALS", 1), filter("EQUALS", 2, field: "g")]], type)
        #expect(found == ["r1"])
    }

    @Test(
        "5.3 system fields can be compared",
        arguments: ["recordName", "createdUserRecordName", "modifiedUserRecordName", "createdTimestamp"])
    func systemFields(field: String) async throws {
        let (user, type) = try await records([[:], [:]])
        let record = try #require(try await user.lookUp("r1").first)
        let value: JSONValue =
            switch field {
            case "recordName": ["value": ["recordName": "r1"], "type": "REFERENCE"]
            case "createdTimestamp": ["value": record["created"]!["timestamp"]!, "type": "TIMESTAMP"]
            default: ["value": ["recordName": .string(user.recordName)], "type": "REFERENCE"]
            }
        let filter: JSONValue = [
            "comparator": "EQUALS", "systemFieldName": .string(field), "fieldValue": value,
        ]
        #expect(try await names(user, ["filterBy": [filter]], type).contains("r1"))
    }

    @Test("5.3 sort by several fields, up and down")
    func sorts() async throws {
        let (user, type) = try await records([
            ["f": 1, "g": "a"], ["f": 2, "g": "b"], ["f": 1, "g": "b"], ["f": 2, "g": "a"],
        ])
        let sort: JSONValue = [["fieldName": "f", "ascending": false], ["fieldName": "g", "ascending": true]]
        #expect(try await names(user, ["sortBy": sort], type) == ["r3", "r1", "r0", "r2"])
    }

    @Test("5.3 relativeLocation sorts by distance")
    func distances() async throws {
        let places: [JSONObject] = [13.4, 2.35, 16.4].map { ["f": ["latitude": 50.5, "longitude": .double($0)]] }
        let (user, type) = try await records(places)
        let sort: JSONValue = [["fieldName": "f", "relativeLocation": ["latitude": 50.5, "longitude": 17.5]]]
        #expect(try await names(user, ["sortBy": sort], type) == ["r2", "r0", "r1"])
    }

    @Test("5.4 pages go on by continuationMarker, and none marks the end")
    func pages() async throws {
        let (user, type) = try await records((0..<7).map { ["f": .integer($0)] })
        let query: JSONValue = ["recordType": .string(type), "sortBy": [["fieldName": "f"]]]
        var (found, marker, pages): ([String], JSONValue?, Int) = ([], nil, 0)
        repeat {
            var body: JSONObject = ["query": query, "resultsLimit": 3]
            body["continuationMarker"] = marker
            let reply = try await user.post("records/query", .object(body))
            try #require(reply.status == 200, "\(reply)")
            #expect(reply.items("records").count <= 3)
            found += reply.items("records").compactMap(\.recordName)
            marker = reply.json["continuationMarker"]
            pages += 1
        } while marker != nil && pages < 20
        #expect(found == (0..<7).map { "r\($0)" })
    }

    @Test("5.4 a query looks into one zone, or into all with zoneWide")
    func zones() async throws {
        let user = try await ConformanceService.shared().user()
        let (zone, type) = (try await user.zone(), Unique.type())
        try await user.save("inDefault", type)
        try await user.save("inZone", type, zone: zone)
        #expect(try await names(user, [:], type) == ["inDefault"])
        #expect(try await names(user, [:], type, ["zoneID": ["zoneName": .string(zone)]]) == ["inZone"])
        #expect(Set(try await names(user, [:], type, ["zoneWide": true])) == ["inDefault", "inZone"])
        // zoneWide is ignored when zoneID is present.
        let both: JSONObject = ["zoneWide": true, "zoneID": ["zoneName": .string(zone)]]
        #expect(try await names(user, [:], type, both) == ["inZone"])
    }

    @Test("5.4 desiredKeys choose fields")
    func desiredKeys() async throws {
        let (user, type) = try await records([["f": 1, "g": 2]])
        let reply = try await user.post(
            "records/query", ["query": ["recordType": .string(type)], "desiredKeys": ["g"]])
        #expect(reply.items("records").first?["fields"]?.object?.map(\.key) == ["g"])
    }

    @Test("5.4 a query without query is BAD_REQUEST, as is a comparator that is none")
    func malformed() async throws {
        let (user, type) = try await records([["f": 1]])
        expect(try await user.post("records/query", [:]), 400, "BAD_REQUEST")
        let query: JSONValue = ["recordType": .string(type), "filterBy": [filter("LIKE", 1)]]
        expect(try await user.post("records/query", ["query": query]), 400, "BAD_REQUEST")
    }

    @Test("6.1 fields of bytes cannot be compared")
    func bytes() async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        _ = try await user.modify(
            "create",
            ["recordName": "r", "recordType": .string(type), "fields": ["f": ["value": "AA==", "type": "BYTES"]]])
        let query: JSONValue = ["recordType": .string(type), "filterBy": [filter("EQUALS", "AA==", type: "BYTES")]]
        expect(try await user.post("records/query", ["query": query]), 400, "BAD_REQUEST")
    }
}
