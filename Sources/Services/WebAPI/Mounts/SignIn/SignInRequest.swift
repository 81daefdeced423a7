import CloudModel
import HTTPServer
import Identity

/// A wish to sign in on a page: whose app it is for, and where the session goes. Checked against the API token, so that
/// no page gets what it was not meant to have.
struct SignInRequest: Sendable {
    /// The form's names are the query's.
    enum Name {
        static let apiToken = "ckAPIToken"
        static let origin = "origin"
        static let callback = "callback"
        static let share = "share"
        static let channel = "channel"
        static let isOperator = "operator"
        static let keep = "keepSignedIn"
        static let user = "user"
    }

    let destination: SignInAttempt.Destination
    /// The same wish, for a form.
    let items: [(name: String, value: String)]

    /// - Throws: `AUTHENTICATION_FAILED` for an unknown API token, `ACCESS_DENIED` for an origin that it is not for.
    init(_ given: [HTTPQueryItem], _ scope: APIScope) async throws {
        func value(_ name: String) -> String? {
            given.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
        }
        // The page of a share is our own, and what it hands out is an answer to its reader.
        if let guid = value(Name.share) {
            try Self.checkLength(guid)
            destination = .share(guid)
            items = [(Name.share, guid)]
            return
        }
        guard let token = value(Name.apiToken) else {
            throw CloudError.badRequest("the address lacks ckAPIToken: take it whole, as redirectURL has it")
        }
        guard let known = try await scope.identity.apiToken(token) else { throw Credentials.unknown(token, scope) }
        let app = (Name.apiToken, token)
        if let channel = value(Name.channel) {
            try Self.check(channel: channel)
            let isOperator = value(Name.isOperator) != nil
            guard !isOperator || scope.operatorCodes != nil else {
                throw CloudError(
                    .accessDenied, "no operator signs in on this page; the settings operators and oidc-issuer let them")
            }
            destination = isOperator ? .operatorChannel(channel) : .channel(channel)
            items = [app, (Name.channel, channel)] + (isOperator ? [(Name.isOperator, "1")] : [])
        } else if let callback = value(Name.callback) {
            try Self.check(callback: callback, known)
            destination = .callback(callback)
            items = [app, (Name.callback, callback)]
        } else if let origin = value(Name.origin) {
            try Self.checkLength(origin)
            let origin = try APIToken.origin(origin)
            guard known.allows(origin) else { throw CrossOrigin.foreign(origin) }
            destination = .opener(origin: origin)
            items = [app, (Name.origin, origin)]
        } else {
            destination = .reader
            items = [app]
        }
    }

    /// Refuses names of channels that others may guess, or that would not fit the cookie of an attempt.
    private static func check(channel: String) throws(CloudError) {
        let isName = channel.utf8.allSatisfy { byte in
            Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber
                || "-_".utf8.contains(byte)
        }
        guard (16...64).contains(channel.utf8.count), isName, channel.allSatisfy(\.isASCII) else {
            throw .badRequest("channel is a random name of 16 to 64 letters, digits, '-' and '_'")
        }
    }

    /// Refuses texts that would not fit the cookie of an attempt.
    private static func checkLength(_ text: String) throws(CloudError) {
        guard text.utf8.count <= Limits.callbackBytesMax else {
            throw .badRequest("origin and share have at most \(Limits.callbackBytesMax) bytes")
        }
    }

    /// Checks that the API token names an address, whole: an open redirection elsewhere on its origin would hand the
    /// session on (RFC 9700, 2.1).
    private static func check(callback: String, _ known: APIToken) throws(CloudError) {
        guard known.callbacks.contains(callback) else {
            throw CloudError(
                .accessDenied,
                "callback is '\(callback.prefix(200))', which the API token does not name; fanfare token create --callback makes one that does"
            )
        }
    }

    /// The origin that the session goes to, for people; nil where it stays here.
    var origin: String? {
        switch destination {
        case .opener(let origin): origin
        case .callback(let address): APIToken.beginning(of: address)
        case .share, .channel, .operatorChannel, .reader: nil
        }
    }
}
