import CloudModel
import JSON
import Synchronization
import TestSupport
import Testing

@testable import Console

/// Audits in the background: one at a time, stoppable, bounded, and lost with their process.
@Suite struct AuditRunsTests {
    /// An auditor that the test leads: it carries out orders.
    private final class Auditor: Sendable {
        enum Order: Sendable {
            case progress(Double)
            case find(Int)
            case finish
            case fail(String)
        }

        let begun: AsyncStream<AuditRequest>
        private let announce: AsyncStream<AuditRequest>.Continuation
        private let orders: AsyncStream<Order>
        private let give: AsyncStream<Order>.Continuation
        private let done: AsyncStream<Void>
        private let didIt: AsyncStream<Void>.Continuation

        init() {
            (begun, announce) = AsyncStream.makeStream()
            (orders, give) = AsyncStream.makeStream()
            (done, didIt) = AsyncStream.makeStream()
        }

        func audit(_ request: AuditRequest, _ reporter: AuditReporter) async throws -> JSONObject {
            announce.yield(request)
            for await order in orders {
                defer { didIt.yield() }
                switch order {
                case .progress(let share): reporter.progress(share)
                case .find(let count):
                    for number in 0..<count { reporter.found(["detail": .integer(Int64(number))]) }
                case .finish: return ["differences": 0]
                case .fail(let reason): throw CloudError(.notFound, reason)
                }
            }
            throw CancellationError()
        }

        /// Waits until an audit has begun.
        func next() async -> AuditRequest? {
            var iterator = begun.makeAsyncIterator()
            return await iterator.next()
        }

        /// Gives an order and waits until it is carried out.
        func order(_ order: Order) async {
            give.yield(order)
            var iterator = done.makeAsyncIterator()
            _ = await iterator.next()
        }
    }

    /// A file in memory.
    private final class Kept: Sendable {
        let bytes = Mutex<[UInt8]?>(nil)
        let isFull = Mutex(false)

        var file: KeptFile {
            KeptFile(
                load: { self.bytes.withLock { $0 } },
                save: { new in
                    if self.isFull.withLock({ $0 }) { throw CloudError(.internalError, "no space") }
                    self.bytes.withLock { $0 = new }
                })
        }
    }

    private static let scope = ContainerEnvironment(
        container: ContainerIdentifier(trusted: "iCloud.example.a"), environment: .development)
    private static let other = ContainerEnvironment(
        container: ContainerIdentifier(trusted: "iCloud.example.a"), environment: .production)

    private static func request(_ scope: ContainerEnvironment = scope) -> AuditRequest {
        AuditRequest(scope: scope, from: Timestamp(milliseconds: 5000), to: nil, devices: [DeviceID(trusted: "phone")])
    }

    private static func runs(_ auditor: Auditor, _ kept: Kept = Kept()) -> AuditRuns {
        AuditRuns(file: kept.file, now: { Timestamp(milliseconds: 7) }, auditor: auditor.audit)
    }

    private static func state(_ runs: AuditRuns, _ id: String) throws -> String? {
        try runs.lookUp(id, in: scope)["audit"]?["state"]?.string
    }

    /// Waits until an audit has ended.
    private static func ended(_ runs: AuditRuns, _ id: String) async throws -> JSONObject {
        try await answer("the end of \(id)") {
            let found = try runs.lookUp(id, in: scope)
            return found["audit"]?["state"]?.string == "running" ? nil : found
        }
    }

    @Test("an audit reports its progress, keeps its findings, and ends with its result")
    func done() async throws {
        try await within {
            let auditor = Auditor()
            let runs = Self.runs(auditor)
            let id = try runs.start(Self.request(), by: "anna")
            #expect(await auditor.next()?.devices == [DeviceID(trusted: "phone")])
            await auditor.order(.progress(0.5))
            await auditor.order(.progress(0.25))
            let half = try runs.lookUp(id, in: Self.scope)
            #expect(half["audit"]?["progress"] == .double(0.5), "another pass does not lead back")
            #expect(half["audit"]?["operator"] == "anna" && half["audit"]?["from"] == "1970-01-01T00:00:05.000Z")
            await auditor.order(.find(3))
            #expect(try runs.lookUp(id, in: Self.scope)["findings"]?.array?.count == 3)
            await auditor.order(.finish)
            let end = try await Self.ended(runs, id)
            #expect(end["audit"]?["state"] == "done" && end["audit"]?["result"] == ["differences": 0])
            #expect(end["audit"]?["progress"] == nil && end["audit"]?["ended"] == 7 && end["findingsLeftOut"] == nil)
        }
    }

    @Test("one audit runs at a time in a process, whatever environment it is of")
    func single() async throws {
        try await within {
            let auditor = Auditor()
            let runs = Self.runs(auditor)
            let first = try runs.start(Self.request(), by: "anna")
            let same = await expect(code: .conflict) { try runs.start(Self.request(), by: "ben") }
            #expect(same?.reason.contains("anna") == true)
            let elsewhere = await expect(code: .conflict) { try runs.start(Self.request(Self.other), by: "ben") }
            #expect(elsewhere?.reason.contains("anna") == false, "the name of an operator elsewhere stays there")
            _ = await auditor.next()
            await auditor.order(.finish)
            _ = try await Self.ended(runs, first)
            let second = try runs.start(Self.request(Self.other), by: "ben")
            #expect(runs.list(Self.scope).map { $0["auditID"]?.string } == [first])
            #expect(runs.list(Self.other).map { $0["auditID"]?.string } == [second])
            await expect(code: .notFound) { try runs.lookUp(second, in: Self.scope) }
            await expect(code: .notFound) { try runs.stop(second, in: Self.scope) }
            runs.close()
        }
    }

    @Test("a stopped audit stays stopped with what it found, and the next one begins after its end")
    func stop() async throws {
        try await within {
            let auditor = Auditor()
            let runs = Self.runs(auditor)
            let id = try runs.start(Self.request(), by: "anna")
            _ = await auditor.next()
            await auditor.order(.find(2))
            #expect(try runs.stop(id, in: Self.scope)["state"] == "stopped")
            #expect(try runs.stop(id, in: Self.scope)["state"] == "stopped", "twice is once")
            #expect(try runs.lookUp(id, in: Self.scope)["findings"]?.array?.count == 2)
            let next = try runs.start(Self.request(), by: "anna")
            #expect(runs.list(Self.scope).map { $0["auditID"]?.string } == [next, id], "the latest first")
            runs.close()
            #expect(try Self.state(runs, id) == "stopped")
        }
    }

    @Test("an audit that cannot be made has failed, with its reason")
    func failing() async throws {
        try await within {
            let auditor = Auditor()
            let runs = Self.runs(auditor)
            let id = try runs.start(Self.request(), by: "anna")
            _ = await auditor.next()
            await auditor.order(.fail("no device 'phone'"))
            let end = try await Self.ended(runs, id)
            #expect(end["audit"]?["state"] == "failed" && end["audit"]?["reason"] == "no device 'phone'")
        }
    }

    @Test("findings and audits are bounded in memory, and the rest is counted")
    func bounded() async throws {
        try await within {
            let auditor = Auditor()
            let runs = Self.runs(auditor)
            let id = try runs.start(Self.request(), by: "anna")
            _ = await auditor.next()
            await auditor.order(.find(Limits.auditFindingsKept + 5))
            let found = try runs.lookUp(id, in: Self.scope)
            #expect(found["findings"]?.array?.count == Limits.auditFindingsKept && found["findingsLeftOut"] == 5)
            await auditor.order(.finish)
            _ = try await Self.ended(runs, id)
            var last = ""
            for _ in 0..<Limits.auditsKept {
                last = try runs.start(Self.request(), by: "anna")
                _ = await auditor.next()
                await auditor.order(.finish)
                _ = try await Self.ended(runs, last)
            }
            let listed = runs.list(Self.scope)
            #expect(listed.count == Limits.auditsKept && listed[0]["auditID"]?.string == last)
            await expect(code: .notFound) { try runs.lookUp(id, in: Self.scope) }
        }
    }

    @Test("an audit that ran when its process ended is lost in the next one; results stay, findings do not")
    func lost() async throws {
        try await within {
            let (auditor, kept) = (Auditor(), Kept())
            let runs = Self.runs(auditor, kept)
            let done = try runs.start(Self.request(), by: "anna")
            _ = await auditor.next()
            await auditor.order(.find(2))
            await auditor.order(.finish)
            _ = try await Self.ended(runs, done)
            let running = try runs.start(Self.request(), by: "ben")
            _ = await auditor.next()
            runs.close()

            let later = Self.runs(Auditor(), kept)
            let lost = try later.lookUp(running, in: Self.scope)
            #expect(lost["audit"]?["state"] == "lost" && lost["audit"]?["reason"]?.string?.isEmpty == false)
            #expect(lost["audit"]?["operator"] == "ben" && lost["audit"]?["devices"] == ["phone"])
            let old = try later.lookUp(done, in: Self.scope)
            #expect(old["audit"]?["state"] == "done" && old["audit"]?["result"] == ["differences": 0])
            #expect(old["findings"] == [] && old["findingsLeftOut"] == 2)
            #expect(try later.stop(running, in: Self.scope)["state"] == "lost")
            // It hinders no other one, and is still lost after one more restart.
            _ = try later.start(Self.request(), by: "anna")
            later.close()
            #expect(try Self.state(Self.runs(Auditor(), kept), running) == "lost")
        }
    }

    @Test("where the list cannot be written no audit starts; a torn file is no list")
    func unwritable() async throws {
        let kept = Kept()
        kept.isFull.withLock { $0 = true }
        let runs = Self.runs(Auditor(), kept)
        await expect(code: .internalError) { try runs.start(Self.request(), by: "anna") }
        #expect(runs.list(Self.scope).isEmpty)
        for text in ["", "{", "[]", #"{"audits":[1,{"auditID":"a"},{"auditID":"b","state":"odd"}]}"#] {
            kept.bytes.withLock { $0 = Array(text.utf8) }
            #expect(Self.runs(Auditor(), kept).list(Self.scope).isEmpty)
        }
    }
}
