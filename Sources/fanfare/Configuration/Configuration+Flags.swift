import CloudModel

/// Flags that several commands share. A command's own flags are declared beside it.
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

    /// The form of a command's results.
    struct Printing: Sendable {
        var isJSON = false
        var isMarkdown = false
    }
}
