/// Thrown when something did not happen in time.
package struct DeadlineExceeded: Error, CustomStringConvertible {
    package let description: String
}

/// Runs `body` and fails when it takes longer: a bound for tests that would otherwise wait for ever.
package func within<Result: Sendable>(
    _ limit: Duration = .seconds(90), _ what: String = "this", _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        guard let first = try await group.next(), let result = first else {
            throw DeadlineExceeded(description: "\(what) took longer than \(limit)")
        }
        return result
    }
}

/// Asks again and again, with short pauses, until there is an answer: for what is only eventually so.
package func answer<Answer: Sendable>(
    _ what: String, within limit: Duration = .seconds(90), _ body: @escaping @Sendable () async throws -> Answer?
) async throws -> Answer {
    try await TestSupport.within(limit, what) {
        while true {
            if let answer = try await body() { return answer }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

/// Asks again and again, with short pauses, until a condition holds.
package func eventually(
    _ what: String, within limit: Duration = .seconds(90), _ condition: @escaping @Sendable () async throws -> Bool
) async throws {
    try await answer(what, within: limit) { try await condition() ? () : nil }
}
