import CloudModel

extension CloudService {
    /// The results of requests that take `operationsMax` items each, for any number of them.
    package func divided<Item: Sendable, Result>(
        _ items: [Item], _ send: ([Item]) async throws -> [Result]
    ) async throws -> [Result] {
        var results: [Result] = []
        for start in stride(from: 0, to: items.count, by: Limits.operationsMax) {
            results += try await send(Array(items[start..<min(start + Limits.operationsMax, items.count)]))
        }
        return results
    }
}
