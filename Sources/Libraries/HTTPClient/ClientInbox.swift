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
        /// The thread takes commands before it waits again.
        var isAwake = false
    }

    /// Readable when there is something to take and the thread waits.
    let wake: Int32
    private let state = Mutex(State())

    init() { wake = curl_wake_create() }

    deinit { Glibc.close(wake) }

    /// False when the client is closed; the command is lost then.
    @discardableResult
    func send(_ command: Command) -> Bool {
        let (isTaken, wakesUp) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.commands.append(command)
            if case .close = command { state.isClosed = true }
            defer { state.isAwake = true }
            return (true, !state.isAwake)
        }
        if wakesUp {
            var one: UInt64 = 1
            _ = write(wake, &one, 8)
        }
        return isTaken
    }

    /// On the thread. `isWoken`: `wake` is readable.
    func take(isWoken: Bool) -> [Command] {
        if isWoken {
            var count: UInt64 = 0
            _ = read(wake, &count, 8)
        }
        return state.withLock { state in
            state.isAwake = true
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// On the thread, before it waits: false when there is something to take. The next command wakes it up.
    func rest() -> Bool {
        state.withLock { state in
            state.isAwake = !state.commands.isEmpty
            return state.commands.isEmpty
        }
    }
}
