import CloudMessages
import CloudModel
import EventLog
import RecordStore
import Telemetry

/// Removes feeds of devices that are gone: a fenced writer may have made the topic of a removed device once more.
struct FeedSweep: Sendable {
    /// Feeds whose devices are read at once.
    private static let feedsMax = 1000
    static let removed = Counter(
        "fanfare_record_service_swept_feeds_total", "Feeds of removed devices that were found and deleted.")

    let store: any RecordStore
    let progress: DeliveryProgress
    let layout: TopicLayout
    let log: any EventLog

    /// Looks once. What is registered, or known to delivery, stays; so does what was made after the look began. Nothing is
    /// removed while `delivery-state` has not been followed to its end as it was after the topics were listed.
    func run() async throws {
        let newest = try await store.read { try $0.lastSequence() }
        let feeds = try await log.topics(withPrefix: layout.feedPrefix).compactMap { topic in
            layout.feedIdentity(topic).map { (topic: topic, device: $0.device, epoch: $0.epoch) }
        }
        let states = (0..<layout.partitions).map { TopicPartition(layout.deliveryState, $0) }
        guard progress.hasRead(to: try await log.bounds(of: states)) else { return }
        let older = feeds.filter { $0.epoch.rawValue <= newest.rawValue }
        var unknown: [TopicName] = []
        for feeds in older.parts(of: Self.feedsMax) {
            let devices = try await store.read { try $0.devices(feeds.map(\.device)) }
            for feed in feeds where devices[feed.device]?.device.epoch != feed.epoch {
                let life = DeliveryProgress.DeviceLife(device: feed.device, epoch: feed.epoch)
                if !progress.knows(life) { unknown.append(feed.topic) }
            }
        }
        guard !unknown.isEmpty else { return }
        let failures = try await log.deleteTopics(unknown)
        let count = unknown.count - failures.count
        Self.removed.increment(by: count)
        Log.info("feeds.swept", ["count": count])
        if let error = failures.values.first { throw error }
    }
}
