package import HTTPServer

/// The internal port of every process: health and metrics.
package struct InternalAPI: HTTPHandler {
    private let router: Router

    /// - Parameters:
    ///   - isReady: returns true if the process can do its work now.
    ///   - reasons: returns what keeps it from its work, for people; ready is who has none.
    package init(
        isReady: @escaping @Sendable () async -> Bool, reasons: @escaping @Sendable () -> [String] = { [] }
    ) {
        router = Router([InternalMount(isReady: isReady, reasons: reasons)], dialect: PlainDialect())
    }

    package func admit(_ head: HTTPRequestHead) -> HTTPAdmission { router.admit(head) }

    package func answer(_ request: HTTPRequest) -> HTTPAnswer { router.answer(request) }

    package func refusal(_ refusal: HTTPRefusal) -> HTTPResponse { router.refusal(refusal) }
}
