/// The settings of the console and of operators.
struct ConsoleConfiguration: Sendable {
    /// The place of the console.
    enum Place: Hashable {
        case off
        /// On the port of the API.
        case onPublicPort
        /// On a listener of its own.
        case own(Address)
    }

    var console = "off"
    var url = ""
    var isReadOnly = false
    var files = ""
    var operatorTokenFile = ""
    var operators: [String] = []
    var operatorsClaim = ""

    var place: Place {
        switch console {
        case "off": .off
        case "public": .onPublicPort
        default: Address(console).map(Place.own) ?? .off
        }
    }
}
