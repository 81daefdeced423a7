package import HTTPServer
package import JSON

/// The internal port of every process: health, metrics, and how far its stages are.
package struct InternalAPI: HTTPHandler {
    private let router: Router

    /// - Parameters:
    ///     - obstacles: returns the reasons why the process cannot work now; none if it can.
    ///     - stages: returns the progress of the process's stages.
    ///     - token: required to read more than whether it lives and is ready; nil: nothing is required.
    package init(
        obstacles: @escaping @Sendable () async -> [String], stages: @escaping @Sendable () async -> JSONValue,
        token: String? = nil
    ) {
        router = Router(
            [InternalMount(obstacles: obstacles, stages: stages, token: token.map(InternalToken.init))],
            dialect: PlainDialect())
    }

    package func admit(_ head: HTTPRequestHead) -> HTTPAdmission { router.admit(head) }

    package func answer(_ request: HTTPRequest) -> HTTPAnswer { router.answer(request) }

    package func refusal(_ refusal: HTTPRefusal) -> HTTPResponse { router.refusal(refusal) }
}
