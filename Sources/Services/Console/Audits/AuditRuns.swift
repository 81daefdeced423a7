package import CloudModel
import Cryptography
package import JSON
import Synchronization
import Telemetry
import TextForms

/// The audits that operators start: one at a time in a process, in the background. Their results outlive the process in
/// a small file, their findings do not; an audit that runs when the process ends is lost.
package final class AuditRuns: Sendable {
    /// Runs an audit to its end, and returns the last line of `fanfare audit --json`.
    /// - Throws: `CancellationError` once the task is cancelled; other errors with a reason for people.
    package typealias Auditor =
        @Sendable (_ request: AuditRequest, _ reporter: AuditReporter) async throws -> JSONObject

    private struct State {
        /// The oldest first.
        var runs: [AuditRun] = []
        /// The work of the latest audit, which may still be on its way to its end after it was stopped.
        var work: Task<Void, Never>?
    }

    private let state: Mutex<State>
    private let auditor: Auditor
    private let file: KeptFile
    private let now: @Sendable () -> Timestamp

    /// - Parameter file: keeps the list over a restart.
    package init(
        file: KeptFile, now: @escaping @Sendable () -> Timestamp, auditor: @escaping Auditor
    ) {
        self.file = file
        self.now = now
        self.auditor = auditor
        let kept = (try? file.load()).flatMap(\.self).flatMap { try? JSONValue(parsing: $0) }
        let runs = (kept?["audits"]?.array ?? []).suffix(Limits.auditsKept).compactMap { AuditRun(kept: $0) }
        state = Mutex(State(runs: runs))
    }

    /// Starts an audit.
    /// - Returns: its ID.
    /// - Throws: `CONFLICT` while one runs.
    func start(_ request: AuditRequest, by name: String) throws -> String {
        let run = AuditRun(request, id: Hexadecimal.encode(SecureRandom.bytes(count: 8)), by: name, at: now())
        try state.withLock { state in
            if let other = state.runs.first(where: { $0.state == .running }) {
                throw CloudError(
                    .conflict, "an audit of \(other.scope) runs, which '\(other.startedBy)' started; wait or stop it")
            }
            state.runs.append(run)
            state.runs.removeFirst(max(0, state.runs.count - Limits.auditsKept))
            do { try save(state) } catch {
                state.runs.removeLast()
                throw error
            }
            let former = state.work
            // Requests go first.
            state.work = Task(priority: .background) { [weak self] in
                await former?.value
                await self?.work(request, run.id)
            }
        }
        return run.id
    }

    /// Stops an audit that runs; another one stays as it is.
    /// - Throws: `NOT_FOUND`.
    func stop(_ id: String, in scope: ContainerEnvironment) throws -> JSONObject {
        _ = try find(id, in: scope)
        end(id) { $0.state = .stopped }
        return try find(id, in: scope).json
    }

    /// The audits of an environment, the latest first.
    func list(_ scope: ContainerEnvironment) -> [JSONObject] {
        let name = "\(scope)"
        return state.withLock { $0.runs }.reversed().filter { $0.scope == name }.map(\.json)
    }

    /// An audit with its findings.
    /// - Throws: `NOT_FOUND`.
    func lookUp(_ id: String, in scope: ContainerEnvironment) throws -> JSONObject {
        let run = try find(id, in: scope)
        var json: JSONObject = ["audit": .object(run.json), "findings": .array(run.findings.map { .object($0) })]
        if run.findingsLeftOut > 0 { json["findingsLeftOut"] = .integer(Int64(run.findingsLeftOut)) }
        return json
    }

    /// Stops the audit that runs and waits for its end; the next process lists it as lost.
    package func close() async {
        let work = state.withLock { $0.work }
        work?.cancel()
        await work?.value
    }

    private func find(_ id: String, in scope: ContainerEnvironment) throws(CloudError) -> AuditRun {
        let name = "\(scope)"
        guard let run = state.withLock({ $0.runs.first { $0.id == id && $0.scope == name } }) else {
            throw CloudError(.notFound, "there is no audit '\(id.prefix(80))' of \(name)")
        }
        return run
    }

    // MARK: Work

    private func work(_ request: AuditRequest, _ id: String) async {
        do {
            try Task.checkCancellation()
            let result = try await auditor(
                request,
                AuditReporter(
                    progress: { [weak self] in self?.note(progress: $0, of: id) },
                    found: { [weak self] finding in self?.update(id) { $0.note(finding) } }))
            end(id) { run in
                (run.state, run.result) = (.done, .object(result))
            }
        } catch {
            // Stopped by an operator, or by the end of the process, which leaves it running in the file.
            guard !Task.isCancelled else { return }
            end(id) { run in
                (run.state, run.reason) = (.failed, "\((error as? CloudError)?.reason ?? "\(error)")")
            }
        }
    }

    private func note(progress: Double, of id: String) {
        // Another pass over the changes does not lead back.
        update(id) { $0.progress = max($0.progress, progress) }
    }

    /// Changes an audit that runs.
    private func update(_ id: String, _ body: (inout AuditRun) -> Void) {
        state.withLock { state in
            guard let index = state.runs.firstIndex(where: { $0.id == id && $0.state == .running }) else { return }
            body(&state.runs[index])
        }
    }

    /// Ends an audit that runs.
    private func end(_ id: String, _ body: (inout AuditRun) -> Void) {
        state.withLock { state in
            guard let index = state.runs.firstIndex(where: { $0.id == id && $0.state == .running }) else { return }
            body(&state.runs[index])
            state.runs[index].ended = now()
            if state.runs[index].state == .stopped { state.work?.cancel() }
            do { try save(state) } catch { Log.error("audit.unsaved", ["audit": id, "error": "\(error)"]) }
        }
    }

    private func save(_ state: State) throws {
        let rows = state.runs.map { JSONValue.object($0.kept) }
        try file.save(JSONValue.object(["audits": .array(rows)]).serialized())
    }
}
