import Telemetry
import Testing

@testable import KafkaLog

@Suite("Statistics of librdkafka", .serialized) struct KafkaStatisticsTests {
    private func report(_ client: String, sent: Int, queued: Int, roundTrip: Int, rest: String = "") {
        let text = """
            { "name": "\(client)", "type": "producer", "msg_cnt":\(queued), "tx_bytes":\(sent), "rx_bytes":7, "brokers":{ "a": \
            { "txerrs":1, "rxerrs":0, "req_timeouts":2, "rtt": { "p99":\(roundTrip) } } }, "topics":{ \(rest)
            """
        Array(text.utf8).withUnsafeBytes { KafkaStatistics.shared.take($0) }
    }

    private func value(_ name: String) -> Double? {
        let start = "\(name){client=\"producer\"} "
        let line = MetricRegistry.shared.prometheusText().split(separator: "\n").first { $0.hasPrefix(start) }
        return line.flatMap { Double($0.dropFirst(start.count)) }
    }

    @Test("clients are summed, and what they say of topics is not even read")
    func sums() throws {
        report("one", sent: 10, queued: 3, roundTrip: 2_000, rest: "not JSON")
        let before = try #require(value("fanfare_kafka_sent_bytes_total"))
        report("one", sent: 15, queued: 4, roundTrip: 1_000)
        report("two", sent: 100, queued: 5, roundTrip: 3_000)
        #expect(value("fanfare_kafka_sent_bytes_total") == before + 105)
        #expect(value("fanfare_kafka_queued_messages") == 9)
        #expect(value("fanfare_kafka_broker_round_trip_seconds") == 0.003)
        // A client of the same name that began again adds what it counts, and takes nothing back.
        report("one", sent: 4, queued: 0, roundTrip: 1_000)
        #expect(value("fanfare_kafka_sent_bytes_total") == before + 105)
        #expect(value("fanfare_kafka_request_timeouts_total") != nil)
    }

    @Test("what cannot be read changes nothing")
    func unreadable() {
        for text in ["", "{", "[]", #"{"name": 1}"#] {
            Array(text.utf8).withUnsafeBytes { KafkaStatistics.shared.take($0) }
        }
    }
}
