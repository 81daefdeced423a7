import CloudModel

/// Holds back the pushes of a failing line: after some failures in a row it is open, and lets one probe through at a
/// time, after pauses that double. Pure.
struct Circuit: Sendable {
    private enum State {
        case closed
        case open(until: Timestamp)
        case probing
    }

    /// Failures in a row that open it.
    let threshold: Int
    /// The pauses before the first probe, and at most.
    let first: Duration
    let longest: Duration
    /// Failures in a row.
    private(set) var failures = 0
    private var pause: Duration
    private var state = State.closed

    /// The circuit of a line: 20 failures, pauses of 1 s to 30 s. A probe is one push, so that a provider that is back
    /// is found soon.
    static let ofLine = Circuit(threshold: 20, first: .seconds(1), longest: .seconds(30))
    /// The circuit of a credential: the first refusal, a probe every minute.
    static let ofCredential = Circuit(threshold: 1, first: .seconds(60), longest: .seconds(60))

    init(threshold: Int, first: Duration, longest: Duration) {
        self.threshold = threshold
        self.first = first
        self.longest = longest
        pause = first
    }

    /// True unless everything may pass.
    var isOpen: Bool { if case .closed = state { false } else { true } }

    /// True if nothing failed of late.
    var isNew: Bool { failures == 0 && !isOpen }

    /// The time of the next probe; nil while closed, or while one is under way.
    var next: Timestamp? { if case .open(let until) = state { until } else { nil } }

    /// Returns true if a push may pass at a time.
    func admits(at now: Timestamp) -> Bool {
        switch state {
        case .closed: true
        case .open(let until): now >= until
        case .probing: false
        }
    }

    /// Notes that a push passes: the probe, if the circuit is open.
    mutating func pass() { if isOpen { state = .probing } }

    /// Notes a success.
    mutating func succeed() { self = Circuit(threshold: threshold, first: first, longest: longest) }

    /// Notes a failure.
    /// - Parameters:
    ///   - wish: the pause that the provider asked for.
    ///   - jitter: 0 to 1, the part of the own pause.
    mutating func fail(at now: Timestamp, wish: Duration?, jitter: Double) {
        // A straggler from before it opened.
        if case .open(let until) = state, now < until { return }
        failures += 1
        guard isOpen || failures >= threshold else { return }
        open(at: now, for: wish ?? pause * jitter)
    }

    /// Opens it, after any number of failures.
    mutating func trip(at now: Timestamp) {
        if case .closed = state { open(at: now, for: pause) }
    }

    /// Notes that a push which passed was not sent.
    mutating func give(back now: Timestamp) { if case .probing = state { state = .open(until: now) } }

    private mutating func open(at now: Timestamp, for pause: Duration) {
        state = .open(until: Timestamp(milliseconds: now.milliseconds + pause.milliseconds))
        self.pause = min(self.pause * 2, longest)
    }
}
