#if canImport(Glibc)
    import Glibc
#endif

extension UnsafePointer<UInt8> {
    /// Returns true if the memory here begins with some bytes.
    func begins(with bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let start = bytes.baseAddress else { return true }
        return memcmp(self, start, bytes.count) == 0
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns true if the first bytes are those of a prefix.
    func begins(with prefix: Self) -> Bool {
        count >= prefix.count && (prefix.isEmpty || baseAddress!.begins(with: prefix))
    }

    /// Returns true if the last bytes are those of a suffix.
    func ends(with suffix: Self) -> Bool {
        guard !suffix.isEmpty else { return true }
        return count >= suffix.count && (baseAddress! + (count - suffix.count)).begins(with: suffix)
    }

    /// Returns true if a part stands somewhere in these bytes: byte by byte for short parts; in time of the two lengths
    /// together for long ones, whatever they hold.
    func holds(_ part: Self) -> Bool {
        guard !part.isEmpty else { return true }
        guard count >= part.count else { return false }
        if part.count > 32 { return TextSearch.contains(self, part) }
        let first = part[0]
        for start in 0...count - part.count
        where self[start] == first && memcmp(baseAddress! + start, part.baseAddress!, part.count) == 0 { return true }
        return false
    }

    /// The order of the bytes: negative, 0 or positive.
    func ordered(to other: Self) -> Int32 {
        let common = Swift.min(count, other.count)
        let order = common == 0 ? 0 : memcmp(baseAddress!, other.baseAddress!, common)
        return order != 0 ? order : count < other.count ? -1 : count == other.count ? 0 : 1
    }
}

extension UnsafeBufferPointer<UInt32> {
    /// Returns true if a number is among these, which are ascending.
    func holdsSorted(_ number: UInt32) -> Bool {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == number
    }
}
