import Synchronization

/// What happened in a history, line by line: kept only when somebody will read it. It is part of the digest always.
enum Trace {
    private static let lines = Mutex<[String]?>(nil)

    static func begin() { lines.withLock { $0 = [] } }

    static func end() -> [String] {
        lines.withLock { lines in
            defer { lines = nil }
            return lines ?? []
        }
    }

    static func add(_ line: @autoclosure () -> String) {
        lines.withLock { lines in
            guard lines != nil else { return }
            lines!.append("\(Scheduler.shared.steps) \(line())")
        }
    }
}
