package import CloudModel
import Cryptography
import TextForms

/// A sign-in in a browser between its page and the provider's answer: the secrets that tie both together (RFC 7636,
/// OpenID Connect Core 3.1.2.1), and the destination of the session.
package struct SignInAttempt: Hashable, Sendable {
    /// The place that a session is handed to.
    package enum Destination: Hashable, Sendable {
        /// The page that opened the window, if it is of this origin.
        case opener(origin: String)
        /// An address that gets the token as a query item.
        case callback(String)
        /// The page of a share, by its short GUID.
        case share(String)
        /// A page of the console's own origin that waits on a channel of this name.
        case channel(String)
        /// The same, for an operator, who gets no session of a user.
        case operatorChannel(String)
        /// The reader, by copying it.
        case reader
    }

    /// The time for which an attempt is good.
    package static let lifetime = Duration.seconds(600)

    /// Distinguishes the browser that started from another one that was redirected here.
    package let state: String
    /// Distinguishes the ID token of this attempt from another one of the same user.
    package let nonce: String
    /// Proves to the provider that the client with the code is the one that requested it.
    package let verifier: String
    /// The place that the session is handed to.
    package let destination: Destination
    /// Indicates whether the user is kept signed in.
    package let isKeptSignedIn: Bool
    /// The time when the attempt ends by itself.
    package let expires: Timestamp

    init(
        state: String, nonce: String, verifier: String, destination: Destination, isKeptSignedIn: Bool,
        expires: Timestamp
    ) {
        self.state = state
        self.nonce = nonce
        self.verifier = verifier
        self.destination = destination
        self.isKeptSignedIn = isKeptSignedIn
        self.expires = expires
    }

    /// An attempt that begins now, with secrets of its own.
    package init(to destination: Destination, isKeptSignedIn: Bool, at now: Timestamp) {
        func secret() -> String { Base64.url.encode(SecureRandom.bytes(count: 32)) }
        self.init(
            state: secret(), nonce: secret(), verifier: secret(), destination: destination,
            isKeptSignedIn: isKeptSignedIn,
            expires: Timestamp(milliseconds: now.milliseconds + Self.lifetime.components.seconds * 1000))
    }

    /// The hash of the verifier that the provider is shown first.
    var challenge: String { Base64.url.encode(SHA256.hash(Array(verifier.utf8))) }
}
