import JSON
import Synchronization
import Telemetry
import Timing

/// The statistics of librdkafka as metrics: the clients of the process together, by their kind.
final class KafkaStatistics: Sendable {
    /// Those of the process.
    static let shared = KafkaStatistics()

    /// The numbers of one client.
    private struct Client {
        var kind: String
        var queued = 0.0
        var roundTrip = 0.0
        /// The numbers that only grow: bytes sent, bytes received, errors, time-outs.
        var totals: [Double]
        var reportedAt: ContinuousClock.Instant
    }

    private struct State {
        var clients: [String: Client] = [:]
        /// The same of all clients by kind, those that have ended included.
        var totals: [String: [Double]] = [:]
    }

    /// A client that was silent for so long has ended.
    private static let silenceMax = Duration.seconds(120)
    private static let kinds = ["producer", "consumer"]

    private let state = Mutex(State())

    private init() {
        Self.table("fanfare_kafka_sent_bytes_total", "Bytes that were sent to brokers.", 0)
        Self.table("fanfare_kafka_received_bytes_total", "Bytes that brokers sent.", 1)
        Self.table("fanfare_kafka_request_errors_total", "Requests to brokers, and answers of theirs, that failed.", 2)
        Self.table("fanfare_kafka_request_timeouts_total", "Requests that a broker did not answer in time.", 3)
        _ = GaugeTable("fanfare_kafka_queued_messages", "Messages in librdkafka's queues to brokers.") {
            Self.rows { kind in Self.shared.present(kind).reduce(0) { $0 + $1.queued } }
        }
        _ = GaugeTable(
            "fanfare_kafka_broker_round_trip_seconds",
            "The 99th percentile of requests to the slowest broker, as librdkafka counts it."
        ) {
            Self.rows { kind in Self.shared.present(kind).reduce(0) { max($0, $1.roundTrip) } }
        }
    }

    private static func table(_ name: StaticString, _ help: StaticString, _ place: Int) {
        _ = GaugeTable(name, help, kind: "counter") {
            rows { kind in shared.state.withLock { $0.totals[kind]?[place] ?? 0 } }
        }
    }

    private static func rows(_ value: (String) -> Double) -> [GaugeTable.Row] {
        kinds.map { GaugeTable.Row(labels: [("client", $0)], value: value($0)) }
    }

    private func present(_ kind: String) -> [Client] {
        let now = Time.now
        return state.withLock { state in
            state.clients = state.clients.filter { now - $0.value.reportedAt < Self.silenceMax }
            return state.clients.values.filter { $0.kind == kind }
        }
    }

    /// Takes what librdkafka wrote of a client. What it says of single topics is passed by: there are thousands.
    func take(_ text: UnsafeRawBufferPointer) {
        guard let json = Self.head(text), let name = json["name"]?.string, let kind = json["type"]?.string else {
            return
        }
        let brokers = json["brokers"]?.object.map { $0.map(\.value) } ?? []
        func sum(_ key: String) -> Double { brokers.reduce(0) { $0 + ($1[key]?.number ?? 0) } }
        let totals = [
            json["tx_bytes"]?.number ?? 0, json["rx_bytes"]?.number ?? 0, sum("txerrs") + sum("rxerrs"),
            sum("req_timeouts"),
        ]
        let slowest = brokers.compactMap { $0["rtt"]?["p99"]?.number }.max() ?? 0
        state.withLock { state in
            let before = state.clients[name]?.totals ?? [0, 0, 0, 0]
            let sums = state.totals[kind] ?? [0, 0, 0, 0]
            state.totals[kind] = totals.indices.map { sums[$0] + max(0, totals[$0] - before[$0]) }
            state.clients[name] = Client(
                kind: kind, queued: json["msg_cnt"]?.number ?? 0, roundTrip: slowest / 1_000_000, totals: totals,
                reportedAt: Time.now)
        }
    }

    /// The object without its part about topics, which is at its end.
    private static func head(_ text: UnsafeRawBufferPointer) -> JSONValue? {
        let mark = Array(", \"topics\":".utf8)
        var end: Int?
        var place = 0
        while end == nil, place + mark.count <= text.count {
            if text[place] == mark[0], (1..<mark.count).allSatisfy({ text[place + $0] == mark[$0] }) { end = place }
            place += 1
        }
        guard let end else { return try? JSONValue(parsing: Array(text)) }
        return try? JSONValue(parsing: Array(text[..<end]) + [UInt8(ascii: "}")])
    }
}
