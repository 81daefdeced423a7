import CKafkaLoop
import KafkaClient
import Synchronization

/// One amount of work that both sides do: messages of 200 bytes to and from some topics of one partition.
struct Workload: Sendable {
    let configuration: KafkaConfiguration
    let topics: [String]
    let messages: Int
    let size = 200
    /// Messages of one call, which go to topics in runs: what a deliverer does, a hundred messages to a feed at a time.
    let batch = 10_000
    let run = 100

    /// Seconds that Swift takes to write all.
    func produce() async throws -> Double {
        let producer = try KafkaProducer(configuration)
        try await producer.prepare(topics: topics, patience: .seconds(60))
        let value = [UInt8](repeating: UInt8(ascii: "x"), count: size)
        let began = ContinuousClock.now
        // Eight calls are under way at once, as in C.
        try await withThrowingTaskGroup(of: Void.self) { group in
            var topic = 0
            for start in stride(from: 0, to: messages, by: batch) {
                if start >= 8 * batch { try await group.next() }
                var part: [KafkaOutgoingMessage] = []
                part.reserveCapacity(batch)
                while part.count < min(batch, messages - start) {
                    let name = topics[topic]
                    for _ in 0..<min(run, min(batch, messages - start) - part.count) {
                        part.append(KafkaOutgoingMessage(topic: name, partition: 0, value: value))
                    }
                    topic = (topic + 1) % topics.count
                }
                let ready = part
                group.addTask { _ = try await producer.send(ready) }
            }
            try await group.waitForAll()
        }
        let took = ContinuousClock.now - began
        await producer.close()
        return took.seconds
    }

    /// Seconds that C takes to write all.
    func produceInC() -> Double {
        withTopics { ckafka_produce(configuration.bootstrapServers, $0, topics.count, messages, size, batch, run) }
    }

    /// Seconds that Swift takes to read `count` messages, from the first on.
    func consume(_ count: Int) async throws -> Double {
        let tally = Tally(count: count)
        let reader = try KafkaPartitionReader(configuration) { event in
            switch event {
            case .messages(let batch): tally.add(batch)
            case .endOfPartition: break
            case .offsetOutOfRange, .unknownPartition, .error: fatalError("\(event)")
            }
        }
        let partitions = topics.map { KafkaTopicPartition(topic: $0, partition: 0) }
        reader.add(Dictionary(uniqueKeysWithValues: partitions.map { ($0, 0) }))
        let took = await tally.finished()
        await reader.close()
        return took
    }

    /// Seconds that C takes to read `count` messages, from the first on.
    func consumeInC(_ count: Int) -> Double {
        var bytes: UInt64 = 0
        let took = withTopics { ckafka_consume(configuration.bootstrapServers, $0, topics.count, count, &bytes) }
        precondition(bytes >= UInt64(count * size))
        return took
    }

    private func withTopics<Value>(_ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value) -> Value {
        let names = topics.map { name in
            let text = name.utf8CString
            let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: text.count)
            _ = copy.initialize(from: text)
            return copy
        }
        defer { for name in names { name.deallocate() } }
        return names.map { UnsafePointer($0.baseAddress) }.withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}

/// Counts the messages of a reader's handler, on the reader's thread, and reports when all have come.
private final class Tally: Sendable {
    private struct State {
        var read = 0
        var bytes = 0
        var began: ContinuousClock.Instant?
        var took: Double?
        var waiter: CheckedContinuation<Double, Never>?
    }

    private let count: Int
    private let state = Mutex(State())

    init(count: Int) {
        self.count = count
    }

    func add(_ batch: KafkaBatch) {
        let now = ContinuousClock.now
        var bytes = 0
        batch.forEach { message in
            let value = message.value!
            bytes += value.count + (value[0] == UInt8(ascii: "x") ? 0 : 1)
        }
        let waiter: CheckedContinuation<Double, Never>? = state.withLock { state in
            if state.began == nil { state.began = now }
            state.read += batch.count
            state.bytes += bytes
            guard state.read >= count, state.took == nil else { return nil }
            state.took = (ContinuousClock.now - state.began!).seconds
            return state.waiter
        }
        waiter?.resume(returning: state.withLock { $0.took! })
    }

    func finished() async -> Double {
        await withCheckedContinuation { continuation in
            let took = state.withLock { state in
                if state.took == nil { state.waiter = continuation }
                return state.took
            }
            if let took { continuation.resume(returning: took) }
        }
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
