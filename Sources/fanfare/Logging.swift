import Telemetry

/// Sets up logs.
enum Logging {
    static func apply(_ configuration: Configuration) {
        if let level = LogLevel(name: configuration.logLevel) { Log.level = level }
    }
}
