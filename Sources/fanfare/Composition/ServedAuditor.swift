import CloudModel
import Console
import JSON
import NotificationDelivery
import Operations
import SubscriptionMatcher
import Synchronization

/// Runs the audits that operators start, once the environments are served.
final class ServedAuditor: Sendable {
    private let explanations = Mutex<ServedExplanations?>(nil)

    /// Notes the logs and positions that audits read.
    func begin(_ explanations: ServedExplanations) { self.explanations.withLock { $0 = explanations } }

    /// Runs an audit of a served environment.
    func audit(_ request: AuditRequest, _ reporter: AuditReporter) async throws -> JSONObject {
        guard let served = explanations.withLock({ $0 }), let place = served.places[request.scope] else {
            throw CloudError(.notFound, "the environment is not served")
        }
        var plan = AuditPlan()
        (plan.from, plan.to, plan.devices) = (request.from, request.to, Set(request.devices))
        plan.expectedMax = Limits.auditExpectedMax
        let evidence = LogEvidence(
            log: place.log, layout: place.layout,
            groups: LogEvidence.Groups(
                matching: SubscriptionMatcher.group(place.layout), delivery: NotificationDelivery.group(place.layout)),
            committed: served.committed)
        // In production an operator reads no private database.
        let audit = ExplainedAudit(evidence, plan, hasValues: request.scope.environment != .production)
        return try await audit.run(progress: { reporter.progress($0.share) }) { finding, verdict in
            reporter.found(finding.json(verdict: verdict))
        }.json
    }
}
