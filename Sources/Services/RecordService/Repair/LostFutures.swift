import CloudModel
import RecordStore

/// The sequences that a repair skipped, as an older copy of the store had given them to changes that are lost. Readers
/// of changes with such sequences have records that do not exist any more, or are newer than the store's.
enum LostFutures {
    /// The name under which the store keeps them: a line for each, with the last sequence before and the last left out.
    private static let reader = "lost-futures"

    /// Leaves out sequences, and remembers which.
    static func skip(through sequence: CommitSequence, _ transaction: any StoreTransaction) throws {
        let last = try transaction.settledSequence()
        guard sequence > last else { return }
        let known = try transaction.position(reader) ?? []
        try transaction.setPosition(known + Array("\(last) \(sequence)\n".utf8), of: reader)
        try transaction.skipSequences(through: sequence)
    }

    /// Checks that nothing which a reader has read is lost.
    /// - Throws: `CHANGE_TOKEN_EXPIRED`.
    static func check(_ position: SyncPosition, _ store: any StoreReader) throws {
        guard let known = try store.position(reader) else { return }
        for line in String(decoding: known, as: UTF8.self).split(separator: "\n") {
            let bounds = line.split(separator: " ").compactMap { Int64($0) }
            guard bounds.count == 2 else { continue }
            for read in [position.sequence, position.began, position.top]
            where bounds[0] < read.rawValue && read.rawValue <= bounds[1] {
                throw SyncTokens.expired("the service's store was restored from an older copy since")
            }
        }
    }
}
