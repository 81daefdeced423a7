extension Sequence<UInt8> {
    /// FNV-1a of the bytes: the same in every process and version, so that it may be stored. Not for foreign bytes whose
    /// collisions would do harm.
    /// - Parameter salt: makes another hash of the same bytes.
    package func stableHash(salt: UInt64 = 0) -> UInt64 {
        reduce(0xcbf2_9ce4_8422_2325 ^ salt) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
