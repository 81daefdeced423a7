import FanfareCloudKit
import Foundation

/// A program that sends bytes and counts the answers, on the library's own transport: the lower bound for any library.
struct BareClient: Sendable {
    struct Refused: Error {
        var status: Int
        var body: String
    }

    private let transport = URLSessionTransport()
    private let url: String
    private let scope: String
    private let credentials: String

    init(_ settings: CKContainer.Configuration) async throws {
        url = settings.url
        scope = "\(settings.containerIdentifier)/\(settings.environment.rawValue)"
        let answer = try await transport.send(
            FanfareRequest(
                method: "POST", url: "\(url)/auth/1/\(scope)/signin?ckAPIToken=\(settings.apiToken)",
                body: Array(#"{"user": "bench"}"#.utf8)))
        let json = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        let session = (json?["ckWebAuthToken"] as? String ?? "").addingPercentEncoding(
            withAllowedCharacters: .alphanumerics)
        credentials = "ckAPIToken=\(settings.apiToken)&ckWebAuthToken=\(session ?? "")"
    }

    /// Sends a body of `records/modify`.
    func save(_ body: String) async throws {
        let answer = try await transport.send(
            FanfareRequest(
                method: "POST", url: "\(url)/database/1/\(scope)/private/records/modify?\(credentials)",
                body: Array(body.utf8)))
        guard answer.status == 200 else {
            throw Refused(status: answer.status, body: String(decoding: answer.body, as: UTF8.self))
        }
    }

    /// Reads the feed from its start until so many notifications have come.
    func read(_ count: Int) async throws {
        let stream = try await transport.stream(
            FanfareRequest(url: "\(url)/device/1/\(scope)/notifications/stream?deviceID=bench&\(credentials)"))
        guard stream.status == 200 else { throw Refused(status: stream.status, body: "") }
        let line = Array("event: notification".utf8)
        var (left, rest) = (count, ArraySlice<UInt8>())
        for try await bytes in stream {
            rest += bytes
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                if rest[..<end].elementsEqual(line) { left -= 1 }
                rest = rest[(end + 1)...]
            }
            if left <= 0 { return }
            rest = ArraySlice(Array(rest))
        }
    }
}
