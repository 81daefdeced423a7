import CloudModel

/// Numbers as the index files and compares them.
enum Number {
    /// The value of an integer or a time; nil for other values.
    static func integer(_ value: FieldValue) -> Int64? {
        switch value {
        case .int64(let number): number
        case .timestamp(let time): time.milliseconds
        default: nil
        }
    }

    /// Steps of 1/65,536, clamped far out: monotonic and wider than the arithmetic, so that the numbers of an interval
    /// lie between those of its ends, which may fall together and never pass each other.
    @inline(__always) static func ordinal(_ number: Int64) -> Int64 {
        number >= 1 << 46 ? 1 << 62 : number <= -(1 << 46) ? -(1 << 62) : number << 16
    }

    /// The same for doubles that are not NaN.
    static func ordinal(_ number: Double) -> Int64 {
        let scaled = number * 65536
        return scaled >= 0x1p62 ? 1 << 62 : scaled <= -0x1p62 ? -(1 << 62) : Int64(scaled.rounded(.down))
    }

    /// The first 24 bits of a double in the order of numbers: where thresholds are filed.
    static func boundary(_ number: Double) -> UInt32 {
        let bits = number.bitPattern
        return UInt32((bits >> 63 == 1 ? ~bits : bits | 1 << 63) >> 40)
    }

    /// The integer that a double stands for, if it does.
    static func whole(_ number: Double) -> Int64? {
        guard number >= -0x1p63, number < 0x1p63, number.rounded(.towardZero) == number else { return nil }
        return Int64(number)
    }
}
