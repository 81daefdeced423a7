import CloudJSON
import CloudModel
import HTTPClient
import HTTPServer
import JSON
import TestSupport
import Testing

// Routes are the module's own: no other code has to know them.
@testable import WebAPI

/// `docs/openapi.yaml` and the code say the same. That requests and answers agree with it, the bench looks at by
/// itself.
@Suite struct OpenAPITests {
    private let document: APIContract

    init() throws { document = try APIContract.committed.get() }

    @Test func everyRouteIsInTheDocumentAndNoOther() throws {
        let routes = Set(
            CloudAPI([]).router.routes.flatMap { route in route.methods.map { "\($0) \(route.path)" } })
        // Those of the console's module are held against it there.
        let own = document.operations.filter { Set($0.tags).isDisjoint(with: ["console", "operator"]) }
        let written = Set(own.map { "\($0.method) \($0.path)" })
        #expect(routes.subtracting(written) == [], "are served and not in docs/openapi.yaml")
        #expect(written.subtracting(routes) == [], "are in docs/openapi.yaml and not served")
    }

    /// Lists of names that the code has, too.
    @Test func namesAreThoseOfTheCode() throws {
        func names(_ schema: String) throws -> Set<String> {
            let values = try #require(document.json["components"]?["schemas"]?[schema]?["enum"]?.array)
            return Set(values.compactMap(\.string))
        }
        #expect(try names("ErrorCode") == Set(CloudErrorCode.allCases.map(\.rawValue)))
        #expect(try names("Comparator") == Set(Comparator.allCases.map(\.description)))
        #expect(try names("FieldType") == Set(FieldType.knownNames).union(FieldJSON.namesOfAnyList))
        for name in try names("SystemFieldName") { #expect(SystemField(name: name) != nil, "\(name)") }
        for field in SystemField.allCases { #expect(try names("SystemFieldName").contains(field.description)) }
    }

    /// Each answer that is no success names the codes that have its status.
    @Test func statusesAreThoseOfTheCodes() throws {
        let answers = try #require(document.json["components"]?["responses"]?.object)
        var statuses: [String: Set<String>] = [:]
        for operation in document.operations {
            for (status, answer) in operation.json["responses"]?.object ?? [:] where status >= "400" {
                let name = try #require(answer["$ref"]?.string?.split(separator: "/").last)
                statuses[String(name), default: []].insert(status)
            }
        }
        // What the transport words, it words as a bad request.
        let transport: Set = ["408", "412", "416", "431"]
        for (name, found) in statuses {
            let status = try #require(found.count == 1 ? found.first : nil, "\(name) stands for one status")
            let schemas = answers[name]?["content"]?["application/json"]?["schema"]?["allOf"]?.array ?? []
            let codes = schemas.compactMap { $0["properties"]?["serverErrorCode"]?["enum"]?.array }.joined()
            for code in codes.compactMap(\.string) {
                let known = try #require(CloudErrorCode(rawValue: code))
                #expect("\(known.httpStatus)" == status || transport.contains(status), "\(name): \(code)")
            }
            #expect(!codes.isEmpty, "\(name) names its codes")
        }
    }

    /// Bounds in the document are those of `Limits`.
    @Test func boundsAreThoseOfTheCode() throws {
        let schemas = try #require(document.json["components"]?["schemas"])
        func bound(_ path: String) -> Int64? {
            path.split(separator: ".").reduce(schemas) { $0[String($1)] ?? .null }.integer
        }
        let bounds: [(String, Int)] = [
            ("ModifyRecordsRequest.properties.operations.maxItems", Limits.frameworkOperationsMax),
            ("LookUpRecordsRequest.properties.records.maxItems", Limits.operationsMax),
            ("ModifyZonesRequest.properties.operations.maxItems", Limits.operationsMax),
            ("ModifySubscriptionsRequest.properties.operations.maxItems", Limits.operationsMax),
            ("RequestUploadsRequest.properties.tokens.maxItems", Limits.assetTokensMax),
            ("ResultsLimit.default", Limits.feedPageMax), ("ResultsLimit.default", Limits.notificationsPageMax),
            ("FeedRecords.maxItems", Limits.feedPageMax), ("RecordName.maxLength", Limits.nameCharactersMax),
            ("DeviceID.maxLength", Limits.deviceCharactersMax),
            ("AdditionalFields.maxItems", Limits.additionalFieldsMax),
            ("RegisterDeviceRequest.properties.name.maxLength", Limits.deviceNameCharactersMax),
            ("NotificationText.maxLength", Limits.alertCharactersMax),
            ("LocalizationArgs.maxItems", Limits.localizationArgsMax),
            ("Query.properties.predicate.maxLength", Limits.predicateCharactersMax),
            ("Query.properties.predicateArguments.maxItems", Limits.predicateArgumentsMax),
            ("AnsweredQuery.properties.filterBy.maxItems", Limits.filtersMax),
            ("GivenRecord.properties.participants.maxItems", Limits.participantsMax + 1),
            ("DevicesAnswer.properties.devices.maxItems", Limits.devicesPerUserMax),
            ("MarkReadRequest.properties.notificationIDs.maxItems", Limits.markReadMax),
            ("NotificationChangesRequest.properties.waitSeconds.maximum", Limits.waitSecondsMax),
        ]
        for (path, limit) in bounds { #expect(bound(path) == Int64(limit), "\(path)") }
    }

    @Test func theDocumentIsServed() async throws {
        try await WebBench.run { bench in
            let answer = try await bench.send("GET", "/openapi.yaml", apiToken: .some(nil))
            #expect(answer.status == 200 && answer.headers["Content-Type"] == "application/yaml")
            let served = try APIContract(answer.body)
            #expect(served.json == document.json, "the program embeds docs/openapi.yaml")
            let other = try await bench.send("POST", "/openapi.yaml", body: "{}")
            #expect(other.status == 405 && other.headers["Allow"] == "GET, HEAD")
        }
    }

    @Test("without a contact security.txt is absent, and with one it has what RFC 9116 asks for")
    func securityText() async throws {
        try await WebBench.run { bench in
            let absent = try await bench.send("GET", "/.well-known/security.txt", apiToken: .some(nil))
            #expect(absent.status == 404)
        }
        let expires = try #require(Timestamp(iso8601: "2027-06-30T00:00:00Z"))
        for url in ["", "https://api.example.com"] {
            let text = SecurityText(
                contacts: ["mailto:security@example.com", "https://example.com/report"], expires: expires,
                publicURL: url)
            guard case .bytes(let bytes) = text.response.body else { throw CancellationError() }
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            #expect(
                lines == [
                    "Contact: mailto:security@example.com", "Contact: https://example.com/report",
                    "Expires: 2027-06-30T00:00:00.000Z",
                ] + (url.isEmpty ? [] : ["Canonical: https://api.example.com/.well-known/security.txt"]))
            #expect(text.response.headers.contains { $0 == ("Content-Type", "text/plain; charset=utf-8") })
        }
    }

    // MARK: The checker itself

    private func exchange(
        _ method: String, _ path: String, request: JSONValue?, status: Int = 200, answer: JSONValue,
        type: String = "application/json; charset=utf-8"
    ) throws -> [String] {
        document.disagreements(
            Exchange(
                method: method, target: "/database/1/iCloud.a/development/public/\(path)?ckAPIToken=x",
                requestBody: try request?.serialized(), status: status,
                headers: HTTPClientHeaders([("Content-Type", type)]), body: try answer.serialized()))
    }

    @Test func agreementIsSeen() throws {
        let lookup: JSONValue = ["records": [["recordName": "r", "desiredKeys": nil]], "more": 1]
        #expect(try exchange("POST", "records/lookup", request: lookup, answer: ["records": []]) == [])
        let error: JSONValue = [
            "serverErrorCode": "BAD_REQUEST", "reason": "x", "uuid": "01234567-89ab-4def-8123-456789abcdef",
        ]
        #expect(try exchange("POST", "records/lookup", request: [:], status: 400, answer: error) == [])
        #expect(try exchange("POST", "records/lookups", request: [:], status: 404, answer: error) != [])
    }

    @Test func disagreementIsSeen() throws {
        let lookup: JSONValue = ["records": [["recordName": "r"]]]
        let item: JSONValue = ["recordName": "r", "deleted": true]
        let cases: [(JSONValue, Int, JSONValue, String)] = [
            (lookup, 200, [:], "lacks"),
            (lookup, 200, ["records": [], "more": 1], "more"),
            (lookup, 200, ["records": [["recordName": "r"]]], "none of its"),
            (lookup, 200, ["records": .array(Array(repeating: item, count: 401))], "over 400"),
            (lookup, 418, [:], "no answer with this status"),
            (["records": [["recordName": "_r"]]], 200, ["records": [item]], "pattern"),
            (["records": [[:]]], 200, ["records": [item]], "lacks"),
            ([:], 200, ["records": [item]], "lacks"),
        ]
        for (request, status, answer, words) in cases {
            let found = try exchange("POST", "records/lookup", request: request, status: status, answer: answer)
            #expect(found.contains { $0.contains(words) }, "\(words): \(found)")
        }
        #expect(
            try exchange("POST", "records/lookup", request: lookup, answer: ["records": []], type: "text/html") != [])
        #expect(try exchange("GET", "records/lookup", request: nil, answer: ["records": []]) != [])
        let schema = JSONSchema(components: [:])
        #expect(schema.violations(of: 1, by: ["multipleOf": 2], at: "x").first?.contains("multipleOf") == true)
    }
}
