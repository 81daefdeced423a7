import CloudModel
import Synchronization
import Telemetry

/// The numbers of the push senders of a process: by kind, outcome and reason, never by token, user or host.
enum PushSenderMetrics {
    /// The fate of a push.
    enum Outcome: String, CaseIterable {
        /// The provider has it.
        case sent
        /// It was sent more than once, as nobody knew whether the provider had it.
        case repeated
        /// Another one stands for it.
        case collapsed
        /// It was dropped.
        case dropped
        /// Its address was removed.
        case removed
        /// It is sent again.
        case failed
        /// It waits until the credential is accepted.
        case refused
    }

    private struct Key: Hashable {
        var kind: CourierKind
        var outcome: Outcome
        var reason: String
    }

    /// Statuses that are counted by themselves: servers choose theirs.
    private static let statuses: Set<Int> = [
        200, 201, 202, 204, 400, 401, 403, 404, 405, 410, 413, 429, 500, 502, 503, 504,
    ]

    /// Reasons are words of providers' closed sets: one that makes too many is not believed.
    private static let reasonsMax = 200
    private static let counts = Mutex<[Key: Int]>([:])
    private static let received = Mutex<[CourierKind: Answers]>([:])
    private static let numbers = Mutex<(last: Int, sources: [Int: @Sendable () -> [Row]])>((0, [:]))

    /// The answers of the providers of a kind.
    private struct Answers {
        var counts: [String: Int] = [:]
        var lastAccepted: Timestamp?
    }

    /// Pushes of a kind that a sender has.
    struct Row {
        var kind: CourierKind
        var waiting = 0
        var inFlight = 0
        var ageSeconds = 0.0
        var openLines = 0
        var stoppedCredentials = 0
    }

    private static let pushes = GaugeTable(
        "fanfare_push_sender_pushes_total", "Pushes by outcome.", kind: "counter"
    ) {
        counts.withLock { $0 }.map { key, count in
            GaugeTable.Row(
                labels: [("kind", key.kind.rawValue), ("outcome", key.outcome.rawValue), ("reason", key.reason)],
                value: Double(count))
        }
    }
    private static let waiting = GaugeTable("fanfare_push_sender_waiting_pushes", "Pushes that wait.") {
        sums { Double($0.waiting) }
    }
    private static let inFlight = GaugeTable(
        "fanfare_push_sender_in_flight_pushes", "Pushes that providers have not answered yet."
    ) { sums { Double($0.inFlight) } }
    private static let age = GaugeTable(
        "fanfare_push_sender_queue_age_seconds", "The time since the oldest change whose push waits or is in flight."
    ) { rows({ $0.ageSeconds }, max) }
    private static let openLines = GaugeTable(
        "fanfare_push_sender_open_circuits",
        "Lines, each a provider's host, that failed again and again and are probed."
    ) { sums { Double($0.openLines) } }
    private static let stopped = GaugeTable(
        "fanfare_push_sender_stopped_credentials", "Credentials that providers refuse; each is probed every minute."
    ) { sums { Double($0.stoppedCredentials) } }
    private static let answers = Dictionary(
        uniqueKeysWithValues: CourierKind.addressed.map { kind in
            (
                kind,
                Histogram(
                    "fanfare_push_sender_answer_seconds",
                    "The times from handing a push to a provider to its answer or failure.",
                    labels: ["kind": kind.rawValue])
            )
        })
    private static let statusCounts = GaugeTable(
        "fanfare_push_sender_answers_total", "Answers of providers by status; none where no answer came.",
        kind: "counter"
    ) {
        received.withLock { $0 }.flatMap { kind, answers in
            answers.counts.map { status, count in
                GaugeTable.Row(labels: [("kind", kind.rawValue), ("status", status)], value: Double(count))
            }
        }
    }
    private static let lastAccepted = GaugeTable(
        "fanfare_push_sender_last_accepted_timestamp_seconds",
        "The time at which a provider last took a push, in seconds since 1970; absent before the first."
    ) {
        received.withLock { $0 }.compactMap { kind, answers in
            answers.lastAccepted.map {
                GaugeTable.Row(labels: [("kind", kind.rawValue)], value: Double($0.milliseconds / 1000))
            }
        }
    }
    private static let connections = Dictionary(
        uniqueKeysWithValues: CourierKind.addressed.map { kind in
            (
                kind,
                Counter(
                    "fanfare_push_sender_connections_total",
                    "Connections to providers that were opened, or tried.", labels: ["kind": kind.rawValue])
            )
        })
    static let malformed = Counter(
        "fanfare_push_sender_malformed_entries_total",
        "Entries of pushes that could not be read and were passed by by senders.")
    static let lost = Counter(
        "fanfare_push_sender_lost_ranges_total",
        "Times that entries of pushes were gone before a sender had read them.")
    static let restarts = Counter(
        "fanfare_push_sender_restarts_total", "Times that sending, or that of one partition, failed and started again.")

    /// Registers the metrics.
    static func register() {
        _ = (pushes, waiting, inFlight, age, openLines, stopped, answers, connections, malformed, lost, restarts)
        _ = (statusCounts, lastAccepted)
    }

    /// Counts pushes.
    static func count(_ kind: CourierKind, _ outcome: Outcome, _ reason: String = "", by amount: Int = 1) {
        guard amount > 0 else { return }
        counts.withLock { counts in
            var key = Key(kind: kind, outcome: outcome, reason: reason)
            if counts[key] == nil, counts.count >= reasonsMax { key.reason = "other" }
            counts[key, default: 0] += amount
        }
    }

    /// Counts an answer of a provider, or that none came, and the time that it took.
    static func answered(_ kind: CourierKind, with outcome: PushOutcome, at time: Timestamp, after duration: Duration) {
        answers[kind]?.record(duration)
        received.withLock { received in
            received[kind, default: Answers()].counts[label(outcome.status), default: 0] += 1
            if outcome.isAccepted { received[kind]?.lastAccepted = time }
        }
    }

    /// The label of a status: itself, or its class.
    static func label(_ status: Int?) -> String {
        guard let status else { return "none" }
        if statuses.contains(status) { return "\(status)" }
        return (100..<600).contains(status) ? "\(status / 100)xx" : "other"
    }

    /// Counts a connection that is opened.
    static func connecting(_ kind: CourierKind) { connections[kind]?.increment() }

    /// The pushes of a kind with an outcome and a reason.
    static func count(of kind: CourierKind, _ outcome: Outcome, _ reason: String = "") -> Int {
        counts.withLock { $0[Key(kind: kind, outcome: outcome, reason: reason)] ?? 0 }
    }

    /// Shows a source of numbers until `hide`.
    /// - Returns: its name for `hide`. A process has senders of many partitions and containers.
    static func show(_ rows: @escaping @Sendable () -> [Row]) -> Int {
        numbers.withLock { numbers in
            numbers.last += 1
            numbers.sources[numbers.last] = rows
            return numbers.last
        }
    }

    /// Shows a source no more.
    static func hide(_ name: Int) { numbers.withLock { $0.sources[name] = nil } }

    private static func sums(_ value: (Row) -> Double) -> [GaugeTable.Row] { rows(value, +) }

    /// The numbers of all sources by kind.
    static func rows(
        _ value: (Row) -> Double, _ combine: (Double, Double) -> Double
    ) -> [GaugeTable.Row] {
        let sources = numbers.withLock { Array($0.sources.values) }
        var result: [CourierKind: Double] = [:]
        for row in sources.flatMap({ $0() }) {
            result[row.kind] = result[row.kind].map { combine($0, value(row)) } ?? value(row)
        }
        return result.map { GaugeTable.Row(labels: [("kind", $0.key.rawValue)], value: $0.value) }
    }
}
