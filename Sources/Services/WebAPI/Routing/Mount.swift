/// Serves some paths of a port: a table of routes, and whatever their work needs.
///
/// The router around the mounts finds the route, refuses other methods, answers browsers that ask first, looks up the
/// container, names the answer and words errors. A mount does none of that.
protocol Mount: Sendable {
    /// One row for each path. Asked once, when the port begins to serve.
    var routes: [Route] { get }
}
