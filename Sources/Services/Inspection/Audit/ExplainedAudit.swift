import CloudModel
package import JSON
import Synchronization

/// An audit whose first findings have the verdict of their explanation.
package struct ExplainedAudit: Sendable {
    /// Findings that are explained, each by a reading of the log of a quarter of a second; for others there is
    /// `explain`.
    private static let explainedMax = 20

    private let evidence: LogEvidence
    private let plan: AuditPlan
    private let hasValues: Bool

    /// - Parameter hasValues: false leaves out the values of records in verdicts.
    package init(_ evidence: LogEvidence, _ plan: AuditPlan, hasValues: Bool = true) {
        self.evidence = evidence
        self.plan = plan
        self.hasValues = hasValues
    }

    /// Runs the audit.
    /// - Parameters:
    ///   - progress: called now and then with how far it is.
    ///   - found: called with each difference and its verdict, as it is found.
    /// - Throws: `AuditError`; `CancellationError` once the task is cancelled.
    package func run(
        progress: @escaping @Sendable (AuditProgress) -> Void,
        found: @escaping @Sendable (_ finding: AuditFinding, _ verdict: String?) throws -> Void
    ) async throws -> AuditProgress {
        let explainer = Explainer(evidence, hasValues: hasValues)
        let explained = Mutex(0)
        let audit = Audit(evidence, plan, progress: progress) { finding in
            try Task.checkCancellation()
            guard let change = finding.change, let database = finding.database, let id = finding.subscription,
                explained.withLock({
                    $0 += 1; return $0 <= Self.explainedMax
                })
            else { return try found(finding, nil) }
            let key = SubscriptionKey(user: finding.user, database: database, id: id)
            try found(finding, try await explainer.explain(change, key).verdict.description)
        }
        return try await audit.run()
    }
}

extension AuditFinding {
    /// The finding for programs, with the verdict of its explanation.
    package func json(verdict: String?) -> JSONObject {
        var json = json
        if let verdict { json["explain"] = .string(verdict) }
        return json
    }
}
