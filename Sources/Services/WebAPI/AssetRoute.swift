import CloudModel

/// Where bytes of an asset go or come from: `/assets/1/<container>/<environment>/<upload or download>/<token>`. The token
/// is the secret, so that no credentials are needed.
struct AssetRoute: Hashable {
    enum Direction: String {
        case upload, download

        /// The methods that an address of it answers to; some clients upload by `PUT`.
        var methods: [String] { self == .upload ? ["POST", "PUT"] : ["GET"] }
    }

    let container: String
    let environment: String
    let direction: Direction
    let token: String

    /// Nil when the path leads elsewhere.
    init?(segments: [String]) {
        guard segments.count == 6, segments[0] == "assets", segments[1] == "1",
            let direction = Direction(rawValue: segments[4])
        else { return nil }
        container = segments[2]
        environment = segments[3]
        self.direction = direction
        token = segments[5]
    }
}
