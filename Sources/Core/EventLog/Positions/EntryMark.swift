/// An entry that was read, by its offset and a hash of its contents. A log that was restored from an older copy, or lost
/// its tail, may grow past an offset again: it has another entry there then.
package struct EntryMark: Hashable, Sendable {
    /// The entry's place in the partition.
    package var offset: Int64
    /// A hash of the entry, as the reader that made the mark computes it.
    package var hash: UInt64

    package init(offset: Int64, hash: UInt64) {
        self.offset = offset
        self.hash = hash
    }
}
