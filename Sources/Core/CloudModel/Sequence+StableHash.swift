extension Sequence<UInt8> {
    /// FNV-1a of the bytes: the same in every process and version, so that it may be stored. Not for foreign bytes whose
    /// collisions would do harm.
    /// - Parameter salt: makes another hash of the same bytes.
    package func stableHash(salt: UInt64 = 0) -> UInt64 {
        let start = 0xcbf2_9ce4_8422_2325 ^ salt
        // Generic code of another module walks over bytes slowly: readers of feeds hash each entry.
        if let hash = withContiguousStorageIfAvailable({ Self.hash($0, from: start) }) { return hash }
        return reduce(start) { Self.next($0, $1) }
    }

    private static func hash(_ bytes: UnsafeBufferPointer<UInt8>, from start: UInt64) -> UInt64 {
        var hash = start
        for byte in bytes { hash = next(hash, byte) }
        return hash
    }

    private static func next(_ hash: UInt64, _ byte: UInt8) -> UInt64 { (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
}
