import CloudModel
import HTTPClient
import JSON
import RecordStore
import TestSupport
import Testing

/// Failures of the store are answered by what a client does about them.
@Suite struct StoreFailureTests {
    @Test(
        arguments: [
            (.unavailable("secret"), .tryAgainLater, 503), (.full("secret"), .quotaExceeded, 413),
            (.refused("secret"), .internalError, 500), (.unreadable("secret"), .internalError, 500),
            (.failed("secret"), .internalError, 500),
        ] as [(StoreError, CloudErrorCode, Int)])
    func aFailureIsAnsweredByItsCase(error: StoreError, code: CloudErrorCode, status: Int) async throws {
        let folder = TemporaryFolder()
        let store = FailingStore(try TestStores.records(in: folder))
        try await WebBench.run(store: store) { bench in
            let alice = try await bench.signIn("alice")
            let body = #"{"operations": [{"operationType": "create", "record": {"recordType": "T"}}]}"#
            store.fail(with: error)
            let answer = try await bench.send("POST", bench.database("records/modify"), body: body, user: alice)
            store.fail(with: nil)
            #expect(answer.status == status)
            #expect(answer.json["serverErrorCode"]?.string == code.rawValue)
            #expect((answer.json["retryAfter"] != nil) == (code == .tryAgainLater))
            #expect(answer.json["reason"]?.string?.contains("secret") == false, "the store's words are for the log")
            let again = try await bench.send("POST", bench.database("records/modify"), body: body, user: alice)
            #expect(again.status == 200)
        }
    }

    /// Assets that are no files of this machine come and go through the port.
    @Test(arguments: [0, 1, 300_000, 5_000_000])
    func assetsThatAreNoLocalFilesAreUploadedAndDownloaded(count: Int) async throws {
        try await WebBench.run(assets: MemoryAssets()) { bench in
            let alice = try await bench.signIn("alice")
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
            let file = try await AssetEndpointTests.upload(bytes, bench, alice)
            #expect(file["size"]?.integer == Int64(count))
            let saved = try await AssetEndpointTests.save(file, bench, alice)
            let url = try #require(saved["fields"]?["file"]?["value"]?["downloadURL"]?.string)
            let answer = try await bench.raw("GET", url)
            #expect(answer.status == 200 && answer.body == bytes)
            #expect(answer.headers["Content-Length"] == "\(count)")
            #expect(answer.headers["Content-Type"] == "application/octet-stream")
        }
    }
}
