/// The topics that devices read (docs/delivery.md). Chosen once for a container; `fanfare feeds migrate` moves it.
package enum FeedLayout: String, CaseIterable, Sendable {
    /// A journal for each user and a feed for each device: each a topic of its own, which any Kafka tool can read.
    case topicPerDevice
    /// The journals of all users in the partitions of one topic, and no feeds: a device reads its user's journal. One
    /// write a notification for any number of devices.
    case sharded
}
