import CloudModel
import HTTPClient
import JSON
import RecordService
import TestSupport
import Testing

/// Files of records (docs/cloudkit.md#assets).
@Suite struct AssetEndpointTests {
    static func upload(
        _ bytes: [UInt8], _ bench: WebBench, _ user: WebBench.SignedIn, field: String = "file",
        database: String = "public"
    ) async throws -> JSONValue {
        let url = try await address(bench, user, field: field, database: database)
        let answer = try await bench.raw("POST", url, bytes: bytes, headers: [("Content-Type", "image/png")])
        #expect(answer.status == 200, "\(answer.json)")
        return try #require(answer.json["singleFile"])
    }

    static func address(
        _ bench: WebBench, _ user: WebBench.SignedIn, field: String = "file", database: String = "public"
    ) async throws -> String {
        let answer = try await bench.send(
            "POST", bench.database("assets/upload", database),
            ["tokens": [["recordName": "r", "recordType": "T", "fieldName": .string(field)]]], user: user)
        #expect(answer.json["tokens"]?[0]?["recordName"] == "r")
        #expect(answer.json["tokens"]?[0]?["fieldName"]?.string == field)
        return try #require(answer.json["tokens"]?[0]?["url"]?.string)
    }

    static func save(
        _ asset: JSONValue?, _ bench: WebBench, _ user: WebBench.SignedIn, name: String = "r", field: String = "file",
        database: String = "public"
    ) async throws -> JSONValue {
        let answer = try await bench.send(
            "POST", bench.database("records/modify", database),
            [
                "operations": [
                    [
                        "operationType": "forceUpdate",
                        "record": [
                            "recordName": .string(name), "recordType": "T",
                            "fields": .object([field: ["value": asset ?? .null]] as JSONObject),
                        ],
                    ]
                ]
            ], user: user)
        return try #require(answer.json["records"]?[0], "\(answer.json)")
    }

    @Test func aReceiptIsOneUsersForOneField() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let bob = try await bench.signIn("bob")
            let file = try await Self.upload([1, 2, 3], bench, alice)
            func code(
                _ value: JSONValue, _ user: WebBench.SignedIn, field: String = "file", database: String = "public"
            )
                async throws -> String?
            {
                try await Self.save(value, bench, user, field: field, database: database)["serverErrorCode"]?.string
            }
            func with(_ key: String, _ value: JSONValue?) -> JSONValue {
                var object = file.object!
                object[key] = value
                return .object(object)
            }
            let other = try await Self.upload([4, 5, 6], bench, alice)
            #expect(try await code(file, bob) == "ACCESS_DENIED")
            #expect(try await code(file, alice, field: "other") == "BAD_REQUEST")
            #expect(try await code(file, alice, database: "private") == "BAD_REQUEST")
            #expect(try await code(with("receipt", nil), alice) == "BAD_REQUEST")
            #expect(try await code(with("receipt", other["receipt"]), alice) == "BAD_REQUEST")
            #expect(try await code(with("receipt", "x"), alice) == "ACCESS_DENIED")
            #expect(try await code(with("size", 4), alice) == "BAD_REQUEST")
            #expect(try await code(with("fileChecksum", "x"), alice) == "BAD_REQUEST")
            #expect(try await code(file, alice) == nil)
            // A file that is in the field already needs no receipt; in another field or record it does.
            #expect(try await code(with("receipt", nil), alice) == nil)
            #expect(try await code(with("receipt", nil), alice, field: "other") == "BAD_REQUEST")
        }
    }

    @Test func anAddressTakesUploadsOfItsOwnKindOnly() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let url = try await Self.address(bench, alice)
            expect(try await bench.raw("POST", url + "x", bytes: [1]), .accessDenied)
            expect(try await bench.raw("POST", url.replacing("/upload/", with: "/download/"), bytes: [1]), .badRequest)
            expect(try await bench.raw("GET", url.replacing("/upload/", with: "/download/")), .accessDenied)
            expect(try await bench.raw("GET", url), .badRequest)
            expect(try await bench.raw("POST", url.replacing("development", with: "production"), bytes: [1]), .notFound)
            let answer = try await bench.raw(
                "OPTIONS", url,
                headers: [("Origin", "https://a.example.com"), ("Access-Control-Request-Method", "POST")])
            #expect(answer.status == 204 && answer.headers["Access-Control-Allow-Origin"] == "*")
        }
    }

    @Test func aFileOverTheLimitIsTooLarge() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let url = try await Self.address(bench, alice)
            let bytes = [UInt8](repeating: 1, count: Limits.assetBytesMax + 1)
            expect(try await bench.raw("POST", url, bytes: bytes), .quotaExceeded)
        }
    }

    @Test func anAssetIsReferencedAgain() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let bob = try await bench.signIn("bob")
            _ = try await Self.save(try await Self.upload([7, 8], bench, alice), bench, alice)
            let answer = try await bench.send(
                "POST", bench.database("assets/rereference"),
                ["assets": [["recordName": "r", "fieldName": "file"], ["recordName": "r", "fieldName": "none"]]],
                user: bob)
            let asset = try #require(answer.json["assets"]?[0])
            #expect(answer.json["assets"]?[1]?["serverErrorCode"] == "NOT_FOUND")
            let saved = try await Self.save(asset, bench, bob, name: "mine", field: "picture")
            #expect(saved["serverErrorCode"] == nil, "\(saved)")
        }
    }
}
