import CloudMessages
import CloudModel
import EventLog
import RecordStore
import Telemetry

/// Removes topics of removed devices: a fenced stage may have made the topic of one again.
///
/// Stage 3 may know a device that the commit of stage 2 does not show yet. So a topic is removed after two sweeps found
/// it unknown, if delivery has applied everything between them that was in `deliveries` at the first one.
struct FeedSweep: Sendable {
    /// Feeds whose devices are read at once.
    private static let feedsMax = 1000
    static let removed = Counter(
        "fanfare_record_service_swept_feeds_total", "Feeds of removed devices that were found and deleted.")

    let store: any RecordStore
    let progress: DeliveryProgress
    let layout: TopicLayout
    let log: any EventLog
    /// The feeds that an earlier look found unknown, each with the ends of `deliveries` as they were after that look.
    private var suspects: [TopicName: [TopicPartition: OffsetBounds]] = [:]

    init(store: any RecordStore, progress: DeliveryProgress, layout: TopicLayout, log: any EventLog) {
        self.store = store
        self.progress = progress
        self.layout = layout
        self.log = log
    }

    /// Sweeps once. Feeds that are registered, or known to delivery, stay; so do those created after the sweep started.
    /// Nothing is removed before `delivery-state` was followed to its end as of the listing of topics.
    mutating func run() async throws {
        guard let unknown = try await unknownFeeds() else { return }
        suspects = suspects.filter { unknown.contains($0.key) }
        let progress = progress
        let sure =
            Mistake.sweepWithoutTheStore.isMade
            ? unknown.sorted() : suspects.filter { progress.hasApplied(to: $0.value) }.map(\.key).sorted()
        let new = unknown.subtracting(suspects.keys)
        if !new.isEmpty {
            let deliveries = (0..<layout.partitions).map { TopicPartition(layout.deliveries, $0) }
            let ends = try await log.bounds(of: deliveries)
            for feed in new { suspects[feed] = ends }
        }
        guard !sure.isEmpty else { return }
        let failures = try await log.deleteTopics(sure)
        for feed in sure where failures[feed] == nil { suspects[feed] = nil }
        let count = sure.count - failures.count
        Self.removed.increment(by: count)
        Log.info("feeds.swept", ["count": count])
        if let error = failures.values.first { throw error }
    }

    /// The feeds that neither the store nor delivery knows; nil while what delivery knows is not read.
    private func unknownFeeds() async throws -> Set<TopicName>? {
        let newest = try await store.read { try $0.settledSequence() }
        let feeds = try await log.topics(withPrefix: layout.feedPrefix).compactMap { topic in
            layout.feedIdentity(topic).map { (topic: topic, device: $0.device, epoch: $0.epoch) }
        }
        let states = (0..<layout.partitions).map { TopicPartition(layout.deliveryState, $0) }
        guard progress.hasRead(to: try await log.bounds(of: states)) else { return nil }
        let older = feeds.filter { $0.epoch.rawValue <= newest.rawValue }
        var unknown: Set<TopicName> = []
        for feeds in older.parts(of: Self.feedsMax) {
            let devices = try await store.read { try $0.devices(feeds.map(\.device)) }
            for feed in feeds
            where devices[feed.device]?.device.epoch != feed.epoch || Mistake.sweepWithoutTheStore.isMade {
                let life = DeliveryProgress.DeviceLife(device: feed.device, epoch: feed.epoch)
                if !progress.knows(life) { unknown.insert(feed.topic) }
            }
        }
        return unknown
    }
}
