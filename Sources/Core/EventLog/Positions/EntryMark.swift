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

    /// The mark of an entry in a reader's position: the FNV-1a hash of key and value.
    package init(_ entry: LogEntry) {
        offset = entry.offset
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in entry.key ?? [] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        hash = (hash ^ 0x100) &* 0x100_0000_01b3
        for byte in entry.value ?? [] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        self.hash = hash
    }
}
