/// The callers and the connections of a pool: a value that decides, and does nothing.
///
/// A caller waits while a connection is there or one is tried. Where none is there and the last attempt failed, callers
/// get its error at once: the pool would only delay it.
struct PoolLine<Work> {
    /// The answer to a caller.
    enum Admission {
        /// An idle connection takes the work.
        case assigned(worker: Int)
        case waiting
        case refused(any Error)
    }

    /// The states of a worker.
    private enum Worker {
        case pausing, connecting, idle, working
    }

    private let waitersMaximum: Int
    private var workers: [Worker]
    /// The idle workers; the one that worked last is the last.
    private var idle: [Int] = []
    private var waiting: [Work] = []
    private var failure: (any Error)?
    private(set) var isClosed = false

    init(workers count: Int, waitersMaximum: Int) {
        self.waitersMaximum = waitersMaximum
        workers = Array(repeating: .connecting, count: count)
    }

    /// The connections that are open.
    var openCount: Int { workers.count { $0 == .idle || $0 == .working } }
    /// The callers without a connection.
    var waitingCount: Int { waiting.count }
    /// The error of the last attempt, while no connection is open.
    var outage: (any Error)? { openCount == 0 ? failure : nil }

    /// Admits the work of a caller, before all others if it was taken already.
    mutating func submit(_ work: Work, isFirst: Bool = false) -> Admission {
        if isClosed { return .refused(Self.closed) }
        if let worker = idle.popLast() {
            workers[worker] = .working
            return .assigned(worker: worker)
        }
        if let outage, !workers.contains(.connecting) { return .refused(outage) }
        guard isFirst || waiting.count < waitersMaximum else {
            return .refused(PostgreSQLError(.busy, "\(waiting.count) others wait", attempt: "wait for a connection"))
        }
        waiting.insert(work, at: isFirst ? 0 : waiting.count)
        return .waiting
    }

    /// Removes work that no connection has taken; nil if one has.
    mutating func withdraw(where isIt: (Work) -> Bool) -> Work? {
        waiting.firstIndex(where: isIt).map { waiting.remove(at: $0) }
    }

    /// The next work of a connection that has none; nil if it is idle from now on, or the pool is closed.
    mutating func next(_ worker: Int) -> Work? {
        guard !isClosed, !waiting.isEmpty else {
            workers[worker] = .idle
            if !isClosed { idle.append(worker) }
            return nil
        }
        workers[worker] = .working
        return waiting.removeFirst()
    }

    /// Notes that a worker makes its connection again.
    mutating func connecting(_ worker: Int) { workers[worker] = .connecting }

    /// Notes a connection.
    mutating func connected() { failure = nil }

    /// Notes that a connection could not be made.
    /// - Returns: the work to refuse with this error, as no connection is open or tried.
    mutating func failed(_ worker: Int, _ error: any Error) -> [Work] {
        workers[worker] = .pausing
        failure = error
        guard openCount == 0, !workers.contains(.connecting) else { return [] }
        defer { waiting = [] }
        return waiting
    }

    /// Closes the pool.
    /// - Returns: the work to refuse, and the idle workers to wake.
    mutating func close() -> (refused: [Work], idle: [Int]) {
        isClosed = true
        defer { (waiting, idle) = ([], []) }
        return (waiting, idle)
    }

    static var closed: PostgreSQLError { PostgreSQLError(.closed, "the pool is closed", attempt: "run") }
}
