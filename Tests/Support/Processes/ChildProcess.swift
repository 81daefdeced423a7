package import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A process that a test starts, used as Foundation's `Process` is.
///
/// Foundation's reads the list of this process's own descriptors by copying whole `dirent`s, past the end of its buffer
/// when there are more than about 1,300 of them, which tests of many connections beside it have: it crashed there.
package final class ChildProcess: Sendable {
    /// What could not be started, and why.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private struct State {
        var identifier: pid_t = 0
        var status: Int32?
        var waiting: [@Sendable (Int32) -> Void] = []
    }

    private let state = Mutex(State())
    private let executable: String
    private let arguments: [String]
    private let environment: [String: String]
    private let files: [FileHandle?]

    /// Describes a process. Streams that are nil are this process's own.
    package init(
        _ executable: String, _ arguments: [String] = [],
        environment: [String: String] = ProcessInfo.processInfo.environment, input: FileHandle? = nil,
        output: FileHandle? = nil, error: FileHandle? = nil
    ) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
        files = [input, output, error]
    }

    /// Starts it; `ended` is called once with its exit code, or with the number of the signal that ended it.
    package func run(_ ended: @escaping @Sendable (Int32) -> Void = { _ in }) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (stream, file) in files.enumerated() {
            guard let file else { continue }
            posix_spawn_file_actions_adddup2(&actions, file.fileDescriptor, Int32(stream))
        }
        // No other child must hold what this process has open. glibc's module does not show the function.
        typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
        if let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") {
            _ = unsafeBitCast(symbol, to: CloseFrom.self)(&actions, 3)
        }
        let words = ([executable] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, executable, &actions, nil, words, variables)
        guard code == 0 else {
            throw Failure(description: "starting \(executable): \(String(cString: strerror(code)))")
        }
        let started = identifier
        state.withLock { state in
            state.identifier = started
            state.waiting.append(ended)
        }
        // `waitpid` blocks, so it has a thread of its own.
        Thread.detachNewThread {
            var status: Int32 = 0
            while waitpid(started, &status, 0) == -1, errno == EINTR {}
            let code = status & 0x7f == 0 ? (status >> 8) & 0xff : status & 0x7f
            let waiting = self.state.withLock { state in
                state.status = code
                defer { state.waiting = [] }
                return state.waiting
            }
            for waiter in waiting { waiter(code) }
        }
    }

    /// Starts it and blocks until it has ended; returns its exit code.
    @discardableResult package func runToEnd() throws -> Int32 {
        let done = DispatchSemaphore(value: 0)
        try run { _ in done.signal() }
        done.wait()
        return state.withLock { $0.status ?? -1 }
    }

    /// Whether it was started and has not ended.
    package var isRunning: Bool { state.withLock { $0.identifier != 0 && $0.status == nil } }

    /// Sends a signal, if it has not ended.
    package func signal(_ number: Int32) {
        state.withLock { state in
            guard state.status == nil, state.identifier != 0 else { return }
            _ = kill(state.identifier, number)
        }
    }
}
