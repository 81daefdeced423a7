package import CloudMessages
package import CloudModel
package import EventLog
package import JSON
package import Stages
package import WebAPI

/// The process that operators look after, as far as it is no container's.
package struct OperatedSystem: Sendable {
    /// The version of the program.
    package var version: String
    /// The log of all containers.
    package var log: any EventLog
    /// The containers' environments that the process serves.
    package var scopes: [APIScope]
    /// The settings: an object each with `name`, `value`, `source`; secrets are hidden.
    package var settings: [JSONValue]
    /// Returns the reasons why the process cannot work now; none if it can.
    package var obstacles: @Sendable () async -> [String]
    /// Returns the progress of the process's stages.
    package var stages: @Sendable () -> [StageProgress.Status]
    /// Explains a change and a subscription; nil for a process that cannot.
    package var explain: Explaining?
    /// The audits that operators start; nil for a process that cannot.
    package var audits: AuditRuns?
    /// The numbers of the last hour.
    package var series = SeriesRecorder()
    /// Sends one push to each address; nil for a process that cannot.
    package var testPushes: PushTesting?
    /// The key ring's file; nil for a process without one.
    package var secrets: SecretsFile?
    /// Finds the way of a notification; nil for a process that cannot.
    package var way: FindingWay?

    /// A change and a subscription to be explained.
    package struct Question: Sendable {
        /// A change's number, or the ID of a notification about it.
        package var change: String
        package var subscription: SubscriptionID
        /// The subscription's owner; nil where one alone has it.
        package var user: UserRecordName?
        /// The database of the subscription; nil where it is in one alone.
        package var database: DatabaseScope?
    }

    /// A notification whose way is looked for.
    package struct WayQuestion: Sendable {
        package var subject: NotificationSubject
        /// The subscription; nil for the first one of the user that notified of the change.
        package var subscription: SubscriptionID?
        /// The database of the change; nil where it is unknown.
        package var database: DatabaseScope?
    }

    /// Finds the way of a notification; nil where nothing of it is kept.
    package typealias FindingWay =
        @Sendable (_ scope: ContainerEnvironment, _ question: WayQuestion) async throws -> JSONObject?

    /// Returns true if values of records are left out: in production an operator reads no private database.
    package static func hidesValues(of database: DatabaseScope, in scope: ContainerEnvironment) -> Bool {
        scope.environment == .production && database != .public
    }

    /// Explains why a subscription did or did not notify of a change, without the values that are left out.
    /// - Throws: `NOT_FOUND` where nobody has the subscription, or several do.
    package typealias Explaining =
        @Sendable (_ scope: ContainerEnvironment, _ question: Question) async throws -> JSONObject

    /// Sends one push to each address, past its queue.
    /// - Returns: an object for each, with its outcome.
    package typealias PushTesting =
        @Sendable (_ scope: ContainerEnvironment, _ addresses: [PushAddressEntry]) async throws -> [JSONObject]

    package init(
        version: String, log: any EventLog, scopes: [APIScope], settings: [JSONValue],
        obstacles: @escaping @Sendable () async -> [String],
        stages: @escaping @Sendable () -> [StageProgress.Status], explain: Explaining? = nil
    ) {
        self.version = version
        self.log = log
        self.scopes = scopes
        self.settings = settings
        self.obstacles = obstacles
        self.stages = stages
        self.explain = explain
    }
}
