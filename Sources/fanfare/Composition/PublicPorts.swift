import HTTPServer

/// The listeners that clients reach.
struct PublicPorts: Sendable {
    let api: HTTPServer
    /// The console's own listener; nil where it has none.
    let console: HTTPServer?

    var all: [HTTPServer] { [api] + [console].compactMap(\.self) }

    /// Stops to answer.
    func stop(grace: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            for server in all { group.addTask { await server.stop(grace: grace) } }
        }
    }
}
