import CloudModel
import Cryptography
import RecordStore
import TestSupport
import Testing
import TextForms

@testable import RecordService

/// Downloads from a store whose bytes are not to be believed.
@Suite struct VerifiedPartsTests {
    private let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    /// A store with an asset, and the asset as a record has it, perhaps with another checksum or size.
    private func stored(size: Int64 = 1000, of claimed: [UInt8]? = nil) async throws -> (MemoryAssets, Asset) {
        let store = MemoryAssets()
        let incoming = try await store.makeIncoming()
        try await incoming.append(bytes)
        let contents = try await incoming.finish()
        try await incoming.keep()
        if let claimed { store.put(bytes, as: Base64.standard.encode(SHA256.hash(claimed))) }
        let checksum = claimed.map { Base64.standard.encode(SHA256.hash($0)) } ?? contents.checksum
        return (store, Asset(fileChecksum: checksum, size: size))
    }

    private func read(_ parts: VerifiedParts, _ ranges: [(Int64, Int)]) async throws -> [UInt8] {
        var read: [UInt8] = []
        for (offset, count) in ranges { read += try #require(try await parts.read(from: offset, count: count)) }
        return read
    }

    @Test(
        "a whole download of the right bytes comes through, in parts of any size", arguments: [1, 7, 500, 1000, 5000])
    func good(part: Int) async throws {
        let (store, asset) = try await stored()
        let ranges = stride(from: 0, to: 1000, by: part).map { (Int64($0), part) }
        #expect(try await read(VerifiedParts(of: asset, in: store), ranges) == bytes)
    }

    @Test("the last part of other bytes is withheld", arguments: [7, 500, 1000])
    func bad(part: Int) async throws {
        let (store, asset) = try await stored(of: [UInt8](repeating: 0, count: 1000))
        let parts = VerifiedParts(of: asset, in: store)
        var ranges = stride(from: 0, to: 1000, by: part).map { (Int64($0), part) }
        let last = ranges.removeLast()
        _ = try await read(parts, ranges)
        await #expect {
            try await parts.read(from: last.0, count: last.1)
        } throws: { error in
            if case .unreadable? = error as? StoreError { true } else { false }
        }
    }

    @Test("a range from the middle is given as the store has it")
    func middle() async throws {
        let (store, asset) = try await stored()
        let parts = VerifiedParts(of: asset, in: store)
        #expect(try await read(parts, [(500, 100), (600, 400)]) == Array(bytes[500...]))
        #expect(try await read(VerifiedParts(of: asset, in: store), [(0, 10), (20, 980)]).count == 990)
    }

    @Test("bytes that are not as many as the record says are refused before the first one")
    func size() async throws {
        let (store, asset) = try await stored(size: 999)
        let storage = AssetStorage(store, keys: .generate())
        await #expect(throws: StoreError.self) { try await storage.download(of: asset) }
        let none = Asset(fileChecksum: Base64.standard.encode(SHA256.hash([1])), size: 1)
        let download = try await storage.download(of: none)
        #expect(download.map { _ in true } == nil)
    }
}
