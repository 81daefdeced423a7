import FanfareCloudKit
import Foundation

/// A device: it keeps a change token and all its notifications.
actor Device {
    /// The time without a notification after which it stops waiting: it matters only if one is missing, and a full
    /// machine pauses for seconds.
    private static let patience = Duration.seconds(30)

    nonisolated let container: CKContainer
    private nonisolated let actor: Timeline.Actor
    private let artists: [String: String]
    private let timeline: Timeline

    private(set) var token: CKServerChangeToken?
    private(set) var notes: [Note] = []
    /// From the commit of a change to the arrival of its notification, in ms, since `follow` began.
    private(set) var latencies: [Int] = []
    private var deadline = ContinuousClock.now

    init(_ actor: Timeline.Actor, _ container: CKContainer, _ artists: [String: String], _ timeline: Timeline) {
        (self.actor, self.container, self.artists, self.timeline) = (actor, container, artists, timeline)
    }

    /// Follows the feed until so many more notifications came, or none for a while.
    /// - Parameter showing: the number of printed ones, spread evenly.
    func follow(until count: Int, showing shownMax: Int) async throws {
        latencies = []
        guard count > 0 else { return }
        deadline = .now + Self.patience
        let following = Task {
            for try await notification in container.notifications(after: token) {
                take(notification, showing: shownMax, of: count)
                if latencies.count == count { return }
            }
        }
        let timer = Task {
            while !Task.isCancelled {
                try await Task.sleep(until: deadline, clock: .continuous)
                if deadline <= .now { return following.cancel() }
            }
        }
        defer { timer.cancel() }
        do { try await following.value } catch let error as CKError where error.code == .operationCancelled {}
    }

    /// Reads the whole feed after the token.
    /// - Returns: the number of pages.
    @discardableResult
    func catchUp(pageSize: Int) async throws -> Int {
        var pages = 0
        while true {
            let page = try await container.notificationPage(after: token, limit: pageSize)
            notes += page.notifications.compactMap { Note($0) }
            token = page.token
            pages += 1
            if !page.moreComing { return pages }
        }
    }

    /// Waits a second for more than the expected notifications.
    func listen() async throws {
        try await Task.sleep(for: .seconds(1))
        try await catchUp(pageSize: 200)
    }

    private func take(_ notification: CKNotification, showing shownMax: Int, of count: Int) {
        token = notification.serverChangeToken
        deadline = .now + Self.patience
        guard let note = Note(notification) else { return }
        let latency = Int(Date().timeIntervalSince(note.changed) * 1000)
        let shown = (latencies.count * shownMax + count - 1) / count
        if latencies.count == shown * count / shownMax, shown < shownMax {
            timeline.show(actor, note, artist: artists[note.artist] ?? note.artist, after: latency)
        }
        notes.append(note)
        latencies.append(latency)
    }
}

/// A notification of an artwork, or of one that was read.
struct Note: Equatable, Sendable {
    let id: CKNotification.ID
    /// True if it only reports that another one was read.
    let isRead: Bool
    let subscription: String
    let record: String
    let reason: CKQueryNotification.Reason
    let alert: String
    let title: String
    let year: Int
    /// The artist's record name.
    let artist: String
    let badge: Int?
    /// The time at which the change was committed.
    let changed: Date

    /// Nil for a notification of neither kind.
    init?(_ notification: CKNotification) {
        let query = notification as? CKQueryNotification
        isRead = notification.notificationType == .readNotification
        guard let id = notification.notificationID, let changed = notification.changeDate, isRead || query != nil else {
            return nil
        }
        let fields = query?.recordFields ?? [:]
        self.id = id
        self.changed = changed
        subscription = notification.subscriptionID ?? ""
        record = query?.recordID?.recordName ?? ""
        reason = query?.queryNotificationReason ?? .recordUpdated
        alert = notification.alertBody ?? ""
        title = fields["title"] as? String ?? ""
        year = fields["year"] as? Int ?? 0
        artist = (fields["artist"] as? CKRecord.Reference)?.recordID.recordName ?? ""
        badge = notification.badge?.intValue
    }

    var entry: Expectation.Entry { Expectation.Entry(subscription: subscription, record: record) }

    /// Compares everything but the badge, which each device counts for itself.
    static func == (left: Note, right: Note) -> Bool {
        (left.id, left.isRead, left.subscription, left.record, left.reason)
            == (right.id, right.isRead, right.subscription, right.record, right.reason)
            && (left.alert, left.title, left.year, left.artist, left.changed)
                == (right.alert, right.title, right.year, right.artist, right.changed)
    }
}
