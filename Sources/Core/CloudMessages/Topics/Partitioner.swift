/// Finds the partition of a key: murmur2 of its bytes, as Java's Kafka clients compute it, on every log alike.
package enum Partitioner {
    /// The partition of a key among `count`.
    package static func partition(of key: [UInt8], among count: Int32) -> Int32 {
        Int32(bitPattern: murmur2(key) & 0x7fff_ffff) % count
    }

    /// MurmurHash2, 32 bits, with the seed that Java's clients use.
    static func murmur2(_ bytes: [UInt8]) -> UInt32 {
        let multiplier: UInt32 = 0x5bd1_e995
        var hash: UInt32 = 0x9747_b28c ^ UInt32(truncatingIfNeeded: bytes.count)
        var index = 0
        while index + 4 <= bytes.count {
            var word =
                UInt32(bytes[index]) | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2]) << 16
                | UInt32(bytes[index + 3]) << 24
            word = word &* multiplier
            word ^= word >> 24
            hash = (hash &* multiplier) ^ (word &* multiplier)
            index += 4
        }
        let rest = bytes.count - index
        if rest >= 3 { hash ^= UInt32(bytes[index + 2]) << 16 }
        if rest >= 2 { hash ^= UInt32(bytes[index + 1]) << 8 }
        if rest >= 1 { hash = (hash ^ UInt32(bytes[index])) &* multiplier }
        hash ^= hash >> 13
        hash = hash &* multiplier
        return hash ^ (hash >> 15)
    }
}
