import CloudMessages
import CloudModel
import EventLog
import RecordStore
import Telemetry

/// Removes feeds that nobody knows: a writer that was shut out may have made the topic of a removed device once more.
struct FeedSweep: Sendable {
    static let removed = Counter(
        "fanfare_record_service_swept_feeds_total", "Feeds of removed devices that were found and deleted.")

    let service: RecordService
    let log: any EventLog

    /// Looks once. What is registered, or known to delivery, stays; so does what was made after the look began. Nothing is
    /// removed while `delivery-state` has not been followed to its end as it was after the topics were listed.
    func run() async throws {
        let newest = try await service.store.read { try $0.lastSequence() }
        let layout = service.layout
        let feeds = try await log.topics(withPrefix: layout.feedPrefix).compactMap { topic in
            layout.feedIdentity(topic).map { (topic: topic, device: $0.device, epoch: $0.epoch) }
        }
        let states = (0..<layout.partitions).map { TopicPartition(layout.deliveryState, $0) }
        guard service.deliveries.hasRead(to: try await log.bounds(of: states)) else { return }
        var unknown: [TopicName] = []
        for feed in feeds where feed.epoch.rawValue <= newest.rawValue {
            let registered = try await service.store.read { try $0.device(feed.device) }
            let life = DeliveryProgress.DeviceLife(device: feed.device, epoch: feed.epoch)
            if registered?.device.epoch != feed.epoch, !service.deliveries.knows(life) { unknown.append(feed.topic) }
        }
        guard !unknown.isEmpty else { return }
        try await log.deleteTopics(unknown)
        Self.removed.increment(by: unknown.count)
        Log.info("feeds.swept", ["count": unknown.count])
    }
}
