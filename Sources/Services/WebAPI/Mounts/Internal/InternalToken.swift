import Cryptography
import HTTPServer

/// The token of the internal port, which requests show as `Authorization: Bearer …`.
struct InternalToken: Sendable {
    private let bytes: [UInt8]

    init(_ token: String) { bytes = Array(token.utf8) }

    /// Returns true if the request shows it.
    func isShown(by head: HTTPRequestHead) -> Bool {
        head.headers.values("Authorization").contains { value in
            guard value.utf8.count > 7, value.prefix(7).lowercased() == "bearer " else { return false }
            return ConstantTime.areEqual(Array(value.utf8.dropFirst(7)), bytes)
        }
    }
}
