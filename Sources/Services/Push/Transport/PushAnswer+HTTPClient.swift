import HTTPClient

extension PushAnswer {
    /// The end of a request by `HTTPClient`.
    static func reading(_ send: () async throws -> HTTPClientResponse) async -> PushAnswer {
        do {
            let response = try await send()
            // Nobody asks for the fields of a push that was taken: most are, and texts cost more than their answers.
            let isTaken = (200..<300).contains(response.status)
            return .response(
                PushResponse(
                    status: response.status,
                    headers: isTaken ? [] : response.headers.all.map { ($0.name.lowercased(), $0.value) },
                    body: response.body))
        } catch let error as HTTPClientError {
            let fault = PushFault(error.kind)
            return error.retry == .always || fault == .forbiddenAddress ? .unprocessed(fault) : .unknown(fault)
        } catch {
            return .unknown(.other)
        }
    }
}

extension PushFault {
    /// The fault of a failed request.
    init(_ kind: HTTPClientError.Kind) {
        self =
            switch kind {
            case .resolution, .connection: .connection
            case .connectionLost: .reset
            case .refused: .refused
            case .timedOut: .timeout
            case .forbiddenAddress: .forbiddenAddress
            case .tls: .tls
            case .invalidRequest, .responseTooLarge, .malformedResponse, .closed: .other
            }
    }
}
