import CloudModel

/// The paths of a route, as `docs/openapi.yaml` writes them: `/device/1/{container}/{environment}/devices/list`.
package struct PathPattern: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringInterpolation {
    /// One segment, and the texts that it matches.
    package enum Segment: Hashable, Sendable {
        /// This text.
        case text(String)
        /// Any text, even none.
        case parameter(String)
        /// One of these texts.
        case choice(String, of: [String])

        /// The parameter's name; nil for text.
        var name: String? {
            switch self {
            case .text: nil
            case .parameter(let name), .choice(let name, _): name
            }
        }
    }

    /// Parameters that have few values: a path with another one leads nowhere.
    private static let choices = ["database": DatabaseScope.allCases.map(\.description)]

    package let description: String
    let segments: [Segment]
    /// The place of the segment `{container}`, after which `{environment}` follows; nil for paths of no container.
    let containerPlace: Int?
    /// The place of the segment `{database}`; nil for paths of no database.
    let databasePlace: Int?

    /// Reads a pattern: an absolute path, whose segments in braces are parameters.
    package init(_ text: String) {
        precondition(text.hasPrefix("/"), "the path '\(text)' begins with a slash")
        description = text
        segments = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { part in
            guard part.hasPrefix("{"), part.hasSuffix("}") else { return .text(String(part)) }
            let name = String(part.dropFirst().dropLast())
            return Self.choices[name].map { .choice(name, of: $0) } ?? .parameter(name)
        }
        databasePlace = segments.firstIndex { $0.name == "database" }
        containerPlace = segments.firstIndex { $0.name == "container" }
        if let place = containerPlace {
            precondition(
                segments.indices.contains(place + 1) && segments[place + 1].name == "environment",
                "the path '\(text)' has its environment behind its container")
        }
    }

    package init(stringLiteral text: String) { self.init(text) }

    /// The place of a parameter's segment; nil when the pattern has none of the name.
    func place(of name: String) -> Int? { segments.firstIndex { $0.name == name } }
}
