import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Decides at which reaching of which steps a process gets a signal.
final class KillOrder: Sendable {
    private let signal: Int32
    /// The number of times that a step will be reached before the signal, and once more.
    private let left: Mutex<[KillPoint: Int]>

    /// Reads `name[:n],…`; nil when it names no step, or a number below one.
    init?(_ text: String, signal: Int32) {
        var left: [KillPoint: Int] = [:]
        for item in text.split(separator: ",") {
            let parts = item.split(separator: ":", maxSplits: 1)
            guard let point = KillPoint(rawValue: String(parts[0])),
                let count = parts.count == 2 ? Int(parts[1]) : 1, count > 0
            else { return nil }
            left[point] = count
        }
        guard !left.isEmpty else { return nil }
        self.left = Mutex(left)
        self.signal = signal
    }

    /// The order in an environment variable; nil without one. An unknown name ends the process: a test would wait for
    /// it in vain.
    convenience init?(environment name: String, signal: Int32) {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        guard !text.isEmpty else { return nil }
        self.init(text, signal: signal)!
    }

    /// Counts a reaching; returns true at the one that is meant.
    func isMet(by point: KillPoint) -> Bool {
        left.withLock { left in
            guard let count = left[point] else { return false }
            left[point] = count > 1 ? count - 1 : nil
            return count == 1
        }
    }

    /// Says where, on standard error, and sends the signal to this process.
    func carryOut(at point: KillPoint) {
        let line = Array("{\"\(signal == SIGKILL ? "killed" : "stopped")\":\"\(point.rawValue)\"}\n".utf8)
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        kill(getpid(), signal)
    }
}
