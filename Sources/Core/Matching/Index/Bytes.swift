#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A hash of bytes for tables in memory: eight at a time, multiplied to 128 bits and folded.
func hashBytes(_ bytes: UnsafeBufferPointer<UInt8>, seed: UInt64) -> UInt64 {
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
@inline(__always) func mixed(_ word: UInt64) -> UInt64 {
    let product = (word ^ 0xE703_7ED1_A0B4_28DB).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    return product.high ^ product.low
}

func bytesEqual(_ left: UnsafePointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start = right.baseAddress else { return true }
    return memcmp(left, start, right.count) == 0
}

extension UnsafeBufferPointer<UInt8> {
    func begins(with prefix: Self) -> Bool {
        count >= prefix.count && prefix.isEmpty || count >= prefix.count && bytesEqual(baseAddress!, prefix)
    }

    func ends(with suffix: Self) -> Bool {
        guard !suffix.isEmpty else { return true }
        return count >= suffix.count && bytesEqual(baseAddress! + (count - suffix.count), suffix)
    }

    /// Byte by byte for short parts; in time of the two lengths together for long ones, whatever they hold.
    func holds(_ part: Self) -> Bool {
        guard !part.isEmpty else { return true }
        guard count >= part.count else { return false }
        if part.count > 32 { return TextSearch.contains(self, part) }
        let first = part[0]
        for start in 0...count - part.count
        where self[start] == first && memcmp(baseAddress! + start, part.baseAddress!, part.count) == 0 { return true }
        return false
    }

    /// The order of bytes: negative, 0 or positive.
    func ordered(to other: Self) -> Int32 {
        let common = Swift.min(count, other.count)
        let order = common == 0 ? 0 : memcmp(baseAddress!, other.baseAddress!, common)
        return order != 0 ? order : count < other.count ? -1 : count == other.count ? 0 : 1
    }
}
