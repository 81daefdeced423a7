/// The routes of a port by their paths: one step a segment, no segment looked at twice.
struct RouteTree: Sendable {
    /// The paths that begin alike. Few texts follow one: comparing them in turn is faster than hashing.
    private struct Node {
        var texts: [(text: String, node: Int)] = []
        /// The node that any text leads to.
        var parameter: Int?
        var route: Route?
    }

    private var nodes = [Node()]

    /// Makes a tree of routes whose paths all differ. In a place with text and a parameter the text wins.
    init(_ routes: [Route]) {
        for route in routes { add(route, route.path.segments[...], below: 0) }
    }

    /// The route of a path; nil when it leads nowhere.
    func route(of segments: [String]) -> Route? {
        var place = 0
        for segment in segments {
            let next = nodes[place].texts.first { $0.text == segment }?.node ?? nodes[place].parameter
            guard let next else { return nil }
            place = next
        }
        return nodes[place].route
    }

    private mutating func add(_ route: Route, _ rest: ArraySlice<PathPattern.Segment>, below place: Int) {
        guard let segment = rest.first else {
            precondition(nodes[place].route == nil, "two routes have the path '\(route.path)'")
            nodes[place].route = route
            return
        }
        switch segment {
        case .text(let text): add(route, rest.dropFirst(), below: child(text, of: place))
        case .choice(_, let texts):
            for text in texts { add(route, rest.dropFirst(), below: child(text, of: place)) }
        case .parameter: add(route, rest.dropFirst(), below: parameter(of: place))
        }
    }

    private mutating func child(_ text: String, of place: Int) -> Int {
        if let known = nodes[place].texts.first(where: { $0.text == text }) { return known.node }
        nodes.append(Node())
        nodes[place].texts.append((text, nodes.count - 1))
        return nodes.count - 1
    }

    private mutating func parameter(of place: Int) -> Int {
        if let known = nodes[place].parameter { return known }
        nodes.append(Node())
        nodes[place].parameter = nodes.count - 1
        return nodes.count - 1
    }
}
