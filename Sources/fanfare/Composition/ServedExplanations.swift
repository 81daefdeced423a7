import CloudMessages
import CloudModel
import Console
import Cryptography
import EventLog
import Feeds
import FileSystem
import Inspection
import JSON
import NotificationDelivery
import RecordStore
import SubscriptionMatcher

/// Explains notifications and finds their ways for operators, from the log and the store of a served environment.
struct ServedExplanations: Sendable {
    /// An environment with its log and the process's view of its journals.
    struct Place: Sendable {
        let layout: TopicLayout
        let log: any EventLog
        let journals: any Journals
        let store: any RecordStore
    }

    let places: [ContainerEnvironment: Place]
    let keys: KeyRing
    let configuration: Configuration
    let committed: LogEvidence.Committed

    func explain(_ scope: ContainerEnvironment, _ question: OperatedSystem.Question) async throws -> JSONObject {
        let (place, evidence) = try evidence(of: scope)
        do {
            let key = try await Explainer(evidence)
                .subscription(question.subscription, of: question.user, in: question.database)
            let number = Int64(question.change).map { CommitSequence($0) }
            // A notification's ID, as its user sees it, names the change as well.
            guard let change = number ?? NotificationIdentifiers(keys).decode(question.change, of: key.user) else {
                throw CloudError.badRequest(
                    "change is a change's number, or a notificationID of the subscription's owner")
            }
            let hides = OperatedSystem.hidesValues(of: key.database, in: scope)
            let explainer = Explainer(evidence, pushLogs: pushLogs(scope), hasValues: !hides) { device in
                try await place.store.read { try $0.device(device) }.flatMap {
                    NotificationWays.place(of: $0, keys)
                }
            }
            return try await explainer.explain(change, key).json(numbersAsStrings: true)
        } catch let error as Explainer.Ambiguity {
            throw CloudError(.notFound, "\(error)")
        }
    }

    /// The way of a notification; nil where nothing of it is kept.
    func way(_ scope: ContainerEnvironment, _ question: OperatedSystem.WayQuestion) async throws -> JSONObject? {
        let (place, evidence) = try evidence(of: scope)
        return try await NotificationWays(
            evidence: evidence, pushLogs: pushLogs(scope), store: place.store, keys: keys
        ).json(
            WayFinder.Question(
                change: question.subject.change, user: question.subject.user, subscription: question.subscription,
                database: question.database))
    }

    /// The evidence that the log of a served environment has.
    /// - Throws: `NOT_FOUND` for another environment.
    func evidence(of scope: ContainerEnvironment) throws(CloudError) -> (Place, LogEvidence) {
        guard let place = places[scope] else { throw CloudError(.notFound, "the environment is not served") }
        let groups = LogEvidence.Groups(
            matching: SubscriptionMatcher.group(place.layout), delivery: NotificationDelivery.group(place.layout))
        let evidence = LogEvidence(
            log: place.log, layout: place.layout, journals: place.journals, groups: groups, committed: committed)
        return (place, evidence)
    }

    private func pushLogs(_ scope: ContainerEnvironment) -> PushLogs {
        PushLogs([Backends.pushLog(configuration, scope)].filter(Files.exists))
    }
}
