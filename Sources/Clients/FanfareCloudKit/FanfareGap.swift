package import CloudModel
public import Foundation

/// The notifications that an expired change token cannot bring any more. What the service does not know is nil.
public struct FanfareGap: Hashable, Sendable {
    /// The time of the last entry that had been fetched.
    public let from: Date?
    /// The time of the first entry that can still be fetched.
    public let until: Date?
    /// The number of entries of the feed that are gone, also of such as are no notifications.
    public let entries: Int64?

    package init(_ gap: TokenGap) {
        from = gap.from.map { Date(timeIntervalSince1970: Double($0.milliseconds) / 1000) }
        until = gap.until.map { Date(timeIntervalSince1970: Double($0.milliseconds) / 1000) }
        entries = gap.entries
    }
}
