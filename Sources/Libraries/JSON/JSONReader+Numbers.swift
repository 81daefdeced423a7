extension JSONReader {
    /// Reads a number: an integer, unless it has a fraction or an exponent.
    mutating func number() throws(JSONError) -> JSONValue {
        let first = position
        let negative = take(UInt8(ascii: "-"))
        var digits = Digits()
        if take(UInt8(ascii: "0")) {
            if isDigit(next) { throw error("a number begins with 0") }
        } else {
            try takeDigits(into: &digits)
        }
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            let integerDigits = digits.taken
            try takeDigits(into: &digits)
            digits.exponent -= digits.taken - integerDigits
        }
        if next | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            position += 1
            digits.exponent += try exponent()
        }
        if isInteger { return .integer(try integer(digits, negative: negative, at: first)) }
        return .double(try double(digits, negative: negative, at: first))
    }

    /// The digits of a number as one integer, with the power of ten that belongs to it.
    private struct Digits {
        /// Meaningless once `taken` is over 19, as it may have overflown.
        var mantissa: UInt64 = 0
        /// The number of digits taken, without zeros in front.
        var significant = 0
        var taken = 0
        var exponent = 0
    }

    private mutating func takeDigits(into digits: inout Digits) throws(JSONError) {
        guard isDigit(next) else { throw unexpected("a digit") }
        while isDigit(next) {
            digits.mantissa = digits.mantissa &* 10 &+ UInt64(next & 0x0f)
            digits.taken += 1
            if digits.mantissa != 0 || digits.significant > 0 { digits.significant += 1 }
            position += 1
        }
    }

    /// Reads the digits after the e, clamped to the range of `Int` and of every double.
    private mutating func exponent() throws(JSONError) -> Int {
        let negative = take(UInt8(ascii: "-"))
        if !negative { _ = take(UInt8(ascii: "+")) }
        guard isDigit(next) else { throw unexpected("a digit") }
        var value = 0
        while isDigit(next) {
            value = min(value * 10 + Int(next & 0x0f), 1 << 32)
            position += 1
        }
        return negative ? -value : value
    }

    private func integer(_ digits: Digits, negative: Bool, at first: Int) throws(JSONError) -> Int64 {
        let limit = UInt64(Int64.max) + (negative ? 1 : 0)
        // 19 digits fit in 64 bits, so that the mantissa is right where it is looked at.
        guard digits.significant <= 19, digits.mantissa <= limit else {
            throw error("an integer beyond 64 bits; with a fraction or an exponent it would be a double", at: first)
        }
        return Int64(truncatingIfNeeded: negative ? 0 &- digits.mantissa : digits.mantissa)
    }

    private func double(_ digits: Digits, negative: Bool, at first: Int) throws(JSONError) -> Double {
        // Both operands exact, so that the one operation rounds rightly (Clinger): most numbers that people write.
        if digits.significant <= 19, digits.mantissa <= 1 << 53, (-22...22).contains(digits.exponent) {
            let mantissa = Double(digits.mantissa)
            let power = Self.powersOfTen[abs(digits.exponent)]
            let value = digits.exponent < 0 ? mantissa / power : mantissa * power
            return negative ? -value : value
        }
        let value = Double(String(decoding: text[first..<position], as: UTF8.self))
        guard let value, value.isFinite else { throw error("a number beyond the range of doubles", at: first) }
        return value
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}
