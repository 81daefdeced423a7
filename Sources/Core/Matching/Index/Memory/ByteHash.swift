/// A hash of bytes and words for tables in memory. Nothing that is stored or sent depends on it.
enum ByteHash {
    /// The hash of some bytes: eight at a time, multiplied to 128 bits and folded.
    static func hash(_ bytes: UnsafeBufferPointer<UInt8>, seed: UInt64) -> UInt64 {
        var hash = seed ^ UInt64(bytes.count) &* 0x9E37_79B9_7F4A_7C15
        var offset = 0
        let raw = UnsafeRawBufferPointer(bytes)
        while offset + 8 <= bytes.count {
            hash = mixed(hash ^ raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        if offset < bytes.count {
            var rest: UInt64 = 0
            if bytes.count >= 8 {
                rest = raw.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
            } else {
                for index in offset..<bytes.count { rest = rest << 8 | UInt64(bytes[index]) }
            }
            hash = mixed(hash ^ rest)
        }
        return mixed(hash)
    }

    /// All bits of a word stirred into one another.
    @inline(__always) static func mixed(_ word: UInt64) -> UInt64 {
        let product = (word ^ 0xE703_7ED1_A0B4_28DB).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
        return product.high ^ product.low
    }
}
