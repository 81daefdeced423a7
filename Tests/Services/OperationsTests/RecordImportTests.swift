import CloudModel
import FanfareCloudKit
import JSON
import Operations
import Synchronization
import Testing

/// Lines become records of requests, and refused ones are counted.
@Suite struct RecordImportTests {
    /// Keeps the operations of each request and refuses those on records of some names; queries give records that are
    /// known.
    private final class Service: FanfareTransport {
        private let requests = Mutex<[[JSONValue]]>([])
        private let refused: Set<String>
        private let throttled: Mutex<Int>
        private let known: [JSONValue]

        init(refusing refused: Set<String> = [], throttling throttled: Int = 0, knowing known: [JSONValue] = []) {
            self.refused = refused
            self.known = known
            self.throttled = Mutex(throttled)
        }

        var operations: [[JSONValue]] { requests.withLock { $0 } }

        func send(_ request: FanfareRequest) async throws -> FanfareResponse {
            let isThrottled = throttled.withLock { left in
                defer { left -= 1 }
                return left > 0
            }
            if isThrottled {
                let body: JSONValue = ["serverErrorCode": "THROTTLED", "reason": "not yet", "retryAfter": 0]
                return FanfareResponse(status: 429, body: try body.serialized())
            }
            guard let operations = try JSONValue(parsing: request.body)["operations"]?.array else {
                let answer = JSONValue.object(["records": .array(known)])
                return FanfareResponse(status: 200, body: try answer.serialized())
            }
            requests.withLock { $0.append(operations) }
            let items = operations.map { operation -> JSONValue in
                let name = operation["record"]?["recordName"] ?? nil
                guard let text = name.string, refused.contains(text) else {
                    return ["recordName": name, "deleted": true]
                }
                return ["recordName": name, "serverErrorCode": "BAD_REQUEST", "reason": "not this one"]
            }
            return FanfareResponse(status: 200, body: try JSONValue.object(["records": .array(items)]).serialized())
        }

        func stream(_ request: FanfareRequest) async throws -> FanfareStream { FanfareStream(status: 404) { nil } }
    }

    private func run(
        _ lines: [String], _ service: Service = Service(), recordsMax: Int = 200,
        key: String = "id", refused: (String) -> Void = { _ in }, progressed: (RecordImport.Progress) -> Void = { _ in }
    ) async throws -> RecordImport.Progress {
        let client = CloudService(
            url: "http://test",
            scope: ContainerEnvironment(
                container: ContainerIdentifier(trusted: "iCloud.test"), environment: .development),
            apiToken: "t", transport: service)
        let mapping = RecordImport.Mapping(
            recordType: RecordType(trusted: "Work"), recordNameKey: key,
            references: ["artist": RecordType(trusted: "Artist")])
        var rest = lines[...]
        return try await RecordImport(
            client: client, database: .public, mapping: mapping,
            pace: RecordImport.Pace(requestsMax: 1, recordsMax: recordsMax)
        ).run({ rest.popFirst().map { Array($0.utf8)[...] } }, refused: refused, progressed: progressed)
    }

    @Test func `members become fields, whose types are said where JSON has others`() async throws {
        let service = Service()
        let line =
            #"{"id": 7, "title": "T", "year": 1950, "price": 1.5, "sold": true, "tags": ["a"], "artist": "x", "none": null}"#
        let progress = try await run([line], service)
        #expect(progress.saved == 1 && progress.failed == 0)
        #expect(
            service.operations == [
                [
                    [
                        "operationType": "forceUpdate",
                        "record": [
                            "recordName": "7", "recordType": "Work",
                            "fields": [
                                "artist": [
                                    "value": ["recordName": "x", "action": "NONE"], "type": "REFERENCE",
                                ],
                                "id": ["value": 7], "price": ["value": 1.5, "type": "DOUBLE"],
                                "sold": ["value": 1, "type": "INT64"],
                                "tags": ["value": ["a"], "type": "STRING_LIST"], "title": ["value": "T"],
                                "year": ["value": 1950],
                            ],
                        ],
                    ]
                ]
            ])
    }

    @Test func `requests have as many records as the pace allows, blank lines none`() async throws {
        let service = Service()
        let lines = (0..<5).flatMap { ["{\"id\": \"r\($0)\"}", " \r"] }
        let progress = try await run(lines, service, recordsMax: 2)
        #expect(service.operations.map(\.count) == [2, 2, 1] && progress.saved == 5)
    }

    @Test func `refused records are counted, and the first ten are listed`() async throws {
        let names = (0..<12).map { "r\($0)" }
        var seen: [Int] = []
        let progress = try await run(
            names.map { "{\"id\": \"\($0)\"}" } + ["{\"id\": \"good\"}"], Service(refusing: Set(names)), recordsMax: 4,
            progressed: { seen.append($0.failed) })
        #expect(progress.saved == 1 && progress.failed == 12)
        #expect(progress.failures.count == 10 && progress.failures[0] == "line 1: r0: BAD_REQUEST: not this one")
        #expect(seen == [4, 8, 12, 12])
    }

    @Test func `a request that is throttled is sent again`() async throws {
        let service = Service(throttling: 2)
        let progress = try await run([#"{"id": "a"}"#], service)
        #expect(progress.saved == 1 && progress.failed == 0 && service.operations.count == 1)
    }

    @Test func `lines of an export take the place of records, each in its zone`() async throws {
        let service = Service()
        let fields = #""fields": {"n": {"value": "1", "type": "INT64"}}"#
        let lines = [
            "{\"recordName\": \"a\", \"recordType\": \"Other\", \(fields)}",
            "{\"recordName\": \"b\", \(fields), \"zoneID\": {\"zoneName\": \"Z\"}, \"parent\": {\"recordName\": \"c\"}}",
        ]
        let progress = try await run(lines, service)
        #expect(progress.saved == 2)
        let number: JSONValue = ["n": ["value": "1", "type": "INT64"]]
        #expect(
            service.operations == [
                [
                    [
                        "operationType": "forceReplace",
                        "record": ["recordName": "a", "recordType": "Work", "fields": number],
                    ]
                ],
                [
                    [
                        "operationType": "forceReplace",
                        "record": [
                            "recordName": "b", "recordType": "Work", "fields": number, "parent": ["recordName": "c"],
                        ],
                    ]
                ],
            ])
    }

    @Test(arguments: [
        ("[]", "line 2: is no JSON object"), (#"{"name": 1}"#, "line 2: has no 'id'"), ("{", "line 2: "),
        ("id,name", "line 2: "),
        (#"{"id": "a", "artist": 1.5}"#, "line 2: 'artist' names no record"),
        (#"{"id": "a", "place": {}}"#, "line 2: 'place' is neither"),
        (#"{"id": "_a"}"#, "line 2: _a: BAD_REQUEST: record.recordName: recordName '_a' must not start"),
        (#"{"id": "a", "no field": 1}"#, "line 2: a: BAD_REQUEST: record.fields.no field: "),
        (
            #"{"recordName": "a", "fields": {"n": {"value": "x", "type": "INT64"}}}"#,
            "line 2: a: BAD_REQUEST: record.fields.n"
        ),
        (
            #"{"recordName": "a", "fields": {"f": {"value": {"content": "?"}, "type": "ASSETID"}}}"#,
            "line 2: a: the content of 'f' is no base64"
        ),
    ])
    func `a line that cannot be read is named, and the others are saved`(line: String, words: String) async throws {
        let service = Service()
        var refused: [String] = []
        let progress = try await run(
            [#"{"id": "before"}"#, line, #"{"id": "after"}"#], service, refused: { refused.append($0) })
        #expect(progress.saved == 2 && progress.failed == 1)
        #expect(refused.count == 1 && refused[0].hasPrefix(words), "\(refused)")
        #expect(refused == progress.failures)
        let names = service.operations.flatMap { $0 }.map { $0["record"]?["recordName"] }
        #expect(names == ["before", "after"])
    }

    @Test func `JSON lines may begin with a byte order mark`() async throws {
        let progress = try await run(["\u{FEFF}{\"id\": \"a\"}", "{\"id\": \"b\"}"])
        #expect(progress.saved == 2)
    }

    @Test func `columns have the types of records that are there`() async throws {
        let service = Service(knowing: [
            ["fields": ["year": ["value": "1", "type": "INT64"]]],
            ["fields": ["secret": ["value": "s", "type": "STRING", "isEncrypted": true]]],
        ])
        let progress = try await run(["recordName,year,secret", "a,1950,x", "b,about 1950,x"], service, key: "")
        #expect(progress.saved == 1 && progress.failures == ["line 3: 'year' is not an INT64: 'about 1950'"])
        #expect(
            service.operations == [
                [
                    [
                        "operationType": "forceUpdate",
                        "record": [
                            "recordName": "a", "recordType": "Work",
                            "fields": [
                                "year": ["value": "1950", "type": "INT64"],
                                "secret": ["value": "x", "type": "STRING", "isEncrypted": true],
                            ],
                        ],
                    ]
                ]
            ])
        let error = await #expect(throws: ImportError.self) {
            try await run(["recordName,colour", "a,red"], service, key: "")
        }
        #expect(error?.description.contains("no type of 'colour'") == true, "\(String(describing: error))")
    }
}
