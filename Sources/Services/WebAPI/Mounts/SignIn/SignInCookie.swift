import CloudModel
import HTTPServer
import Identity

/// The cookie of a browser that has the latest sign-ins that were begun in it, sealed, the latest first. One cookie in
/// all: each request of the browser carries it, and its headers have a limit.
struct SignInCookie: Sendable {
    /// Sign-ins in several windows do not disturb each other, up to this number.
    static let attemptsMax = 5
    /// Bytes of the value, of the 4,096 that browsers take of a cookie.
    static let valueBytesMax = 3500
    /// No sealed text has it, and a cookie may.
    private static let separator: Character = "~"

    /// With the prefix, browsers take the cookie from this host alone, and over TLS: no page of a neighbour's domain
    /// sets it (RFC 6265bis, 4.1.3.2). It wants `Secure` and the path `/`.
    let name: String
    private let isSecure: Bool
    private var sealed: [Substring]

    /// The cookie that a request carries; without attempts if it carries none.
    init(_ head: HTTPRequestHead, _ scope: APIScope) {
        isSecure = scope.url(asSeenBy: head).hasPrefix("https:")
        let name = isSecure ? "__Host-fanfare-sign-in" : "fanfare-sign-in"
        self.name = name
        sealed = head.headers.values("Cookie").flatMap { $0.split(separator: ";") }.flatMap { item in
            let item = item.drop { $0 == " " }
            return item.hasPrefix("\(name)=")
                ? item.dropFirst(name.utf8.count + 1).split(separator: Self.separator) : []
        }
        sealed = Array(sealed.prefix(2 * Self.attemptsMax))
    }

    /// The attempt that an answer of the provider belongs to.
    /// - Throws: as `SignInAttempts.open`.
    func attempt(
        _ state: String, _ signIns: SignInAttempts, in scope: ContainerEnvironment, at now: Timestamp
    ) throws(CloudError) -> SignInAttempt {
        for text in sealed {
            if let attempt = try? signIns.open(String(text), state: state, in: scope, at: now) { return attempt }
        }
        // The reason, of the attempt that has the state or of none.
        return try signIns.open(
            sealed.first { signIns.state(of: String($0)) == state }.map(String.init), state: state, in: scope, at: now)
    }

    /// The header that adds an attempt; the oldest ones make room for it.
    mutating func add(_ text: String, _ signIns: SignInAttempts) -> String {
        sealed = [text[...]] + sealed.filter { signIns.state(of: String($0)) != nil }
        sealed = Array(sealed.prefix(Self.attemptsMax))
        while sealed.count > 1, value.utf8.count > Self.valueBytesMax { sealed.removeLast() }
        return header
    }

    /// The header that takes out the attempt of a state.
    mutating func remove(_ state: String, _ signIns: SignInAttempts) -> String {
        sealed = sealed.filter { ![nil, state].contains(signIns.state(of: String($0))) }
        sealed = Array(sealed.prefix(Self.attemptsMax))
        return header
    }

    private var value: String { sealed.joined(separator: String(Self.separator)) }

    private var header: String {
        let seconds = sealed.isEmpty ? 0 : SignInAttempt.lifetime.components.seconds
        return "\(name)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Lax\(isSecure ? "; Secure" : "")"
    }
}
