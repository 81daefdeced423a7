import CloudModel
import Cryptography
import HTTPClient
import JSON
import RecordStore
import S3Assets
import TestSupport
import Testing
import TextForms

/// Files of records in a bucket: uploads, downloads and ranges over HTTP, and the codes of a bucket that fails.
@Suite struct BucketAssetTests {
    private let folder = TemporaryFolder()
    private static let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    /// Runs a test on a bench with assets in a bucket, and a clock on which the pauses of its requests take no time.
    private func run(
        patience: Duration = .seconds(60),
        _ body: @escaping @Sendable (WebBench, S3Twin, WebBench.SignedIn) async throws -> Void
    ) async throws {
        let twin = try await S3Twin.start()
        let bucket = try ManualTime(skipsPauses: true).boundNow { try twin.bucket(patience: patience) }
        let assets = try S3Assets(bucket, scope: "s", spool: folder.path("spool"))
        try await WebBench.run(assets: assets) { bench in
            try await body(bench, twin, try await bench.signIn("alice"))
        }
        await twin.stop()
    }

    /// The address of a file of a record.
    private func address(_ file: JSONValue, _ bench: WebBench, _ user: WebBench.SignedIn) async throws -> String {
        let saved = try await AssetEndpointTests.save(file, bench, user)
        return try #require(saved["fields"]?["file"]?["value"]?["downloadURL"]?.string)
    }

    @Test(arguments: [0, 1, 262_144, 700_000])
    func filesComeAndGo(count: Int) async throws {
        try await run { bench, twin, alice in
            let bytes = Array(Self.bytes.prefix(count))
            let file = try await AssetEndpointTests.upload(bytes, bench, alice)
            #expect(file["size"]?.integer == Int64(count))
            #expect(twin.names.count == 1)
            let url = try await address(file, bench, alice)
            let answer = try await bench.raw("GET", url)
            #expect(answer.status == 200 && answer.body == bytes)
            #expect(answer.headers["Content-Length"] == "\(count)")
            guard count > 10 else { return }
            let part = try await bench.raw("GET", url, headers: [("Range", "bytes=5-\(count - 3)")])
            #expect(part.status == 206 && part.body == Array(bytes[5..<(count - 2)]))
            let end = try await bench.raw("GET", url, headers: [("Range", "bytes=-4")])
            #expect(end.status == 206 && end.body == Array(bytes.suffix(4)))
        }
    }

    @Test(
        "an upload to a bucket that fails is answered by what a client does, and records do not wait",
        arguments: [
            (.answer(status: 503, code: "SlowDown"), .tryAgainLater, 503),
            (.answer(status: 507, code: "QuotaExceeded"), .quotaExceeded, 413),
            (.answer(status: 403, code: "AccessDenied"), .internalError, 500), (.loss, .internalError, 500),
        ] as [(S3Twin.Fault, CloudErrorCode, Int)])
    func uploads(fault: S3Twin.Fault, code: CloudErrorCode, status: Int) async throws {
        try await run { bench, twin, alice in
            twin.fail(fault, on: fault == .loss ? ["PUT"] : ["GET", "HEAD", "PUT", "DELETE"])
            let url = try await AssetEndpointTests.address(bench, alice)
            let answer = try await bench.raw("POST", url, bytes: Self.bytes)
            #expect(answer.status == status && answer.json["serverErrorCode"]?.string == code.rawValue)
            #expect(answer.json["reason"]?.string?.contains("s3:") == false, "the bucket's words are for the log")
            let saved = try await bench.send(
                "POST", bench.database("records/modify"),
                body: #"{"operations": [{"operationType": "create", "record": {"recordType": "T"}}]}"#, user: alice)
            #expect(saved.status == 200)
            twin.heal()
            let again = try await bench.raw("POST", url, bytes: Self.bytes)
            #expect(again.json["singleFile"]?["size"]?.integer == 700_000, "the address is good once more")
            let third = try await bench.raw("POST", url, bytes: Self.bytes)
            #expect(third.json["serverErrorCode"] == "BAD_REQUEST", "and once only")
        }
    }

    @Test(
        "a download from a bucket that fails is answered by what a client does",
        arguments: [
            (.answer(status: 503, code: "SlowDown"), .tryAgainLater, 503), (.silence, .tryAgainLater, 503),
            (.answer(status: 403, code: "AccessDenied"), .internalError, 500), (.otherObject, .internalError, 500),
        ] as [(S3Twin.Fault, CloudErrorCode, Int)])
    func downloads(fault: S3Twin.Fault, code: CloudErrorCode, status: Int) async throws {
        try await run(patience: fault == .silence ? .milliseconds(200) : .seconds(60)) { bench, twin, alice in
            let url = try await address(try await AssetEndpointTests.upload(Self.bytes, bench, alice), bench, alice)
            twin.fail(fault)
            let answer = try await bench.raw("GET", url)
            #expect(answer.status == status && answer.json["serverErrorCode"]?.string == code.rawValue)
            #expect((answer.json["retryAfter"] != nil) == (code == .tryAgainLater))
            twin.heal()
            #expect(try await bench.raw("GET", url).body == Self.bytes)
        }
    }

    @Test("a download of which the end is missing, or whose bytes are others, ends before its length")
    func cutDownloads() async throws {
        try await run { bench, twin, alice in
            let url = try await address(try await AssetEndpointTests.upload(Self.bytes, bench, alice), bench, alice)
            for fault in [.truncation, .otherBytes] as [S3Twin.Fault] {
                twin.fail(fault, on: ["GET"])
                await #expect(throws: HTTPClientError.self) { try await bench.raw("GET", url) }
            }
            twin.heal()
            twin.forget(try #require(twin.names.first))
            #expect(try await bench.raw("GET", url).json["serverErrorCode"] == "NOT_FOUND")
        }
    }
}
