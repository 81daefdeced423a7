package import Foundation
import Synchronization

/// The program itself, as a process of its own.
package final class FanfareProcess: Sendable {
    /// The program that was built with the tests.
    package static let executable: URL = {
        if let path = ProcessInfo.processInfo.environment["FANFARE_EXECUTABLE"] { return URL(fileURLWithPath: path) }
        // The program is in the folder of the test bundle.
        let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        return bundle.appendingPathComponent("fanfare")
    }()

    private struct State {
        var process: ChildProcess?
        var ended: [CheckedContinuation<Int32, Never>] = []
        var status: Int32?
    }

    private let state = Mutex(State())
    /// Where standard output and standard error go.
    package let outputFile: String
    package let errorFile: String
    private let arguments: [String]
    private let environment: [String: String]

    /// Describes a process; `start` starts it.
    package init(_ arguments: [String], environment: [String: String] = [:], folder: TemporaryFolder, name: String) {
        self.arguments = arguments
        self.environment = environment
        outputFile = folder.path("\(name).out")
        errorFile = folder.path("\(name).err")
    }

    /// Starts the process, or starts it again after it has ended; output is appended.
    /// - Parameter extra: variables of its environment for this run alone.
    package func start(with extra: [String: String] = [:]) throws {
        var environment = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("FANFARE_") && $0.key != "KAFKA_BOOTSTRAP_SERVERS"
        }
        environment.merge(self.environment) { $1 }
        environment.merge(extra) { $1 }
        let process = ChildProcess(
            Self.executable.path, arguments, environment: environment, output: try Self.append(outputFile),
            error: try Self.append(errorFile))
        state.withLock { state in
            state.process = process
            state.status = nil
        }
        try process.run { status in
            let waiting = self.state.withLock { state in
                state.status = status
                defer { state.ended = [] }
                return state.ended
            }
            for waiter in waiting { waiter.resume(returning: status) }
        }
    }

    /// Waits for the end; returns the exit code, or the signal's number.
    package func ended() async -> Int32 {
        await withCheckedContinuation { continuation in
            let status = state.withLock { state in
                if state.status == nil { state.ended.append(continuation) }
                return state.status
            }
            if let status { continuation.resume(returning: status) }
        }
    }

    /// Ends the process at once, as a crash would, and waits until it is gone.
    package func kill() async {
        signal(SIGKILL)
        _ = await ended()
    }

    /// Ends the process at once without waiting: for the end of the tests themselves.
    package func killNow() { signal(SIGKILL) }

    /// Asks the process to end, and waits for it.
    package func terminate() async -> Int32 {
        signal(SIGTERM)
        return await ended()
    }

    /// Starts the process, waits for its end, and returns its exit code and what it printed.
    package func run() async throws -> (code: Int32, output: String) {
        try start()
        let code = await ended()
        return (code, output)
    }

    /// What the process has printed so far.
    package var output: String { (try? String(contentsOfFile: outputFile, encoding: .utf8)) ?? "" }
    /// What the process has complained of so far.
    package var complaints: String { (try? String(contentsOfFile: errorFile, encoding: .utf8)) ?? "" }
    /// Whether it has not ended.
    package var isRunning: Bool { state.withLock { $0.process != nil && $0.status == nil } }

    private func signal(_ number: Int32) {
        state.withLock { state in
            guard state.status == nil, let process = state.process else { return }
            process.signal(number)
        }
    }

    private static func append(_ path: String) throws -> FileHandle {
        if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(fileURLWithPath: path)) }
        let handle = FileHandle(forWritingAtPath: path)!
        try handle.seekToEnd()
        return handle
    }
}
