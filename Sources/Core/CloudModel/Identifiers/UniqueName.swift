/// Makes names that nothing else has: 128 random bits in the form of a UUID, version 4.
package enum UniqueName {
    /// A name in the form of a UUID.
    package static func make() -> String {
        var high = UInt64.random(in: 0 ... .max)
        var low = UInt64.random(in: 0 ... .max)
        high = (high & ~0xf000) | 0x4000
        low = (low & ~(3 << 62)) | (2 << 62)
        let digits = hex(high) + hex(low)
        var groups: [Substring] = []
        var rest = digits[...]
        for length in [8, 4, 4, 4, 12] {
            groups.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return groups.joined(separator: "-")
    }

    /// A user's record name: `_` and 32 hexadecimal digits.
    package static func makeUser() -> String {
        "_" + hex(UInt64.random(in: 0 ... .max)) + hex(UInt64.random(in: 0 ... .max))
    }

    private static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
