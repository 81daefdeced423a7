import CloudModel
public import Foundation

/// The time at which notifications reach a person. Feeds stay complete unless the policy of a subscription shapes them.
/// Not in CloudKit.
public struct CKDeliveryPolicy: Hashable, Sendable {
    /// The changes that one notification stands for (`CKNotification.changeCount`).
    public enum Grouping: Hashable, Sendable {
        /// Each change is notified by itself.
        case everyChange
        /// The last change of each record within a window of whole seconds, a day at most.
        case latestPerRecord(window: Duration)
        /// All changes within a window of whole seconds, a day at most; or so many of them, 2 to 1,000, if they come
        /// before its end.
        case digest(window: Duration, count: Int? = nil)
    }

    /// Hours of each day in which nothing is pushed, by the clock of the device.
    public struct QuietHours: Hashable, Sendable {
        /// The first minute, of `hour` and `minute`.
        public var start: DateComponents
        /// The first minute after them, which may be on the next day.
        public var end: DateComponents

        /// Hours from their first minute up to another one.
        public init(from start: DateComponents, to end: DateComponents) {
            self.start = start
            self.end = end
        }
    }

    /// The changes that one notification stands for.
    public var grouping: Grouping
    /// The hours in which nothing is pushed; nil for none.
    public var quietHours: QuietHours?
    /// The most pushes in an hour, 1 to 60; nil for any number. Further changes are in the count of the next one.
    public var hourlyMax: Int?
    /// True if the grouping acts on the feed, and so on pushes; false if it acts on pushes alone. For subscriptions.
    public var shapesFeed: Bool

    /// A policy from its parts; by default each change is notified at once.
    public init(
        _ grouping: Grouping = .everyChange, quietHours: QuietHours? = nil, hourlyMax: Int? = nil,
        shapesFeed: Bool = false
    ) {
        self.grouping = grouping
        self.quietHours = quietHours
        self.hourlyMax = hourlyMax
        self.shapesFeed = shapesFeed
    }
}

extension CKDeliveryPolicy {
    init(_ noun: DeliveryPolicy) {
        let grouping: Grouping =
            switch noun.grouping {
            case .everyChange: .everyChange
            case .latestPerRecord(let seconds): .latestPerRecord(window: .seconds(seconds))
            case .digest(let seconds, let count): .digest(window: .seconds(seconds), count: count)
            }
        func time(_ minute: Int) -> DateComponents { DateComponents(hour: minute / 60, minute: minute % 60) }
        self.init(
            grouping, quietHours: noun.quietHours.map { QuietHours(from: time($0.from), to: time($0.to)) },
            hourlyMax: noun.hourlyMax, shapesFeed: noun.shapesFeed)
    }

    var noun: DeliveryPolicy {
        let grouping: DeliveryPolicy.Grouping =
            switch grouping {
            case .everyChange: .everyChange
            case .latestPerRecord(let window): .latestPerRecord(windowSeconds: Self.seconds(window))
            case .digest(let window, let count): .digest(windowSeconds: Self.seconds(window), count: count)
            }
        return DeliveryPolicy(
            grouping,
            quietHours: quietHours.map { CloudModel.QuietHours(from: Self.minute($0.start), to: Self.minute($0.end)) },
            hourlyMax: hourlyMax, shapesFeed: shapesFeed)
    }

    /// Whole seconds, rounded up. Too many stay too many, and the service refuses them.
    private static func seconds(_ window: Duration) -> Int {
        let parts = window.components
        return Int(clamping: sum(parts.seconds, parts.attoseconds > 0 ? 1 : 0))
    }

    /// The minute of the day. The service refuses one that no day has.
    private static func minute(_ time: DateComponents) -> Int {
        let hour = Int64(max(-Self.hourMax, min(Self.hourMax, time.hour ?? 0)))
        return Int(clamping: sum(hour * 60, Int64(time.minute ?? 0)))
    }
    private static let hourMax = 1_000_000

    /// The sum, or the nearest number to it that there is.
    private static func sum(_ a: Int64, _ b: Int64) -> Int64 {
        let (sum, overflows) = a.addingReportingOverflow(b)
        return overflows ? (b > 0 ? .max : .min) : sum
    }
}

extension DeviceClock {
    /// A time zone's distance from UTC, and its changes within two years.
    init(_ zone: TimeZone, at now: Date) {
        let end = now.addingTimeInterval(2 * 365 * 86_400)
        self.init(offsets: [Offset(from: 0, minutes: zone.secondsFromGMT(for: now) / 60)])
        var date = now
        while offsets.count < Limits.clockOffsetsMax, let next = zone.nextDaylightSavingTimeTransition(after: date),
            next > date, next < end
        {
            offsets.append(
                Offset(
                    from: Int64((next.timeIntervalSince1970 * 1000).rounded()),
                    minutes: zone.secondsFromGMT(for: next) / 60))
            date = next
        }
    }
}
