extension Timestamp {
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
}
