import Synchronization

/// The commands of a thread that works until it is stopped, and the callers that wait for its end.
///
/// The thread takes commands in the order they were posted. At its end it refuses further ones, answers the remaining
/// ones, releases its resources, and then reports its end.
package final class Inbox<Command: Sendable>: Sendable {
    private struct State {
        var commands: [Command] = []
        var isRefusing = false
        var hasEnded = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Leaves a command for the thread.
    /// - Returns: false when the thread takes no more; then the caller refuses the command itself.
    package func post(_ command: Command) -> Bool {
        state.withLock { state in
            if !state.isRefusing { state.commands.append(command) }
            return !state.isRefusing
        }
    }

    /// Returns the commands posted since the last call, in order. For the thread.
    package func take() -> [Command] {
        state.withLock { state in
            defer { state.commands.removeAll() }
            return state.commands
        }
    }

    /// Refuses further commands; returns those that are left to be refused. For the thread, before it gives back what
    /// commands use.
    package func close() -> [Command] {
        state.withLock { state in
            state.isRefusing = true
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Resumes the callers that wait for the thread's end. For the thread, as its last call.
    package func end() {
        let waiting = state.withLock { state in
            state.hasEnded = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until the thread has ended.
    package func ended() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.waiting.append(continuation) }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }
}
