import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// Recomputes every notification of the retained changes by the plain matcher, and compares them with journals. Works
/// beside running stages: it knows their progress, and looks twice before it reports a loss.
package struct Audit: Sendable {
    /// Users who are looked at in one pass over the changes: those whose name's hash ends so.
    private struct Slice {
        var bits: UInt64 = 0
        var value: UInt64 = 0

        func includes(_ user: UserRecordName) -> Bool {
            guard bits > 0 else { return true }
            let hash = user.rawValue.utf8.stableHash()
            return (hash ^ hash >> 32) & (1 << bits - 1) == value
        }

        var halves: [Slice] { [Slice(bits: bits + 1, value: value), Slice(bits: bits + 1, value: value | 1 << bits)] }
    }

    /// The finest slices: larger ones are kept in memory all the same.
    private static let bitsMax: UInt64 = 16

    private let evidence: LogEvidence
    private let plan: AuditPlan
    private let onProgress: @Sendable (AuditProgress) -> Void
    private let found: @Sendable (AuditFinding) async throws -> Void

    /// - Parameters:
    ///   - progress: called now and then with how far it is.
    ///   - found: called with each difference, as it is found.
    package init(
        _ evidence: LogEvidence, _ plan: AuditPlan, progress: @escaping @Sendable (AuditProgress) -> Void = { _ in },
        found: @escaping @Sendable (AuditFinding) async throws -> Void
    ) {
        self.evidence = evidence
        self.plan = plan
        onProgress = progress
        self.found = found
    }

    /// Compares all users, or those of the plan's devices.
    /// - Returns: the progress.
    /// - Throws: `AuditError` for a range that is not retained, and missing devices; `CancellationError` once the task
    ///   is cancelled.
    package func run() async throws -> AuditProgress {
        var progress = AuditProgress()
        let owners = try await owners()
        var slices = [Slice()]
        while let slice = slices.popLast() {
            let includes: (UserRecordName) -> Bool = { slice.includes($0) && owners?.contains($0) ?? true }
            guard let pass = try await expect(includes, slice.bits < Self.bitsMax, &progress) else {
                slices += slice.halves
                continue
            }
            try await compare(pass.expected, pass.context, includes, &progress)
        }
        return progress
    }

    /// The users of the devices that are asked for; nil for everybody.
    private func owners() async throws -> Set<UserRecordName>? {
        guard !plan.devices.isEmpty else { return nil }
        var owners: Set<UserRecordName> = []
        var unknown = plan.devices
        for (user, known) in try await evidence.users({ _ in true }) {
            for device in known.devices where unknown.remove(DeviceID(trusted: device.device)) != nil {
                owners.insert(user)
            }
        }
        if let device = unknown.sorted(by: { $0.rawValue < $1.rawValue }).first {
            throw AuditError(description: "no device '\(device)' is registered in \(evidence.layout.scope)")
        }
        return owners
    }

    // MARK: What should be

    /// Reads the changes of a pass. Nil when they call for more than memory is given.
    private func expect(
        _ includes: (UserRecordName) -> Bool, _ mayStop: Bool, _ progress: inout AuditProgress
    ) async throws -> (expected: ExpectedHits, context: UserAudit.Context)? {
        let frontier = try await Frontier.look(at: evidence, includes)
        let bytesMax = mayStop ? plan.subscriptionBytesMax : .max
        guard let history = try await evidence.subscriptions(includes, bytesMax: bytesMax) else { return nil }
        let bounds = try await evidence.log.bounds(of: evidence.changes)
        progress.changesInAll += bounds.values.reduce(0) { $0 + $1.end - $1.start }
        progress.behind = frontier.behind
        var expected = ExpectedHits()
        var reading = ChangeReading(plan: plan, frontier: frontier, history: history, layout: evidence.layout)
        for (partition, held) in bounds.sorted(by: { $0.key < $1.key }) {
            reading.begin(partition, held)
            var next = held.start
            while next < held.end {
                try Task.checkCancellation()
                let end = min(next + 1000, held.end)
                try await evidence.read(partition, from: next, to: end) { reading.take($0, &expected) }
                progress.changes += end - next
                next = end
                onProgress(progress)
                if mayStop, expected.count > plan.expectedMax, expected.isDivisible { return nil }
            }
        }
        try check(reading)
        progress.since = reading.since
        progress.expected += expected.count
        let context = UserAudit.Context(
            plan: plan, layout: evidence.layout, frontier: frontier, history: history, firstKept: reading.firstKept)
        return (expected, context)
    }

    private func check(_ reading: ChangeReading) throws {
        if reading.stores.count > 1 {
            throw AuditError(
                description:
                    "the changes are of \(reading.stores.count) stores, whose sequences say nothing of each other; give --from after the store was replaced"
            )
        }
        if let from = plan.from, let since = reading.since, from < since {
            throw AuditError(
                description:
                    "changes before \(since.iso8601) are not kept any more, and nobody can say what they called for; give --from \(since.iso8601) or later"
            )
        }
    }

    // MARK: Registered devices

    private func compare(
        _ expected: ExpectedHits, _ context: UserAudit.Context, _ includes: (UserRecordName) -> Bool,
        _ progress: inout AuditProgress
    ) async throws {
        let known = try await evidence.users(includes)
        let journals = try await evidence.journals.users().filter(includes)
        let users = Set(journals).union(known.keys).union(expected.hits.keys).sorted { $0.rawValue < $1.rawValue }
        progress.users = 0
        progress.usersInPass = users.count
        var cuts = JournalCuts()
        for user in users {
            try Task.checkCancellation()
            if known[user]?.isRemoved == true {
                progress.users += 1
                continue
            }
            var audit = UserAudit(user, expected, context)
            try await compare(&audit, known[user] ?? LogEvidence.DeliveredUser(), &cuts, &progress)
            if !audit.findings.isEmpty {
                // Entries that were on their way are there by now: compare again, with the stages' current progress.
                var context = context
                context.frontier = try await Frontier.look(at: evidence) { $0 == user }.judging(asAt: context.frontier)
                audit = UserAudit(user, expected, context)
                let present = try await evidence.users { $0 == user }
                // One who was removed meanwhile has nothing to compare.
                guard present[user]?.isRemoved != true else { continue }
                var again = AuditProgress()
                try await compare(&audit, present[user] ?? LogEvidence.DeliveredUser(), &cuts, &again)
            }
            for finding in audit.findings {
                progress.findings += 1
                try await found(finding)
            }
            progress.users += 1
            onProgress(progress)
        }
    }

    private func compare(
        _ audit: inout UserAudit, _ known: LogEvidence.DeliveredUser, _ cuts: inout JournalCuts,
        _ progress: inout AuditProgress
    ) async throws {
        let journal = try await evidence.delivered(of: audit.user)
        let start = journal?.start ?? 0
        // It is read after the journal, so that entries that retention removes meanwhile are not missed.
        let cut = try await cuts.cut(of: audit.user, from: start, evidence)
        audit.compareJournal(journal?.entries ?? [], from: start, cut, known)
        progress.entries += journal?.entries.count ?? 0
        progress.feeds += known.devices.count { device in
            plan.devices.isEmpty || plan.devices.contains(DeviceID(trusted: device.device))
        }
    }
}
