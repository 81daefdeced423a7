import CloudModel

extension PushResponse {
    /// The longest pause that a provider is granted.
    private static let pauseMax = Duration.seconds(3600)

    /// The pause of the header `Retry-After` (RFC 9110): a number of seconds, or a date; nil without one that can be
    /// read.
    func retryAfter(now: Timestamp) -> Duration? {
        guard let text = headers.first(where: { $0.name == "retry-after" })?.value else { return nil }
        let words = text.split(separator: " ")
        if words.count == 1, words[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return Int64(words[0]).map { min(.seconds(min($0, 1 << 32)), Self.pauseMax) } ?? Self.pauseMax
        }
        guard let date = Self.date(words) else { return nil }
        return min(max(.milliseconds(date.milliseconds - now.milliseconds), .zero), Self.pauseMax)
    }

    /// The time of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func date(_ words: [Substring]) -> Timestamp? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: String(words[2])) else {
            return nil
        }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        return Timestamp(iso8601: "\(words[3])-\(number)-\(words[1])T\(words[4])Z")
    }
}
