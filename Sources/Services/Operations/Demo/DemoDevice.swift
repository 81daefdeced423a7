import CloudModel
import FanfareCloudKit
import Telemetry

#if canImport(Glibc)
    import Glibc
#endif

/// A device of the demonstration: it keeps a change token and all it was told.
actor DemoDevice {
    /// The time with nothing coming after which it stops waiting: only who misses something waits that long, and a full machine stands still
    /// for seconds.
    private static let patience = Duration.seconds(30)

    nonisolated let actor: DemoTimeline.Actor
    /// Requests in this device's name: what they change does not notify it.
    nonisolated let client: CloudService
    private nonisolated let id: DeviceID
    private let timeline: DemoTimeline
    private let artists: [String: String]

    private(set) var token: String?
    private(set) var notes: [DemoNote] = []
    private(set) var pages = 0
    /// From the commit of a change to its notification's arrival here, in microseconds, since it began to follow.
    private(set) var latencies = LogLinearHistogram()

    init(
        _ actor: DemoTimeline.Actor, of user: CloudService, run: String, artists: [String: String],
        _ timeline: DemoTimeline
    ) {
        self.actor = actor
        self.artists = artists
        self.timeline = timeline
        id = DeviceID(trusted: "\(actor.rawValue)-\(run)")
        var client = user
        client.clientID = id.rawValue
        self.client = client
    }

    func register() async throws {
        try await client.register(id, name: actor.rawValue, platform: "fanfare demo")
    }

    /// Returns true if it has a feed.
    func isInstalled() async throws -> Bool {
        do {
            _ = try await client.notifications(of: id, after: nil, limit: 1)
            return true
        } catch let error as FanfareError where error.code == .notFound {
            return false
        }
    }

    /// Follows the feed by long polls until so many more notifications came, or none for a while.
    /// - Parameter showing: how many of them are printed, spread evenly.
    func follow(until count: Int, showing shownMax: Int) async throws {
        latencies = LogLinearHistogram()
        var (received, shown) = (0, 0)
        var deadline = ContinuousClock.now + Self.patience
        while received < count, ContinuousClock.now < deadline {
            let page = try await page(limit: Limits.notificationsPageMax, waitSeconds: 2)
            let now = Self.milliseconds()
            for note in try take(page) {
                latencies.record((now - note.changed) * 1000)
                if shown < shownMax, received >= shown * count / shownMax {
                    timeline.show(actor, note, artist: artists[note.artist] ?? note.artist, after: now - note.changed)
                    shown += 1
                }
                received += 1
            }
            if !page.json.isEmpty { deadline = .now + Self.patience }
        }
    }

    /// Reads everything that there is after the token, in pages.
    func catchUp(pageSize: Int) async throws {
        while true {
            let page = try await page(limit: pageSize)
            try take(page)
            pages += 1
            if !page.moreComing { return }
        }
    }

    /// Waits a second for what should not come: anything more.
    func listen() async throws {
        try take(try await page(limit: Limits.notificationsPageMax, waitSeconds: 1))
    }

    /// Marks notifications as read.
    func markRead(_ ids: [String]) async throws {
        if let refused = try await client.markRead(ids, on: id).first { throw refused.value }
    }

    /// Sets the badge of all of the user's devices.
    func setBadge(_ value: Int64) async throws { try await client.setBadge(value, on: id) }

    func badge() async throws -> Int64 { try await again { try await client.badge(of: id) } }

    private func page(limit: Int, waitSeconds: Int = 0) async throws -> NotificationPage {
        try await again {
            try await client.notifications(of: id, after: token, limit: limit, waitSeconds: waitSeconds)
        }
    }

    /// Asks again while delivery is behind, as clients do.
    private func again<Answer>(_ ask: () async throws -> Answer) async throws -> Answer {
        let end = ContinuousClock.now + Self.patience
        while true {
            do {
                return try await ask()
            } catch let error as FanfareError where error.code == .tryAgainLater && ContinuousClock.now < end {
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    @discardableResult private func take(_ page: NotificationPage) throws -> [DemoNote] {
        let news = try page.json.map { DemoNote(try client.received($0)) }
        notes += news
        token = page.token
        return news
    }

    /// Now, on the clock that stamps changes.
    private static func milliseconds() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }
}
