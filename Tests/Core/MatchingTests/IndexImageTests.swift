import CloudModel
import Synchronization
import TestSupport
import Testing

@testable import Matching

/// An index that was written and read equals the original, for any further operations.
@Suite struct IndexImageTests {
    /// Predicates by numbers.
    static func coding() -> PredicateCoding {
        final class Kept: Sendable { let predicates = Mutex<[Predicate]>([]) }
        let kept = Kept()
        return PredicateCoding(
            encode: { predicate in
                kept.predicates.withLock {
                    $0.append(predicate)
                    return withUnsafeBytes(of: $0.count - 1) { Array($0) }
                }
            },
            decode: { bytes in kept.predicates.withLock { $0[bytes.withUnsafeBytes { $0.load(as: Int.self) }] } })
    }

    @Test func theImageOfAnEmptyIndexIsEmpty() throws {
        let coding = Self.coding()
        var index = try SubscriptionIndex(SubscriptionIndex().image(coding), coding)
        var random = RandomSubscriptions(random: SeededGenerator(seed: 1))
        let (isVacant, found) = (index.isVacant, index.matches(of: random.change(1)))
        #expect(isVacant && found == [])
    }

    @Test("an image that is cut off anywhere is refused", arguments: 1...5)
    func cutOff(seed: UInt64) throws {
        var random = RandomSubscriptions(random: SeededGenerator(seed: seed))
        var index = SubscriptionIndex()
        for id in 0..<60 { index.insert(random.subscription(id), id: id) }
        let coding = Self.coding()
        let bytes = index.image(coding).pieces.flatMap { $0 }
        for end in 0..<min(bytes.count, 4000) {
            let cut = IndexImage(pieces: [Array(bytes[..<end])])
            #expect(throws: (any Error).self) { _ = try SubscriptionIndex(cut, coding).count }
        }
    }

    @Test func piecesMayBeOfAnySize() throws {
        var random = RandomSubscriptions(random: SeededGenerator(seed: 11))
        var index = SubscriptionIndex()
        for id in 0..<200 { index.insert(random.subscription(id), id: id) }
        let coding = Self.coding()
        let bytes = index.image(coding).pieces.flatMap { $0 }
        for size in [1, 3, 1000] {
            let pieces = stride(from: 0, to: bytes.count, by: size).map {
                Array(bytes[$0..<min($0 + size, bytes.count)])
            }
            let read = try SubscriptionIndex(IndexImage(pieces: pieces), coding)
            let (end, wasEnd) = (read.idsEnd, index.idsEnd)
            #expect(end == wasEnd)
        }
    }
}
