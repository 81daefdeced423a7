import CloudMessages
import CloudModel
import Console
import Cryptography
import EventLog
import Feeds
import JSON
import NotificationDelivery
import Operations
import RecordStore
import SubscriptionMatcher

/// The answer to operators who ask why, from the log and the store of a served environment.
struct ServedExplanations: Sendable {
    /// An environment with the log that has its journals.
    struct Place: Sendable {
        let layout: TopicLayout
        let log: any EventLog
        let store: any RecordStore
    }

    let places: [ContainerEnvironment: Place]
    let keys: KeyRing
    let configuration: Configuration
    let committed: LogEvidence.Committed

    func explain(_ scope: ContainerEnvironment, _ question: OperatedSystem.Question) async throws -> JSONObject {
        guard let place = places[scope] else { throw CloudError(.notFound, "the environment is not served") }
        let evidence = LogEvidence(
            log: place.log, layout: place.layout,
            groups: LogEvidence.Groups(
                matching: SubscriptionMatcher.group(place.layout), delivery: NotificationDelivery.group(place.layout)),
            committed: committed)
        let file = Backends.pushLog(configuration, scope)
        let explainer = Explainer(evidence, pushLogs: PushLogs([file].filter(Files.exists))) { device in
            guard let stored = try await place.store.read({ try $0.device(device) }), let token = stored.token,
                let known = try? ChangeTokens(keys).inspect(token).place
            else { return nil }
            return ReadPlace(
                epoch: stored.device.epoch, isInFeed: known.part != .journal, offset: known.position.offset)
        }
        do {
            let key = try await explainer.subscription(question.subscription, of: question.user, in: question.database)
            let number = Int64(question.change).map { CommitSequence($0) }
            // A notification's ID, as its user sees it, names the change as well.
            guard let change = number ?? NotificationIdentifiers(keys).decode(question.change, of: key.user) else {
                throw CloudError.badRequest(
                    "change is a change's number, or a notificationID of the subscription's owner")
            }
            return try await explainer.explain(change, key).json
        } catch let error as Explainer.Ambiguity {
            throw CloudError(.notFound, "\(error)")
        }
    }
}
