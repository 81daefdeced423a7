import CRDKafka

/// The memory through which messages reach `rd_kafka_produce_batch`: an array of its message type, and the bytes that
/// the array points to. librdkafka copies the bytes once more, into memory of each message's own; pointers into Swift
/// arrays, which would save the first copy, are not valid outside of a closure an array.
struct MessageRun: ~Copyable {
    /// The number of messages that one call takes.
    static let capacity = 1_024
    private static let bytesMax = 256 * 1_024

    private let messages = UnsafeMutablePointer<rd_kafka_message_t>.allocate(capacity: MessageRun.capacity)
    private let bytes = UnsafeMutableRawPointer.allocate(byteCount: MessageRun.bytesMax, alignment: 16)
    private var used = 0
    private(set) var count = 0

    deinit {
        messages.deallocate()
        bytes.deallocate()
    }

    /// The outcome of handing the run over.
    enum Outcome {
        case taken(count: Int, valueBytes: Int)
        case refused(rd_kafka_resp_err_t)
    }

    mutating func removeAll() {
        used = 0
        count = 0
    }

    /// Returns true if `message` can be part of a run at all: the batch call knows no headers and no times.
    static func fits(_ message: KafkaOutgoingMessage) -> Bool {
        message.headers.isEmpty && message.timestampMilliseconds == 0
            && (message.key?.count ?? 0) + (message.value?.count ?? 0) <= bytesMax
    }

    /// Appends `message`, or returns false when there is no room.
    mutating func append(_ message: borrowing KafkaOutgoingMessage, tag: UInt) -> Bool {
        let needed = (message.key?.count ?? 0) + (message.value?.count ?? 0)
        guard count < Self.capacity, used + needed <= Self.bytesMax else { return false }
        var entry = rd_kafka_message_t()
        entry.partition = message.partition
        entry._private = UnsafeMutableRawPointer(bitPattern: tag)
        if let key = message.key { (entry.key, entry.key_len) = copy(key) }
        if let value = message.value { (entry.payload, entry.len) = copy(value) }
        (messages + count).initialize(to: entry)
        count += 1
        return true
    }

    /// Hands the run over: how many of its first messages librdkafka took. Fewer than all means that its queue is full.
    mutating func produce(to topic: OpaquePointer) -> Outcome {
        let flags = Int32(RD_KAFKA_MSG_F_COPY | RD_KAFKA_MSG_F_PARTITION)
        let taken = Int(rd_kafka_produce_batch(topic, 0, flags, messages, Int32(count)))
        if taken < count {
            for index in 0..<count where messages[index].err != RD_KAFKA_RESP_ERR_NO_ERROR {
                // One taken after one that was not would precede it in the log.
                let isQueueFull = messages[index].err == RD_KAFKA_RESP_ERR__QUEUE_FULL && index >= taken
                guard isQueueFull else { return .refused(messages[index].err) }
            }
        }
        return .taken(count: taken, valueBytes: (0..<taken).reduce(0) { $0 + messages[$1].len })
    }

    private mutating func copy(_ array: [UInt8]) -> (UnsafeMutableRawPointer, Int) {
        let target = bytes + used
        array.withUnsafeBytes { source in
            if let base = source.baseAddress { target.copyMemory(from: base, byteCount: source.count) }
        }
        used += array.count
        return (target, array.count)
    }
}
