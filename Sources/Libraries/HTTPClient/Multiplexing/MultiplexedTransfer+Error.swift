import CCurl

extension MultiplexedTransfer {
    /// The failure for the sender of the request.
    func error(_ code: CURLcode) -> HTTPClientError {
        let request = transfer.request
        if isForbidden {
            return HTTPClientError(
                .forbiddenAddress, .never, request, "the host has no address that may be connected to.")
        }
        switch interruption {
        case .refused?:
            return HTTPClientError(
                .refused, .always, request, "the server did not take the request. Send it on another connection.")
        case .headTooLarge?:
            return HTTPClientError(.responseTooLarge, .never, request, "the answer's head is too large.")
        case .lost?:
            return HTTPClientError(
                .connectionLost, .ifIdempotent, request, "\(detail). Try again if it may be done twice.")
        default: return HTTPClientError(code, request, detail: detail, wasSent: connection != nil)
        }
    }
}

extension HTTPClientError {
    init(silent request: HTTPClientRequest) {
        self.init(
            .connectionLost, .ifIdempotent, request,
            "nothing came on the connection for too long. Try again if it may be done twice.")
    }

    /// The failure of a connection for another request that waited for it.
    func forSameHost(_ request: HTTPClientRequest) -> HTTPClientError {
        HTTPClientError(kind, retry, request, reason)
    }
}
