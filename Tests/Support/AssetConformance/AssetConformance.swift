import CloudModel
import Cryptography
package import RecordStore
import Testing
import TextForms

/// The contract of the port of assets' bytes as checks, which each backend's tests run.
package enum AssetConformance {
    /// One check.
    package struct Check: Sendable, CustomTestStringConvertible {
        package let name: String
        private let body: @Sendable (any AssetStore) async throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (any AssetStore) async throws -> Void) {
            self.name = name
            self.body = body
        }

        package var testDescription: String { name }

        /// Runs the check on a store without assets.
        package func run(on store: any AssetStore) async throws {
            try await within(name) { try await body(store) }
        }
    }

    private static func checksum(_ bytes: [UInt8]) -> String { Base64.standard.encode(SHA256.hash(bytes)) }

    private static func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) } }

    private static func keep(_ parts: [[UInt8]], in store: any AssetStore) async throws -> AssetContents {
        let incoming = try await store.makeIncoming()
        for part in parts { try await incoming.append(part) }
        let contents = try await incoming.finish()
        try await incoming.keep()
        return contents
    }

    package static let checks: [Check] = [
        Check("a kept asset is found by its checksum, whole and in parts") { store in
            let bytes = pattern(300_000)
            let contents = try await keep([Array(bytes[..<100_000]), [], Array(bytes[100_000...])], in: store)
            #expect(contents == AssetContents(checksum: checksum(bytes), size: 300_000))
            #expect(try await store.size(of: contents.checksum) == 300_000)
            func read(_ offset: Int64, _ count: Int) async throws -> [UInt8]? {
                try await store.read(contents.checksum, from: offset, count: count)
            }
            #expect(try await read(0, 300_000) == bytes)
            #expect(try await read(0, 400_000) == bytes)
            #expect(try await read(99_990, 20) == Array(bytes[99_990..<100_010]))
            #expect(try await read(299_999, 2) == [bytes[299_999]])
            #expect(try await read(300_000, 1) == [])
        },
        Check("an asset without bytes is an asset") { store in
            let contents = try await keep([], in: store)
            #expect(contents == AssetContents(checksum: checksum([]), size: 0))
            #expect(try await store.size(of: contents.checksum) == 0)
            #expect(try await store.read(contents.checksum, from: 0, count: 1) == [])
        },
        Check("nothing is found before it is kept, nor after it was discarded") { store in
            let incoming = try await store.makeIncoming()
            try await incoming.append([1, 2, 3])
            let contents = try await incoming.finish()
            #expect(try await store.size(of: contents.checksum) == nil)
            #expect(try await store.read(contents.checksum, from: 0, count: 1) == nil)
            await incoming.discard()
            #expect(try await store.size(of: contents.checksum) == nil)
            let unfinished = try await store.makeIncoming()
            try await unfinished.append([4])
            await unfinished.discard()
        },
        Check("the same bytes may be kept again, and discarding is harmless after keeping") { store in
            let first = try await keep([[7, 8]], in: store)
            let incoming = try await store.makeIncoming()
            try await incoming.append([7, 8])
            #expect(try await incoming.finish() == first)
            try await incoming.keep()
            await incoming.discard()
            #expect(try await store.read(first.checksum, from: 0, count: 9) == [7, 8])
        },
        Check("uploads beside each other do not mix") { store in
            let found = try await withThrowingTaskGroup(of: String.self) { group in
                for number in UInt8(0)..<16 {
                    group.addTask {
                        try await keep((0..<8).map { [UInt8](repeating: number, count: 1000 + $0) }, in: store).checksum
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            let size = (0..<8).reduce(0) { $0 + 1000 + $1 }
            #expect(found == Set((UInt8(0)..<16).map { checksum([UInt8](repeating: $0, count: size)) }))
        },
        Check("a removed asset is gone, and may come again") { store in
            let contents = try await keep([[1]], in: store)
            let other = try await keep([[2]], in: store)
            try await store.remove(contents.checksum)
            try await store.remove(contents.checksum)
            #expect(try await store.size(of: contents.checksum) == nil)
            #expect(try await store.read(contents.checksum, from: 0, count: 1) == nil)
            #expect(try await store.size(of: other.checksum) == 1)
            #expect(try await keep([[1]], in: store) == contents)
            #expect(try await store.size(of: contents.checksum) == 1)
        },
        Check("another text than a checksum names nothing") { store in
            for text in ["", "x", "../../etc/passwd", Base64.standard.encode([1, 2, 3])] {
                #expect(try await store.size(of: text) == nil)
                #expect(try await store.read(text, from: 0, count: 1) == nil)
                try await store.remove(text)
            }
        },
    ]
}
