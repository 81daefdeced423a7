package import EventLog
package import JSON
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
    package var stages: @Sendable () async -> JSONValue

    package init(
        version: String, log: any EventLog, scopes: [APIScope], settings: [JSONValue],
        obstacles: @escaping @Sendable () async -> [String],
        stages: @escaping @Sendable () async -> JSONValue
    ) {
        self.version = version
        self.log = log
        self.scopes = scopes
        self.settings = settings
        self.obstacles = obstacles
        self.stages = stages
    }
}
