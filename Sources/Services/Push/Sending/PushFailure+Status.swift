extension PushFailure {
    /// The failure of a fault without an answer.
    init(_ fault: PushFault) { self.init(reason: fault.rawValue) }

    /// The failure of an answer without a word of the provider's.
    init(status: Int) { self.init(status: status, reason: Self.word(for: status)) }

    private static func word(for status: Int) -> String {
        switch status {
        case 300...399: "redirection"
        case 400: "bad-request"
        case 401: "unauthorized"
        case 403: "forbidden"
        case 404: "not-found"
        case 410: "gone"
        case 413: "too-large"
        case 429: "too-many-requests"
        case 400...499: "refused"
        case 500...599: "server-error"
        default: "unexpected-status"
        }
    }
}
