/// A request that the server itself does not serve; `HTTPHandler.refusal` words the answer.
package enum HTTPRefusal: Error, Equatable {
    /// The body is larger than the admission or the configuration allows.
    case bodyTooLarge(maximumBytes: Int)
    /// The bodies of other requests fill the memory that bodies may take.
    case bodiesTooLarge
    /// The headers are larger, or more, than the configuration allows.
    case headersTooLarge(maximumBytes: Int)
    /// A method, a header's name or a header's value has a character it must not have, or there are two hosts.
    case malformedHeader
    /// The target is no path, or its escapes do not decode to UTF-8 without NUL.
    case malformedTarget
    /// `Host` is none of the names of the configuration.
    case foreignHost(String)
    /// The length of the body is stated twice or in two ways, as when a request is smuggled inside another.
    case ambiguousLength
    /// The body is a form of which no file can be read, or that does not end; or it has parts and is no form.
    case malformedForm
    /// The headers or the body did not arrive in time.
    case requestTimedOut
    /// The work of an answer did not end in time; it was cancelled.
    case answerTimedOut
    /// More connections are open than the configuration allows.
    case tooManyConnections
    /// The server is ending.
    case stopping
    /// The temporary file for the body could not be written.
    case bodyNotStored(reason: String)
    /// The handler's answer cannot be sent; the configuration's `log` was called too.
    case invalidResponse(reason: String)

    /// The status that fits.
    package var status: Int {
        switch self {
        case .bodyTooLarge: 413
        case .headersTooLarge: 431
        case .malformedHeader, .malformedTarget, .ambiguousLength, .malformedForm: 400
        case .foreignHost: 403
        case .requestTimedOut: 408
        case .answerTimedOut, .tooManyConnections, .stopping, .bodiesTooLarge: 503
        case .bodyNotStored, .invalidResponse: 500
        }
    }

    /// A text in English: the error and the client's remedy. It reveals nothing about the server's internals.
    package var message: String {
        switch self {
        case .bodyTooLarge(let maximum): "The body is larger than \(maximum) bytes; send less in one request."
        case .bodiesTooLarge: "Other requests' bodies fill the memory for them; try again later."
        case .headersTooLarge(let maximum): "The headers are larger than \(maximum) bytes; send fewer or shorter ones."
        case .malformedHeader: "A header or the method has characters that HTTP does not allow."
        case .malformedTarget: "The path or the query is not percent-encoded UTF-8."
        case .foreignHost(let name):
            "The service has no name '\(name.prefix(100))', which the header Host gives it; use its own address, or have its operator add the name to the setting host-names."
        case .ambiguousLength: "The length of the body is stated in more than one way."
        case .malformedForm:
            "The body is no multipart/form-data with a part and all of its boundaries, the last one too; send it so, or send the file alone."
        case .requestTimedOut: "The request did not arrive in time; send it again."
        case .answerTimedOut: "The answer took too long; try again."
        case .tooManyConnections: "Too many connections are open; try again later."
        case .stopping: "The server is stopping; try again."
        case .bodyNotStored: "The body could not be stored; try again later."
        case .invalidResponse: "The answer could not be sent."
        }
    }

    /// Indicates whether the bytes that follow on the connection can no longer be trusted to be a request.
    var closesConnection: Bool {
        switch self {
        case .malformedHeader, .ambiguousLength, .requestTimedOut, .tooManyConnections, .stopping, .headersTooLarge:
            true
        default: false
        }
    }
}
