import Cryptography
import Foundation
import RecordStore
import S3Assets
import TestSupport
import Testing
import TextForms

/// A bucket that fails.
@Suite(.hangGuard) struct S3FaultTests {
    private let folder = TemporaryFolder()
    private let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
    private var checksum: String { Base64.standard.encode(SHA256.hash(bytes)) }

    /// Runs a test on a bucket with one asset, with a clock on which pauses take no time.
    private func run(
        patience: Duration = .seconds(60), isKept: Bool = true,
        _ body: (S3Assets, S3Twin, ManualTime) async throws -> Void
    ) async throws {
        let twin = try await S3Twin.start()
        let time = ManualTime(skipsPauses: true)
        let bucket = try time.boundNow { try twin.bucket(patience: patience) }
        let assets = try S3Assets(bucket, scope: "iCloud.test.development", spool: folder.path("spool"))
        if isKept { try await keep(in: assets) }
        try await body(assets, twin, time)
        await twin.stop()
    }

    private func keep(in assets: S3Assets) async throws {
        let incoming = try await assets.makeIncoming()
        try await incoming.append(bytes)
        _ = try await incoming.finish()
        do { try await incoming.keep() } catch {
            await incoming.discard()
            throw error
        }
    }

    private func read(_ assets: S3Assets, _ offset: Int64 = 0, _ count: Int = 1000) async throws -> [UInt8]? {
        try await assets.read(checksum, from: offset, count: count)
    }

    /// The error of an attempt.
    private func failure(_ body: () async throws -> Void) async -> StoreError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? StoreError
        }
    }

    @Test(
        "a failure that passes is repeated, with pauses that grow",
        arguments: [
            .answer(status: 503, code: "SlowDown"), .answer(status: 500, code: "InternalError"),
            .answer(status: 502, code: ""), .answer(status: 429, code: "TooManyRequests"),
            .answer(status: 400, code: "RequestTimeout"), .truncation,
        ] as [S3Twin.Fault])
    func passing(fault: S3Twin.Fault) async throws {
        try await run { assets, twin, time in
            twin.fail(fault, times: 4)
            let repeated = try await read(assets)
            #expect(repeated == bytes)
            #expect(time.pauses.count == 4 && zip(time.pauses, time.pauses.dropFirst()).allSatisfy { $0 < $1 })
            twin.fail(fault)
            let before = twin.visits.count
            let failure = await failure { _ = try await read(assets) }
            guard case .unavailable(let text)? = failure else {
                return #expect(Bool(false), "\(String(describing: failure))")
            }
            #expect(text.hasPrefix("cannot read s3://\(S3Twin.bucket)/tests/iCloud.test.development/"))
            #expect(twin.visits.count == before + 5)
            twin.heal()
            #expect(try await read(assets) == bytes)
        }
    }

    @Test("uploads, sizes and removals are repeated, too")
    func allMethods() async throws {
        try await run(isKept: false) { assets, twin, _ in
            twin.fail(.answer(status: 503, code: "SlowDown"), times: 4)
            try await keep(in: assets)
            twin.fail(.answer(status: 503, code: "SlowDown"), times: 4)
            #expect(try await assets.size(of: checksum) == 1000)
            twin.fail(.answer(status: 503, code: "SlowDown"), times: 4)
            try await assets.remove(checksum)
            #expect(twin.names.isEmpty)
        }
    }

    @Test("a store that does not answer, and one that is away, are unavailable")
    func away() async throws {
        try await run(patience: .milliseconds(200)) { assets, twin, _ in
            twin.fail(.silence)
            for attempt in [
                { _ = try await read(assets) }, { _ = try await assets.size(of: checksum) },
                { try await assets.remove(checksum) }, { try await keep(in: assets) },
            ] as [() async throws -> Void] {
                guard case .unavailable? = await failure(attempt) else { return #expect(Bool(false)) }
            }
            await twin.stop()
            guard case .unavailable? = await failure({ _ = try await read(assets) }) else {
                return #expect(Bool(false))
            }
            #expect(try await assets.check() != nil, "a start warns")
            twin.heal()
            try await twin.restart()
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("spool")).isEmpty)
    }

    @Test(
        "a full store says so",
        arguments: [
            .answer(status: 507, code: "XMinioStorageFull"), .answer(status: 507, code: ""),
            .answer(status: 403, code: "QuotaExceeded"),
        ] as [S3Twin.Fault])
    func full(fault: S3Twin.Fault) async throws {
        try await run { assets, twin, time in
            twin.fail(fault, on: ["PUT"])
            guard case .full? = await failure({ try await keep(in: assets) }) else { return #expect(Bool(false)) }
            #expect(time.pauses.isEmpty, "it is not repeated")
            let kept = try await read(assets)
            #expect(kept == bytes, "reads go on")
            #expect(try await assets.check()?.contains("make room") == true)
        }
    }

    @Test(
        "an answer that an operator has to see to names cause and remedy",
        arguments: [
            (403, "AccessDenied", "s3:ListBucket"), (403, "InvalidAccessKeyId", "no such access key"),
            (403, "SignatureDoesNotMatch", "another secret"), (400, "ExpiredToken", "session token"),
            (403, "RequestTimeTooSkewed", "clock"), (404, "NoSuchBucket", "make the bucket"),
            (301, "PermanentRedirect", "assets-region"), (400, "AuthorizationHeaderMalformed", "assets-region"),
            (400, "SomethingElse", "SomethingElse"),
        ])
    func lasting(status: Int, code: String, words: String) async throws {
        try await run { assets, twin, time in
            twin.fail(.answer(status: status, code: code))
            for attempt in [
                { _ = try await read(assets) }, { _ = try await assets.size(of: checksum) },
                { try await assets.remove(checksum) }, { try await keep(in: assets) },
                { _ = try await assets.check() },
            ] as [() async throws -> Void] {
                let failure = await failure(attempt)
                guard case .failed(let text)? = failure else {
                    return #expect(Bool(false), "\(String(describing: failure))")
                }
                #expect(text.contains(code) && text.contains(words), "\(text)")
                #expect(!text.contains(S3Twin.key.secretKey))
            }
            #expect(time.pauses.isEmpty)
        }
    }

    @Test("a missing object is no failure")
    func missing() async throws {
        try await run { assets, twin, _ in
            twin.forget(try #require(twin.names.first))
            #expect(try await read(assets) == nil)
            #expect(try await assets.size(of: checksum) == nil)
            try await assets.remove(checksum)
        }
    }

    @Test("an object that a head denies and a read finds is not missing", arguments: [true, false])
    func deniedHead(isEmpty: Bool) async throws {
        try await run { assets, twin, _ in
            let incoming = try await assets.makeIncoming()
            if !isEmpty { try await incoming.append([1]) }
            let checksum = try await incoming.finish().checksum
            try await incoming.keep()
            twin.fail(.answer(status: 404, code: ""), on: ["HEAD"])
            guard case .unavailable? = await failure({ _ = try await assets.size(of: checksum) }) else {
                return #expect(Bool(false))
            }
        }
    }

    @Test(
        "other bytes than those asked for are never given",
        arguments: [.otherBytes, .otherObject, .noRange, .wideRange] as [S3Twin.Fault])
    func otherBytes(fault: S3Twin.Fault) async throws {
        try await run { assets, twin, _ in
            twin.fail(fault, on: ["GET"])
            let isLonger = fault == .noRange || fault == .wideRange
            // A range over all of it may be answered without one.
            let attempt = isLonger ? { _ = try await read(assets, 10, 20) } : { _ = try await read(assets) }
            let failure = await failure(attempt)
            guard case .unreadable(let text)? = failure else {
                return #expect(Bool(false), "\(String(describing: failure))")
            }
            #expect(text.contains(Hexadecimal.encode(SHA256.hash(bytes))))
            if fault == .noRange {
                let whole = try await read(assets)
                #expect(whole == bytes)
            }
        }
    }

    @Test("a range of a large object that is answered with all of it ends early")
    func largeObject() async throws {
        try await run { assets, twin, _ in
            twin.put([UInt8](repeating: 1, count: 5_000_000), as: try #require(twin.names.first))
            twin.fail(.noRange, on: ["GET"])
            guard case .unreadable(let text)? = await failure({ _ = try await read(assets, 10, 20) }) else {
                return #expect(Bool(false))
            }
            #expect(text.contains("other bytes") && text.contains(S3Twin.bucket), "\(text)")
        }
    }

    @Test("a part of another object is noticed by the header of its hash")
    func partOfAnotherObject() async throws {
        try await run { assets, twin, _ in
            twin.fail(.otherObject)
            guard case .unreadable? = await failure({ _ = try await read(assets, 10, 20) }) else {
                return #expect(Bool(false))
            }
            guard case .unreadable? = await failure({ _ = try await assets.size(of: checksum) }) else {
                return #expect(Bool(false))
            }
        }
    }

    @Test("an upload that the store took and lost is no kept asset")
    func loss() async throws {
        try await run(isKept: false) { assets, twin, _ in
            twin.fail(.loss, on: ["PUT"])
            guard case .failed? = await failure({ try await keep(in: assets) }) else { return #expect(Bool(false)) }
            let size = try await assets.size(of: checksum)
            #expect(size == nil)
        }
    }

    @Test("a check leaves nothing behind")
    func check() async throws {
        try await run { assets, twin, _ in
            let reason = try await assets.check()
            #expect(reason == nil && twin.names.count == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("spool")).isEmpty)
        }
    }

    @Test("a key that is replaced in its file is taken on when the former one is refused")
    func rotation() async throws {
        let twin = try await S3Twin.start()
        let file = folder.path("credentials")
        func write(_ key: S3Key) throws {
            let text = "[default]\naws_access_key_id = \(key.accessKey)\naws_secret_access_key=\(key.secretKey)\n"
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        }
        try write(S3Twin.key)
        let assets = try S3Assets(
            twin.bucket(credentials: S3Credentials(file: file)), scope: "s", spool: folder.path("spool"))
        try await keep(in: assets)
        let next = S3Key(accessKey: "AKIDNEXT", secretKey: "next/secret")
        try write(next)
        #expect(try await read(assets) == bytes, "the former key is good for as long as the store takes it")
        twin.accept([next])
        #expect(try await read(assets) == bytes)
        #expect(try await assets.size(of: checksum) == 1000, "a head says no cause, and is repeated with the key, too")
        twin.accept([S3Key(accessKey: "AKIDTHIRD", secretKey: "x")])
        guard case .failed? = await failure({ _ = try await read(assets) }) else { return #expect(Bool(false)) }
        await twin.stop()
    }

    @Test("a certificate of an unknown issuer is refused at once")
    func certificate() async throws {
        let twin = try await S3Twin.start(isSecure: true)
        let assets = try S3Assets(twin.bucket(), scope: "s", spool: folder.path("spool"))
        let failure = await failure { _ = try await assets.check() }
        guard case .failed(let text)? = failure else { return #expect(Bool(false), "\(String(describing: failure))") }
        #expect(text.contains("certificate"))
        #expect(twin.visits.isEmpty)
        await twin.stop()
    }
}
