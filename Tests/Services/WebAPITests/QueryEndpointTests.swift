import CloudModel
import JSON
import Testing

/// `records/query` as clients see it (docs/cloudkit.md#dictionaries).
@Suite struct QueryEndpointTests {
    private func query(
        _ bench: WebBench, _ body: JSONValue, user: WebBench.SignedIn? = nil, database: String = "public"
    ) async throws -> Answer {
        try await bench.send("POST", bench.database("records/query", database), body, user: user)
    }

    private func save(_ bench: WebBench, _ name: String, _ fields: JSONValue, _ user: WebBench.SignedIn) async throws {
        let answer = try await bench.send(
            "POST", bench.database("records/modify"),
            [
                "operations": [
                    [
                        "operationType": "forceUpdate",
                        "record": ["recordName": .string(name), "recordType": "Item", "fields": fields],
                    ]
                ]
            ], user: user)
        try #require(answer.json["records"]?[0]?["serverErrorCode"] == nil, "\(answer.json)")
    }

    private func names(_ answer: Answer) -> [String] {
        answer.json["records"]?.array?.compactMap { $0["recordName"]?.string } ?? []
    }

    @Test func recordsAreFoundSortedAndPaged() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            for (name, rank) in [("a", 3), ("b", 1), ("c", 2), ("d", 2)] {
                try await save(
                    bench, name,
                    ["kind": ["value": "Red"], "rank": ["value": .integer(Int64(rank)), "type": "INT64"]], alice)
            }
            try await save(bench, "e", ["kind": ["value": "blue"]], alice)
            let red: JSONValue = ["fieldName": "kind", "comparator": "EQUALS", "fieldValue": ["value": "RED"]]
            let sorted: JSONValue = [
                "recordType": "Item", "filterBy": [red], "sortBy": [["fieldName": "rank", "ascending": true]],
            ]
            // Everybody with an API token reads the public database.
            let first = try await query(bench, ["query": sorted, "resultsLimit": 3, "desiredKeys": ["rank"]])
            #expect(first.status == 200 && names(first) == ["b", "c", "d"])
            #expect(first.json["records"]?[0]?["fields"] == ["rank": ["value": 1, "type": "INT64"]])
            let marker = try #require(first.json["continuationMarker"])
            let second = try await query(
                bench, ["query": sorted, "continuationMarker": marker, "numbersAsStrings": true])
            #expect(names(second) == ["a"] && second.json["continuationMarker"] == nil)
            #expect(second.json["records"]?[0]?["fields"]?["rank"]?["value"] == "3")
            let others = try await query(
                bench, ["query": ["recordType": "Item", "predicate": "rank >= 2 AND kind == 'red'"], "zoneWide": true])
            #expect(names(others) == ["a", "c", "d"])
            let all = try await query(bench, ["query": ["recordType": "Item"]])
            #expect(names(all) == ["a", "b", "c", "d", "e"])
            let system = try await query(
                bench,
                [
                    "query": [
                        "recordType": "Item", "sortBy": [["systemFieldName": "recordName", "ascending": false]],
                        "filterBy": [
                            [
                                "systemFieldName": "createdUserRecordName", "comparator": "EQUALS",
                                "fieldValue": ["value": ["recordName": .string(alice.name)], "type": "REFERENCE"],
                            ]
                        ],
                    ]
                ])
            #expect(names(system) == ["e", "d", "c", "b", "a"])
        }
    }

    @Test(arguments: [
        #"{"query": {"recordType": "Item"}, "resultsLimit": -1}"#,
        #"{"query": {}}"#, "{}", #"{"query": {"recordType": "Item"}, "continuationMarker": "x"}"#,
        #"{"query": {"recordType": "Item", "sortBy": [{"fieldName": "none"}]}}"#,
        #"{"query": {"recordType": "Item", "filterBy": [{"fieldName": "kind", "comparator": "EQUALS", "fieldValue": {"value": 1}}]}}"#,
    ]) func invalidQueriesAreRefused(_ body: String) async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            try await save(bench, "a", ["kind": ["value": "Red"]], alice)
            let answer = try await bench.send("POST", bench.database("records/query"), body: body)
            #expect(answer.status == 400 && answer.json["serverErrorCode"] == "BAD_REQUEST", "\(answer.json)")
            #expect(answer.json["reason"]?.string?.isEmpty == false)
        }
    }
}
