public import CloudCalls
import CloudModel
public import Foundation

/// The notifications between an expired change token and the first one that can still be fetched. Values that the
/// service does not know are nil.
public struct FanfareGap: Hashable, Sendable {
    /// The time of the last fetched entry.
    public let from: Date?
    /// The time of the first entry that can still be fetched.
    public let until: Date?
    /// The number of lost entries of the feed, including entries that are not notifications.
    public let entries: Int64?

    init(_ gap: TokenGap) {
        from = gap.from.map { Date(timeIntervalSince1970: Double($0.milliseconds) / 1000) }
        until = gap.until.map { Date(timeIntervalSince1970: Double($0.milliseconds) / 1000) }
        entries = gap.entries
    }
}

extension FanfareError {
    /// The gap behind an expired change token; nil for other errors, and if the service does not know it.
    public var gap: FanfareGap? { tokenGap.map { FanfareGap($0) } }
}
