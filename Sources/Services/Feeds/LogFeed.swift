package import CloudMessages
package import CloudModel
package import Cryptography
package import EventLog
import ProtocolBuffers

/// Finds a device's feed on the log itself: the operator's way, without the record-service.
package struct LogFeed: Sendable {
    private let log: any EventLog
    private let layout: TopicLayout
    private let keys: KeyRing

    /// Looks on a log.
    package init(log: any EventLog, layout: TopicLayout, keys: KeyRing) {
        self.log = log
        self.layout = layout
        self.keys = keys
    }

    /// The service of the log's feeds.
    package var service: FeedService {
        FeedService(
            FeedSources(log, layout: layout), keys: keys, reading: FeedReading(log), readsTopics: layout.hasFeedTopics)
    }

    /// The latest life of a device: the highest epoch that has a feed, and the user that its entries name.
    /// - Parameter inJournal: true for a caller that reads the journal where there is a topic, too.
    /// - Throws: `NOT_FOUND` when the device has no feed.
    package func identity(of device: DeviceID, inJournal: Bool = false) async throws -> FeedIdentity {
        if inJournal || !layout.hasFeedTopics { return try await sharedIdentity(of: device) }
        let prefix = "\(layout.feedPrefix)\(device)."
        let epochs = try await log.topics(withPrefix: prefix).compactMap { layout.feedIdentity($0) }
            .filter { $0.device == device }.map(\.epoch)
        guard let epoch = epochs.max() else {
            throw CloudError(.notFound, "the device '\(device)' has no feed in \(layout.scope)")
        }
        let entries = try await log.reader(of: TopicPartition(layout.feed(device, epoch)))
        guard let value = try await entries.first(from: entries.bounds.start)?.value else {
            throw CloudError(
                .notFound,
                "the feed of '\(device)' is empty: nothing was written to it yet, or retention removed everything")
        }
        let user = UserRecordName(trusted: try FeedEntry(decoding: value).user)
        return FeedIdentity(scope: layout.scope, user: user, device: device, epoch: epoch)
    }

    /// The latest life of a device whose user's journal it reads, as stage 2 knows it.
    private func sharedIdentity(of device: DeviceID) async throws -> FeedIdentity {
        var found: FeedIdentity?
        for number in 0..<layout.partitions {
            let states = try await log.lastValues(of: TopicPartition(layout.deliveryState, number))
            for (key, value) in states where key.first != UInt8(ascii: "#") {
                let epochs = try UserState(decoding: value).devices.filter { $0.device == device.rawValue }
                    .map { DeviceEpoch($0.epoch) }
                guard let epoch = epochs.max(), epoch >= found?.epoch ?? epoch else { continue }
                let user = UserRecordName(key: key)
                found = FeedIdentity(scope: layout.scope, user: user, device: device, epoch: epoch)
            }
        }
        guard let found else {
            throw CloudError(.notFound, "no device '\(device)' is registered in \(layout.scope)")
        }
        return found
    }
}
