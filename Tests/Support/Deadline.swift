package import Testing

/// The limit of every wait of a test: only a guard against hanging, far above what any step takes on a full machine.
package let hangGuard: Duration = .seconds(900)

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs.
    package static var hangGuard: Self { .timeLimit(.minutes(15)) }
}

/// Thrown when something did not happen in time.
package struct DeadlineExceeded: Error, CustomStringConvertible {
    package let description: String
}

/// Runs `body`, and fails if it hangs.
package func within<Result: Sendable>(
    _ what: String = "this", _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: hangGuard)
            return nil
        }
        defer { group.cancelAll() }
        guard let first = try await group.next(), let result = first else {
            throw DeadlineExceeded(description: "\(what) took longer than \(hangGuard)")
        }
        return result
    }
}

/// Repeats `body`, with short pauses, until it returns an answer: for eventual conditions.
package func answer<Answer: Sendable>(
    _ what: String, _ body: @escaping @Sendable () async throws -> Answer?
) async throws -> Answer {
    try await within(what) {
        while true {
            if let answer = try await body() { return answer }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

/// Asks again and again, with short pauses, until a condition holds.
package func eventually(
    _ what: String, _ condition: @escaping @Sendable () async throws -> Bool
) async throws {
    try await answer(what) { try await condition() ? () : nil }
}
