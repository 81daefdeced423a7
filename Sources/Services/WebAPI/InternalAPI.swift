package import HTTPServer

/// The internal port of every process: health and metrics.
package struct InternalAPI: HTTPHandler {
    private let router: Router

    /// - Parameter isReady: returns true if the process can do its work now.
    package init(isReady: @escaping @Sendable () async -> Bool) {
        router = Router([InternalMount(isReady: isReady)], dialect: PlainDialect())
    }

    package func admit(_ head: HTTPRequestHead) -> HTTPAdmission { router.admit(head) }

    package func answer(_ request: HTTPRequest) -> HTTPAnswer { router.answer(request) }

    package func refusal(_ refusal: HTTPRefusal) -> HTTPResponse { router.refusal(refusal) }
}
