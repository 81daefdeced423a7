import CloudModel
package import EventLog

/// The bytes of hits that the changes of one partition have made within a window of time: of each notified user, and of
/// each saving user. Pure, and part of the message version: the window is by the time that the log gave the
/// entries, so that every matcher which reads the window from its beginning counts the same.
///
/// `start(at:)` says where counting has to begin again.
package struct HitRates: Sendable {
    /// The place at which the counting in a window begins.
    package struct Start: Hashable, Sendable {
        /// The offset of the first change whose hits have to be counted.
        package var offset: Int64
        /// The window, by its number.
        package var window: Int64
    }

    /// Users of each kind that are counted in a window. One beyond them is not counted as notified, and as saving
    /// together with all others beyond them.
    private static let usersMax = 65_536

    private let isCounting: Bool
    private var window = Int64.min
    private var notified: [UserRecordName: Int] = [:]
    private var savers: [UserRecordName?: Int] = [:]
    /// The offset of the first change of the window whose hits were counted; nil while nobody was counted.
    private var from: Int64?

    /// Counts from a partition's position on, or from where the former owner began, whose window goes on: the time of
    /// that change may be before it.
    package init(from start: Start? = nil) {
        isCounting = true
        window = start?.window ?? .min
    }

    private init(isCounting: Bool) { self.isCounting = isCounting }

    /// Counts nothing and leaves nothing out: for hits that have a bound of another kind.
    package static let none = HitRates(isCounting: false)

    /// Windows by which the time may go back without beginning a new one: an hour.
    private static let windowsBackMax = Int64(3_600 / Limits.hitRateSeconds)

    /// Goes on to a change. A later window begins empty; a time shortly before it, as after a change of the broker,
    /// counts in the current one. After a leap of the broker's clock ahead the time goes back by more: that begins a
    /// window too, which would last for as long as the leap was otherwise.
    /// - Parameter time: of the change's entry in the log.
    package mutating func advance(to time: LogTimestamp) {
        let now = time.milliseconds / (Int64(Limits.hitRateSeconds) * 1000)
        guard isCounting, now > window || now < window - Self.windowsBackMax else { return }
        window = now
        guard from != nil else { return }
        notified = [:]
        savers = [:]
        from = nil
    }

    /// The place at which an owner that goes on at an offset has to begin to count: there, if nobody was counted.
    package func start(at offset: Int64) -> Start { Start(offset: from ?? offset, window: window) }

    /// The bytes that a user's hits of a change by a saver may still take in the window.
    func room(for user: UserRecordName, of saver: UserRecordName) -> Int {
        guard isCounting, from != nil else { return Limits.hitBytesOfUserMax }
        let isCounted = notified.count < Self.usersMax || notified[user] != nil
        let own = isCounted ? Limits.hitBytesOfUserMax - notified[user, default: 0] : Limits.hitBytesOfUserMax
        return max(0, min(own, Limits.hitBytesOfSaverMax - savers[place(of: saver), default: 0]))
    }

    /// Counts bytes of a user's hits of a change at an offset.
    mutating func count(_ bytes: Int, for user: UserRecordName, of saver: UserRecordName, at offset: Int64) {
        guard isCounting, bytes > 0 else { return }
        from = from ?? offset
        if notified.count < Self.usersMax || notified[user] != nil { notified[user, default: 0] += bytes }
        savers[place(of: saver), default: 0] += bytes
    }

    private func place(of saver: UserRecordName) -> UserRecordName? {
        savers.count < Self.usersMax || savers[saver] != nil ? saver : nil
    }
}
