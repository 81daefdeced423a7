package import CloudModel

/// Dates as in `2026-01-31T12:00:00Z`.
package enum ISO8601 {
    /// The time of a date in UTC, with or without a fraction of a second; nil when it is written otherwise or is none.
    package static func timestamp(_ text: String) -> Timestamp? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"), bytes[10] == UInt8(ascii: "T"),
            bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":"), let year = number(bytes[0..<4]), let month = number(bytes[5..<7]),
            let day = number(bytes[8..<10]), let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]),
            let second = number(bytes[17..<19])
        else { return nil }
        let fraction = bytes[19..<(bytes.count - 1)]
        guard fraction.isEmpty || (fraction.first == UInt8(ascii: ".") && number(fraction.dropFirst()) != nil),
            (1...12).contains(month), (1...daysIn(month, year)).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        let seconds = daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
        let thousandths = (Array(fraction.dropFirst().prefix(3)) + [0x30, 0x30, 0x30]).prefix(3)
        return Timestamp(milliseconds: seconds * 1000 + (number(thousandths) ?? 0))
    }

    /// The date of a time, to the second.
    package static func text(_ time: Timestamp) -> String {
        let days = Int64((Double(time.milliseconds) / 86_400_000).rounded(.down))
        let rest = time.milliseconds / 1000 - days * 86_400
        // Howard Hinnant's civil_from_days.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let civilMonth = month < 10 ? month + 3 : month - 9
        let year = yearOfEra + era * 400 + (civilMonth <= 2 ? 1 : 0)
        func padded(_ number: Int64, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(civilMonth, 2))-\(padded(day, 2))T"
            + "\(padded(rest / 3600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))Z"
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
