/// One header of a message: a name and bytes.
package struct KafkaHeader: Hashable, Sendable {
    /// The name; several headers of one message may share it.
    package let name: String
    /// The bytes; a header without a value is read as an empty one.
    package let value: [UInt8]

    /// A header of `name` and `value`.
    package init(name: String, value: [UInt8]) {
        self.name = name
        self.value = value
    }
}

/// A message to be written.
package struct KafkaOutgoingMessage: Hashable, Sendable {
    /// The topic, which must exist.
    package var topic: String
    /// The partition, which the caller computes.
    package var partition: Int32
    /// The key, nil for none (which is not the same as an empty one).
    package var key: [UInt8]?
    /// The value, nil for a tombstone.
    package var value: [UInt8]?
    /// The headers, in order. Messages with headers or a time of their own cost about twice as much to enqueue.
    package var headers: [KafkaHeader]
    /// Milliseconds since 1970, or 0 for the time at which it is enqueued.
    package var timestampMilliseconds: Int64

    /// A message of these parts.
    package init(
        topic: String, partition: Int32, key: [UInt8]? = nil, value: [UInt8]?, headers: [KafkaHeader] = [],
        timestampMilliseconds: Int64 = 0
    ) {
        self.topic = topic
        self.partition = partition
        self.key = key
        self.value = value
        self.headers = headers
        self.timestampMilliseconds = timestampMilliseconds
    }

    /// At least the bytes that this message takes in a batch of its own, as a broker compares them with
    /// `max.message.bytes`: a batch header of 61 bytes, up to 36 of lengths and offsets, and up to 10 a header.
    var encodedBytesMax: Int {
        headers.reduce((key?.count ?? 0) + (value?.count ?? 0) + 100) { $0 + $1.name.utf8.count + $1.value.count + 10 }
    }
}

/// A message that was read, copied out of librdkafka's memory.
package struct KafkaMessage: Hashable, Sendable {
    /// The topic that it was read from.
    package let topic: String
    /// The partition of it.
    package let partition: Int32
    /// Its offset in the partition.
    package let offset: Int64
    /// Milliseconds since 1970 as the producer or the broker set them, -1 if unknown.
    package let timestampMilliseconds: Int64
    /// The key, nil if it has none.
    package let key: [UInt8]?
    /// The value, nil for a tombstone.
    package let value: [UInt8]?
    /// The headers, in order.
    package let headers: [KafkaHeader]
}
