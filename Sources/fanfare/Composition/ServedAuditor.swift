import CloudModel
import Console
import Inspection
import JSON
import Synchronization

/// Runs the audits that operators start, once the environments are served.
final class ServedAuditor: Sendable {
    private let explanations = Mutex<ServedExplanations?>(nil)

    /// Notes the logs and positions that audits read.
    func begin(_ explanations: ServedExplanations) { self.explanations.withLock { $0 = explanations } }

    /// Runs an audit of a served environment.
    func audit(_ request: AuditRequest, _ reporter: AuditReporter) async throws -> JSONObject {
        guard let served = explanations.withLock({ $0 }) else {
            throw CloudError(.notFound, "the environment is not served")
        }
        var plan = AuditPlan()
        (plan.from, plan.to, plan.devices) = (request.from, request.to, Set(request.devices))
        plan.expectedMax = Limits.auditExpectedMax
        plan.subscriptionBytesMax = Limits.auditSubscriptionBytesMax
        // Findings are of all databases.
        let hides = OperatedSystem.hidesValues(of: .private, in: request.scope)
        let audit = ExplainedAudit(try served.evidence(of: request.scope).1, plan, hasValues: !hides)
        return try await audit.run(progress: { reporter.progress($0.share) }) { finding, verdict in
            reporter.found(finding.json(verdict: verdict))
        }.json
    }
}
