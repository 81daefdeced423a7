import CloudModel

/// The flags of single commands, a part for each group of them (`SettingGroup`).
extension Configuration {
    /// The container's environment that a command is for.
    struct Targeting: Sendable {
        var container = ""
        var environment = CloudEnvironment.development.rawValue
    }

    /// Commands that speak to a record-service.
    struct Client: Sendable {
        var url = ""
        var user = ""
        var webAuthToken = ""
        var database = DatabaseScope.public.description
    }

    /// `device-client`.
    struct Following: Sendable {
        var device = ""
        var tokenFile = ""
        var output = ""
        var format = OutputFormat.json
        var fromStart = false
        var untilCaughtUp = false
        var limit = 0
    }

    /// `import`.
    struct Importing: Sendable {
        var type = ""
        var recordName = ""
        var references: [String] = []
    }

    /// `load`.
    struct Loading: Sendable {
        var rate = 100.0
        var seconds = 10
        var subscribers = 10
        var patienceSeconds = 30
        var devices = 1
        var scenario = ""
        var report = ""
    }

    /// `demo`.
    struct Playing: Sendable {
        var expected = ""
    }

    /// `token create` and `key create`.
    struct Creating: Sendable {
        var note = ""
        var origins: [String] = []
        var privateKeyFile = ""
    }

    /// `schema promote` and `schema import`.
    struct Promoting: Sendable {
        var isApplied = false
    }

    /// `schema grant`.
    struct Granting: Sendable {
        var type = ""
        var right = ""
        var role = ""
        var isRevoked = false
    }

    /// `users usage`.
    struct Measuring: Sendable {
        var user = ""
    }

    /// `repair`.
    struct Repairing: Sendable {
        var parts: [String] = []
        var isConfirmed = false
    }

    /// `explain`.
    struct Explaining: Sendable {
        var change = ""
        var subscription = ""
        var user = ""
        var database = ""
    }

    /// `audit`.
    struct Auditing: Sendable {
        var from = ""
        var to = ""
        var devices: [String] = []
    }

    /// `topics acls`: who each role is to Kafka.
    struct Principals: Sendable {
        var recordService = "User:fanfare-record-service"
        var subscriptionMatcher = "User:fanfare-subscription-matcher"
        var deviceClient = ""
        var audit = ""
    }

    /// The form of a command's results.
    struct Printing: Sendable {
        var isJSON = false
        var isMarkdown = false
    }
}
