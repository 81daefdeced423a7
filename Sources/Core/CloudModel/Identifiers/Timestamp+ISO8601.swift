/// Dates in the form of ISO 8601, in UTC; days are counted as in Howard Hinnant's `civil_from_days` and
/// `days_from_civil`.
extension Timestamp {
    /// The time of a date such as `2026-01-31T12:00:00Z`, with or without a fraction of a second.
    /// - Returns: nil when the text has another form, or is no date.
    package init?(iso8601 text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"), bytes[10] == UInt8(ascii: "T"),
            bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":"), let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[5..<7]),
            let day = Self.number(bytes[8..<10]), let hour = Self.number(bytes[11..<13]),
            let minute = Self.number(bytes[14..<16]),
            let second = Self.number(bytes[17..<19])
        else { return nil }
        let fraction = bytes[19..<(bytes.count - 1)]
        guard fraction.isEmpty || (fraction.first == UInt8(ascii: ".") && Self.number(fraction.dropFirst()) != nil),
            (1...12).contains(month), (1...Self.daysIn(month, year)).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        let seconds = Self.daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
        let thousandths = (Array(fraction.dropFirst().prefix(3)) + [0x30, 0x30, 0x30]).prefix(3)
        self.init(milliseconds: seconds * 1000 + (Self.number(thousandths) ?? 0))
    }

    /// The time in UTC, as `2026-11-21T18:03:22.123Z`.
    package var iso8601: String {
        let (days, rest) = Self.quotientAndRemainder(milliseconds, by: 86_400_000)
        let (year, month, day) = Self.date(days)
        let seconds = rest / 1000
        return
            "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))T\(Self.digits(seconds / 3600, 2)):"
            + "\(Self.digits(seconds / 60 % 60, 2)):\(Self.digits(seconds % 60, 2)).\(Self.digits(rest % 1000, 3))Z"
    }

    /// The civil date of a day since 1970, by eras of 400 years that begin in March, so that leap days come last.
    private static func date(_ daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, day) = quotientAndRemainder(daysSince1970 + 719_468, by: 146_097)
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        return (
            era * 400 + year + (month < 10 ? 0 : 1), month < 10 ? month + 3 : month - 9,
            dayOfYear - (153 * month + 2) / 5 + 1
        )
    }

    private static func quotientAndRemainder(_ number: Int64, by divisor: Int64) -> (Int64, Int64) {
        let remainder = number % divisor
        return remainder < 0 ? (number / divisor - 1, remainder + divisor) : (number / divisor, remainder)
    }

    private static func digits(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    private static func number(_ digits: some Collection<UInt8>) -> Int64? {
        guard (1...9).contains(digits.count) else { return nil }
        var number: Int64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            number = number * 10 + Int64(digit - 0x30)
        }
        return number
    }

    private static func daysIn(_ month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Howard Hinnant's days_from_civil, for years after 0.
    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let yearOfEra = year % 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return year / 400 * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
