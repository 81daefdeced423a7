import CloudModel
import HTTPServer
import Identity
import RecordService

/// The credentials of a request as its query items and headers have them. Nothing is checked but that they agree.
struct GivenCredentials: Sendable {
    static let apiTokenHeader = "X-Apple-CloudKit-API-Token"
    static let webAuthTokenHeader = "X-Apple-CloudKit-Web-Auth-Token"

    /// Nil for none; never empty.
    let apiToken: String?
    let webAuthToken: String?
    let signature: RequestSignature?

    /// - Throws: `BAD_REQUEST` when two places say different things, `AUTHENTICATION_FAILED` for half a signature.
    init(_ head: HTTPRequestHead) throws(CloudError) {
        apiToken = try Self.one(
            "the API token", Self.values(head, "ckAPIToken") + head.headers.values(Self.apiTokenHeader))
        webAuthToken = try Self.one(
            "the web auth token",
            Self.values(head, "ckWebAuthToken") + head.headers.values(Self.webAuthTokenHeader) + Self.bearer(head))
        signature = try Self.signature(head)
    }

    private static func values(_ head: HTTPRequestHead, _ name: String) -> [String] {
        head.query.filter { $0.name == name }.map(\.value)
    }

    /// Tokens of `Authorization: Bearer`; other schemes are for a proxy in front.
    private static func bearer(_ head: HTTPRequestHead) -> [String] {
        head.headers.values("Authorization").compactMap { value in
            guard value.utf8.count > 7, value.prefix(7).lowercased() == "bearer " else { return nil }
            return String(value.dropFirst(7).drop { $0 == " " })
        }
    }

    private static func one(_ what: String, _ values: [String]) throws(CloudError) -> String? {
        let given = Set(values.filter { !$0.isEmpty })
        guard given.count <= 1 else {
            throw .badRequest("\(what) is given twice and differs: send it in a header or as a query item, once")
        }
        return given.first
    }

    /// The three headers of a signature; nil when there is none of them.
    private static func signature(_ head: HTTPRequestHead) throws(CloudError) -> RequestSignature? {
        let names = ["KeyID", "ISO8601Date", "SignatureV1"].map { "X-Apple-CloudKit-Request-\($0)" }
        let values = names.map { head.headers[$0] ?? "" }
        guard values.contains(where: { !$0.isEmpty }) else { return nil }
        for (name, value) in zip(names, values) where value.isEmpty {
            throw CloudError(.authenticationFailed, "a signed request has the header \(name), too")
        }
        return RequestSignature(keyID: values[0], date: values[1], signature: values[2])
    }
}
