import CCurl
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// The inbox of the client's thread, which tasks write to.
final class ClientInbox: Sendable {
    enum Command: Sendable {
        case start(Transfer)
        case cancel(UInt64)
        /// The consumer of a paused stream has caught up.
        case goOn(UInt64)
        case close
    }

    private struct State {
        var commands: [Command] = []
        var isClosed = false
    }

    /// Readable when there is something to take.
    let wake: Int32
    private let state = Mutex(State())

    init() { wake = curl_wake_create() }

    deinit { Glibc.close(wake) }

    /// False when the client is closed; the command is lost then.
    @discardableResult
    func send(_ command: Command) -> Bool {
        let (isTaken, isFirst) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.commands.append(command)
            if case .close = command { state.isClosed = true }
            return (true, state.commands.count == 1)
        }
        if isFirst {
            var one: UInt64 = 1
            _ = write(wake, &one, 8)
        }
        return isTaken
    }

    func take() -> [Command] {
        var count: UInt64 = 0
        _ = read(wake, &count, 8)
        return state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }
}
