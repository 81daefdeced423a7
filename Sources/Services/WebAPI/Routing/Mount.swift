/// Serves some paths of a port: a table of routes, and whatever their work needs.
///
/// The router around the mounts finds the route, refuses other methods, answers browsers that ask first, looks up the
/// container, names the answer and words errors. A mount does none of that.
package protocol Mount: Sendable {
    /// One row for each path. Asked once, when the port begins to serve.
    var routes: [Route] { get }

    /// The paths with headers of their own; nil, the default, for none.
    var area: MountArea? { get }
}

extension Mount {
    package var area: MountArea? { nil }
}

/// Paths with the same first segment, and the headers that each answer below them has, also one without a route.
package struct MountArea: Sendable {
    /// The first segment of the paths.
    let segment: String
    /// Headers of every answer that has no header of the name itself.
    let headers: [(String, String)]

    package init(segment: String, headers: [(String, String)]) {
        self.segment = segment
        self.headers = headers
    }
}
