/// Runs a driver for as long as its task is not cancelled: again after a failure, and after a pause that grows while the
/// failures go on.
/// - Parameters:
///   - failed: told of each failure and of the pause before the next try; whoever owns the driver logs and counts it.
///   - body: returns when there is nothing left to do.
package func persistently(
    failed: @Sendable (any Error, Duration) -> Void, _ body: @Sendable () async throws -> Void
) async {
    var pause = Duration.milliseconds(100)
    let clock = ContinuousClock()
    while !Task.isCancelled {
        let began = clock.now
        do {
            return try await body()
        } catch {
            if Task.isCancelled { return }
            // What ran well for a while has recovered: begin with short pauses again.
            if clock.now - began > .seconds(60) { pause = .milliseconds(100) }
            failed(error, pause)
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, .seconds(10))
        }
    }
}
