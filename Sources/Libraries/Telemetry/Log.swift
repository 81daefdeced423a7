import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Structured logs: one line of JSON on standard error, written by a single `write(2)` without a lock, so that lines of
/// many threads never mix.
package enum Log {
    private static let threshold = Atomic<Int>(LogLevel.info.rawValue)

    /// Lines below this level cost nothing but the comparison: their fields are not even evaluated.
    package static var level: LogLevel {
        get { LogLevel(rawValue: threshold.load(ordering: .relaxed)) ?? .info }
        set { threshold.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// Details for debugging the service.
    package static func debug(
        _ message: StaticString, _ fields: @autoclosure () -> KeyValuePairs<StaticString, any LogValue> = [:]
    ) { write(.debug, message, fields) }

    /// Something that operators want to see in good times.
    package static func info(
        _ message: StaticString, _ fields: @autoclosure () -> KeyValuePairs<StaticString, any LogValue> = [:]
    ) { write(.info, message, fields) }

    /// Something is wrong and the service helped itself.
    package static func warning(
        _ message: StaticString, _ fields: @autoclosure () -> KeyValuePairs<StaticString, any LogValue> = [:]
    ) { write(.warning, message, fields) }

    /// Something is wrong and somebody has to act.
    package static func error(
        _ message: StaticString, _ fields: @autoclosure () -> KeyValuePairs<StaticString, any LogValue> = [:]
    ) { write(.error, message, fields) }

    private static func write(
        _ level: LogLevel, _ message: StaticString, _ fields: () -> KeyValuePairs<StaticString, any LogValue>
    ) {
        guard level.rawValue >= threshold.load(ordering: .relaxed) else { return }
        let line = LogLine.render(
            level, message, fields(), milliseconds: WallClock.milliseconds, trace: TraceContext.current)
        LogTail.shared.add(level, line)
        line.withUnsafeBytes { bytes in
            // A log that cannot be written must not stop the service; there is no other place to report it.
            _ = Glibc.write(2, bytes.baseAddress, bytes.count)
        }
    }
}
