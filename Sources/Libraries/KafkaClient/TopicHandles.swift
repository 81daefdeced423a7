import CRDKafka

/// A topic's handle on its way from one thread to another.
///
/// `@unchecked Sendable` because librdkafka's topic handles may be used from any thread.
struct TopicHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// A handle of `topic`, which also makes librdkafka ask for the topic's leaders at once: without one, the first
    /// use of a topic waits for a timer of a second.
    init(_ topic: String, of client: Client) throws(KafkaError) {
        let pointer = client.withPointer { rd_kafka_topic_new($0, topic, nil) }
        guard let pointer else { throw KafkaError(rd_kafka_last_error(), "use the topic \(topic)") }
        self.pointer = pointer
    }

    func destroy() { rd_kafka_topic_destroy(pointer) }
}

/// The topic handles that a producer keeps, the least recently used ones dropped beyond a limit. It belongs to one
/// thread, and `destroyAll` has to be called before the client is destroyed.
struct TopicHandles {
    private struct Entry {
        var handle: TopicHandle
        var lastUse: UInt64
    }

    private let limit: Int
    private var entries: [String: Entry] = [:]
    private var uses: UInt64 = 0
    /// Runs of messages ask for one topic again and again.
    private var last: (topic: String, pointer: OpaquePointer)?

    init(limit: Int) {
        self.limit = max(limit, 1)
    }

    /// The number of handles that are kept.
    var count: Int { entries.count }

    /// The handle of `topic`, made now if there is none.
    mutating func handle(of topic: String, client: Client) throws(KafkaError) -> OpaquePointer {
        if let last, last.topic == topic { return last.pointer }
        uses += 1
        if let pointer = entries[topic]?.handle.pointer {
            entries[topic]!.lastUse = uses
            last = (topic, pointer)
            return pointer
        }
        let handle = try TopicHandle(topic, of: client)
        adopt(handle, topic: topic)
        last = (topic, handle.pointer)
        return handle.pointer
    }

    /// Takes a handle over that another thread made.
    mutating func adopt(_ handle: TopicHandle, topic: String) {
        uses += 1
        if let old = entries.updateValue(Entry(handle: handle, lastUse: uses), forKey: topic) {
            old.handle.destroy()
            last = nil
        }
        if entries.count > limit { evict() }
    }

    /// Drops the handle of `topic`. Messages under way hold on to their topic themselves.
    mutating func forget(_ topic: String) {
        last = nil
        entries.removeValue(forKey: topic)?.handle.destroy()
    }

    /// Drops all handles.
    mutating func destroyAll() {
        last = nil
        for entry in entries.values { entry.handle.destroy() }
        entries = [:]
    }

    /// Drops the quarter that was not used for longest, so that the search is paid seldom.
    private mutating func evict() {
        let oldest = entries.sorted { $0.value.lastUse < $1.value.lastUse }.prefix(entries.count - limit * 3 / 4)
        for (topic, _) in oldest where topic != last?.topic { forget(topic) }
    }
}
