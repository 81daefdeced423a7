import JSON
import TestSupport
import Testing

/// Filters and predicate strings over HTTP: lists return the given ones (docs/cloudkit.md#dictionaries).
@Suite struct PredicateEndpointTests {
    private func create(
        _ bench: WebBench, _ user: WebBench.SignedIn, _ id: String, _ query: JSONValue
    ) async throws -> Answer {
        try await bench.send(
            "POST", bench.database("subscriptions/modify"),
            [
                "operations": [
                    [
                        "operationType": "create",
                        "subscription": [
                            "subscriptionID": .string(id), "subscriptionType": "query", "query": query,
                            "firesOn": ["create"], "notificationInfo": ["alertBody": "x"],
                        ],
                    ]
                ]
            ], user: user)
    }

    private static let place: JSONValue = ["latitude": 52.5, "longitude": 13.4]

    @Test func everyComparatorIsAnsweredAsItWasGiven() async throws {
        func filter(_ comparator: String, _ value: JSONValue, _ type: String) -> JSONValue {
            [
                "comparator": .string(comparator), "fieldName": "f",
                "fieldValue": ["value": value, "type": .string(type)],
            ]
        }
        var filters =
            [
                [
                    "comparator": "NEAR", "fieldName": "f", "fieldValue": ["value": Self.place, "type": "LOCATION"],
                    "distance": 1500,
                ],
                ["comparator": "CONTAINS_ANY_TOKENS", "fieldValue": ["value": "a b", "type": "STRING"]],
                filter("CONTAINS_ALL_TOKENS", "a b", "STRING"), filter("LIST_CONTAINS", "x", "STRING"),
                filter("NOT_LIST_CONTAINS", 5, "INT64"),
            ] as [JSONValue]
        for name in [
            "IN", "NOT_IN", "LIST_CONTAINS_ANY", "NOT_LIST_CONTAINS_ANY", "LIST_CONTAINS_ALL", "NOT_LIST_CONTAINS_ALL",
        ] {
            filters.append(filter(name, ["x", "y"], "STRING_LIST"))
        }
        for name in [
            "BEGINS_WITH", "NOT_BEGINS_WITH", "LIST_MEMBER_BEGINS_WITH", "NOT_LIST_MEMBER_BEGINS_WITH", "NOT_EQUALS",
        ] {
            filters.append(filter(name, "x", "STRING"))
        }
        let query: JSONValue = ["recordType": "T", "filterBy": .array(filters)]
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let saved = try await create(bench, alice, "s", query)
            #expect(saved.json["subscriptions"]?[0]?["query"] == query)
            let listed = try await bench.send("GET", bench.database("subscriptions/list"), user: alice)
            #expect(listed.json["subscriptions"]?[0]?["query"] == query)
        }
    }

    @Test func aPredicateIsAnsweredAsItWasGiven() async throws {
        let query: JSONValue = [
            "recordType": "T", "filterBy": [],
            "predicate": "%K  ==  %@ OR distanceToLocation:fromLocation:(l, %@) < 5 AND n IN %@ AND s != %@",
            "predicateArguments": ["n", ["value": 1, "type": "DOUBLE"], Self.place, [1, 2], nil],
        ]
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let saved = try await create(bench, alice, "s", query)
            #expect(saved.json["subscriptions"]?[0]?["query"] == query)
            let listed = try await bench.send("GET", bench.database("subscriptions/list"), user: alice)
            #expect(listed.json["subscriptions"]?[0]?["query"] == query)
        }
    }

    @Test(
        arguments: [
            (["filterBy": [["comparator": "NEAR", "fieldName": "f", "fieldValue": ["value": place]]]], "distance"),
            (
                [
                    "filterBy": [
                        ["comparator": "NEAR", "fieldName": "f", "fieldValue": ["value": place], "distance": -1]
                    ]
                ], "metres"
            ),
            (
                ["filterBy": [["comparator": "NEAR", "fieldName": "f", "fieldValue": ["value": "x"], "distance": 1]]],
                "LOCATION"
            ),
            (
                [
                    "filterBy": [
                        ["comparator": "EQUALS", "fieldName": "f", "fieldValue": ["value": "x"], "distance": 1]
                    ]
                ], "NEAR only"
            ),
            (
                ["filterBy": [["comparator": "NOT_IN", "fieldName": "f", "fieldValue": ["value": ["x"]]]]],
                "explicit list type"
            ),
            (["filterBy": [["comparator": "CONTAINS_ANY_TOKENS", "fieldValue": ["value": 5]]]], "STRING"),
            (["filterBy": [["comparator": "EQUALS", "fieldValue": ["value": 5]]]], "fieldName"),
            (["predicate": 5], "must be a string"), (["predicate": "n == 1 AND"], "column 11"),
            (["predicateArguments": [1]], "needs 'predicate'"), (["predicate": "n == %@"], "there is none"),
            (["predicate": "n == %@", "predicateArguments": [true]], "boolean"),
            (["predicate": "n == %@", "predicateArguments": [["value": 1, "type": "X"]]], "known types"),
        ] as [(JSONValue, String)])
    func errorsNameTheMember(members: JSONValue, words: String) async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            var query: JSONObject = ["recordType": "T"]
            for (key, value) in members.object ?? [:] { query[key] = value }
            let answer = try await create(bench, alice, "s", .object(query))
            let error = answer.status == 200 ? answer.json["subscriptions"]?[0] : answer.json
            #expect(error?["serverErrorCode"] == "BAD_REQUEST")
            #expect(error?["reason"]?.string?.contains(words) == true, "\(error?["reason"]?.string ?? "")")
        }
    }

    /// Users are records: CloudKit compares them by reference, also in filters.
    @Test func aUserIsComparedByReference() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let user: JSONValue = ["recordName": .string(alice.name), "action": "NONE"]
            let query: JSONValue = [
                "recordType": "T",
                "filterBy": [
                    [
                        "comparator": "EQUALS", "systemFieldName": "createdUserRecordName",
                        "fieldValue": ["value": user, "type": "REFERENCE"],
                    ]
                ], "predicate": "lastModifiedUserRecordID == %@", "predicateArguments": [user],
            ]
            let saved = try await create(bench, alice, "s", query)
            #expect(saved.json["subscriptions"]?[0]?["query"] == query)
        }
    }
}
