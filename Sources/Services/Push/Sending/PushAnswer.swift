/// The end of a request.
package enum PushAnswer: Sendable {
    /// The provider has answered.
    case response(PushResponse)
    /// No answer came, and the provider certainly did not process the request: no connection, a refused stream, a
    /// stream above the last one of GOAWAY (`reset`).
    case unprocessed(PushFault)
    /// No answer came, and nobody knows whether the provider processed the request.
    case unknown(PushFault)
}

extension PushAnswer {
    /// The outcome: what a reader makes of the response, or that of a fault.
    func outcome(_ read: (PushResponse) -> PushOutcome) -> PushOutcome {
        switch self {
        case .response(let response): read(response)
        case .unprocessed(.forbiddenAddress), .unknown(.forbiddenAddress): .dropped(PushFailure(.forbiddenAddress))
        case .unprocessed(.refused): .failed(PushFailure(.refused), .atOnce)
        case .unprocessed(.reset): .failed(PushFailure(.reset), .atOnce)
        // Also without a connection: a host that is down must not be called without a pause.
        case .unprocessed(let fault), .unknown(let fault): .failed(PushFailure(fault), .line(after: nil))
        }
    }
}

/// The answer of a provider. It is never shown to users.
package struct PushResponse: Sendable {
    package var status: Int
    /// Names are in lower case.
    package var headers: [(name: String, value: String)]
    /// At most 4 KiB; the rest is cut off.
    package var body: [UInt8]

    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// The kinds of failures without an answer.
package enum PushFault: String, CaseIterable, Sendable {
    /// There is no connection: the name is unknown, or the host does not accept.
    case connection = "no-connection"
    /// The connection ended; `unprocessed` where GOAWAY says so.
    case reset = "connection-lost"
    /// The stream was refused on a connection that lives.
    case refused = "stream-refused"
    case timeout = "time-out"
    /// The guard against forged addresses refuses the host or its address.
    case forbiddenAddress = "address-not-allowed"
    case tls = "no-trust"
    case other = "no-answer"
}
