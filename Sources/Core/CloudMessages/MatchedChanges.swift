package import EventLog

/// The changes of a partition up to which all hits are known, by their names: the offset for hits of earlier builds, the
/// sequence in the store for all others.
package struct MatchedChanges: Hashable, Sendable {
    private var offset: Int64?
    private var sequences: [SourceID: Int64] = [:]

    /// - Parameter offset: nil for hits that no earlier build named.
    package init(offset: Int64? = nil, sequences: [UInt64: Int64] = [:]) {
        self.offset = offset
        for (store, sequence) in sequences { self.sequences[.store(store)] = sequence }
    }

    /// Takes note that in another place hits are known up to a name only.
    package mutating func lower(to hits: SourcePosition) {
        if hits.source.origin.hasPrefix("hits.") {
            let store = SourceID.store(hits.source.incarnation)
            sequences[store] = min(sequences[store] ?? .max, hits.offset)
        } else {
            offset = min(offset ?? .max, hits.offset)
        }
    }

    /// Returns true if hits of a change may be unknown.
    /// - Parameters:
    ///   - name: that of the change.
    ///   - place: its offset.
    package func mayLack(_ name: SourcePosition, at place: Int64) -> Bool {
        if let offset, place >= offset { return true }
        guard let known = sequences[name.source] else { return false }
        return name.offset >= known
    }
}
