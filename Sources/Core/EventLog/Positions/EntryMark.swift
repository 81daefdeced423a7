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
        hash = Self.fnv1a(entry.key ?? [], after: 0xcbf2_9ce4_8422_2325)
        hash = (hash ^ 0x100) &* Self.prime
        hash = Self.fnv1a(entry.value ?? [], after: hash)
    }

    private static let prime: UInt64 = 0x100_0000_01b3

    private static func fnv1a(_ bytes: [UInt8], after start: UInt64) -> UInt64 {
        bytes.withUnsafeBytes { bytes in
            var hash = start
            var index = 0
            // No iterator: in debug builds each of its steps is a generic call.
            while index < bytes.count {
                hash = (hash ^ UInt64(bytes[index])) &* prime
                index += 1
            }
            return hash
        }
    }
}
