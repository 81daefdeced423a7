import JSON
import Testing

/// Every endpoint with a request that it answers with 200, for a user who has the device `phone`.
struct Endpoint: Sendable, CustomTestStringConvertible {
    enum Family { case database, device, auth }

    var family: Family
    var database = "public"
    var path: String
    var body: JSONValue?
    var query: [(String, String)] = []
    var needsUser = true

    var method: String { body == nil ? "GET" : "POST" }
    var methods: [String] {
        if path == "devices/push/remove" { return ["POST", "DELETE"] }
        return Self.pathsOfBoth.contains(path) ? ["GET", "POST"] : [method]
    }
    /// Endpoints that answer both methods.
    static let pathsOfBoth: Set = [
        "zones/list", "subscriptions/list", "users/caller", "users/current", "users/discover",
        "devices/policies",
    ]
    var testDescription: String { path }

    func address(_ bench: WebBench) -> String {
        switch family {
        case .database: bench.database(path, database)
        case .device: bench.device(path)
        case .auth: bench.signInPath.replacing("signin", with: path)
        }
    }

    static let subscription: JSONValue = [
        "subscriptionID": "s", "subscriptionType": "query", "zoneID": ["zoneName": "_defaultZone"], "zoneWide": false,
        "query": [
            "recordType": "T",
            "filterBy": [
                ["fieldName": "n", "comparator": "EQUALS", "fieldValue": ["value": 1, "type": "INT64"]],
                [
                    "systemFieldName": "recordName", "comparator": "IN",
                    "fieldValue": ["value": ["a"], "type": "STRING_LIST"],
                ],
            ],
        ],
        "firesOn": ["create"], "firesOnce": false,
        "notificationInfo": ["alertBody": "b", "additionalFields": ["n"], "shouldBadge": true],
    ]

    static let record: JSONValue = [
        "recordName": "r", "recordType": "T", "recordChangeTag": "1",
        "fields": [
            "n": ["value": 1, "type": "INT64"], "s": ["value": "x"], "d": ["value": 0.5, "type": "DOUBLE"],
            "t": ["value": 5, "type": "TIMESTAMP"], "l": ["value": ["x"], "type": "STRING_LIST"],
            "f": [
                "value": ["recordName": "q", "action": "NONE", "zoneID": ["zoneName": "_defaultZone"]],
                "type": "REFERENCE",
            ],
        ],
    ]

    static let all: [Endpoint] = [
        Endpoint(
            family: .database, path: "records/query",
            body: [
                "query": [
                    "recordType": "Unknown",
                    "filterBy": [
                        ["fieldName": "n", "comparator": "EQUALS", "fieldValue": ["value": 1, "type": "INT64"]]
                    ],
                    "sortBy": [["fieldName": "n", "ascending": false]],
                ],
                "zoneID": ["zoneName": "_defaultZone"], "zoneWide": true, "resultsLimit": 10, "desiredKeys": ["n"],
                "numbersAsStrings": true,
            ], needsUser: false),
        Endpoint(
            family: .database, path: "records/modify",
            body: [
                "operations": [["operationType": "forceUpdate", "record": record]],
                "zoneID": ["zoneName": "_defaultZone"],
            ]),
        Endpoint(
            family: .database, path: "records/lookup",
            body: ["records": [["recordName": "r"]], "zoneID": ["zoneName": "_defaultZone"]], needsUser: false),
        Endpoint(
            family: .database, database: "private", path: "zones/modify",
            body: ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": "a"]]]]]),
        Endpoint(family: .database, path: "records/resolve", body: ["shortGUIDs": [["value": "x"]]]),
        Endpoint(family: .database, path: "records/accept", body: ["shortGUIDs": [["value": "x"]]]),
        Endpoint(family: .database, path: "zones/list", needsUser: false),
        Endpoint(
            family: .database, path: "zones/lookup", body: ["zones": [["zoneName": "_defaultZone"]]], needsUser: false),
        Endpoint(
            family: .database, database: "private", path: "zones/changes",
            body: ["metaSyncToken": nil, "resultsLimit": 1]),
        Endpoint(
            family: .database, database: "private", path: "changes/database",
            body: ["syncToken": nil, "resultsLimit": 1]),
        Endpoint(
            family: .database, database: "private", path: "changes/zone",
            body: [
                "zones": [
                    [
                        "zoneID": ["zoneName": "a"], "syncToken": nil, "resultsLimit": 1, "reverse": true,
                        "desiredKeys": ["n"], "desiredRecordTypes": ["T"], "numbersAsStrings": true,
                    ]
                ]
            ]),
        Endpoint(
            family: .database, path: "subscriptions/modify",
            body: ["operations": [["operationType": "create", "subscription": subscription]]]),
        Endpoint(family: .database, path: "subscriptions/list"),
        Endpoint(
            family: .database, path: "subscriptions/lookup", body: ["subscriptions": [["subscriptionID": "s"]]]),
        Endpoint(family: .database, path: "users/caller"),
        Endpoint(family: .database, path: "users/current"),
        Endpoint(family: .database, path: "users/discoverable", body: ["isDiscoverable": true]),
        Endpoint(
            family: .database, path: "users/discover",
            body: ["lookupInfos": [["emailAddress": "a@example.com"], ["phoneNumber": "1"]]]),
        Endpoint(
            family: .database, path: "users/lookup/email", body: ["users": [["emailAddress": "a@example.com"]]]),
        Endpoint(
            family: .database, path: "users/lookup/contacts", body: ["contacts": [["emailAddress": "a@example.com"]]]),
        Endpoint(
            family: .database, path: "users/lookup/id",
            body: ["users": [["userRecordName": "_00000000000000000000000000000000"]]]),
        Endpoint(
            family: .database, path: "assets/upload",
            body: ["tokens": [["recordName": "r", "recordType": "T", "fieldName": "a"]]]),
        Endpoint(
            family: .database, path: "assets/rereference",
            body: ["zoneID": ["zoneName": "_defaultZone"], "assets": [["recordName": "r", "fieldName": "a"]]]),
        Endpoint(
            family: .device, path: "devices/register", body: ["deviceID": "phone", "name": "n", "platform": "p"]),
        Endpoint(family: .device, path: "devices/list"),
        Endpoint(family: .device, path: "devices/unregister", body: ["deviceID": "phone"]),
        Endpoint(
            family: .device, path: "devices/push",
            body: [
                "deviceID": "phone", "contents": "full", "silent": false,
                "webhook": ["url": "https://example.com/a", "secret": "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
            ]),
        Endpoint(family: .device, path: "devices/push/remove", body: ["deviceID": "phone", "kind": "apns"]),
        Endpoint(
            family: .device, path: "devices/policies",
            body: [
                "deviceID": "phone", "clock": [["from": 0, "utcOffsetMinutes": 60]],
                "deliveryPolicy": [
                    "grouping": "digest", "windowSeconds": 60, "count": 5,
                    "quietHours": ["from": "22:00", "to": "07:00"], "hourlyMax": 3,
                ],
                "subscriptions": [["databaseScope": "private", "subscriptionID": "s", "deliveryPolicy": [:]]],
            ]),
        Endpoint(family: .device, path: "push/keys"),
        Endpoint(
            family: .device, path: "notifications/changes",
            body: [
                "deviceID": "phone", "serverChangeToken": nil, "resultsLimit": 10, "waitSeconds": 0,
                "shouldFetchPushPayload": true,
            ]),
        Endpoint(
            family: .device, path: "notifications/markRead", body: ["deviceID": "phone", "notificationIDs": ["x"]]),
        Endpoint(
            family: .device, path: "tokens/create", body: ["apnsEnvironment": "production", "clientId": "browser"]),
        Endpoint(family: .device, path: "badge/modify", body: ["deviceID": "phone", "badgeValue": 0]),
        Endpoint(family: .device, path: "badge/current", query: [("deviceID", "phone")]),
        Endpoint(family: .device, path: "notifications/stream", query: [("deviceID", "phone")]),
        Endpoint(family: .auth, path: "signin", body: ["user": "alice"], needsUser: false),
        Endpoint(family: .auth, path: "signout", body: ["everywhere": false]),
    ]

    /// Those that answer at once.
    static let answering = all.filter { $0.path != "notifications/stream" }
    static let posts = all.filter { $0.body != nil }
}
