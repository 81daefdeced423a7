import Foundation
import JSON
import Testing

/// Tokens as clients hand them back: decoded and encoded again, in the alphabet and with the padding that their
/// libraries have.
@Suite("5.3 Forms of tokens") struct TokenFormTests {
    enum Form: String, CaseIterable {
        case standard, standardUnpadded, url, urlPadded

        /// The same token in this form.
        func text(_ token: String) throws -> String {
            let plain = token.replacing("-", with: "+").replacing("_", with: "/").replacing("=", with: "")
            let padding = String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
            let padded = try #require(Data(base64Encoded: plain + padding)).base64EncodedString()
            switch self {
            case .standard: return padded
            case .standardUnpadded: return padded.replacing("=", with: "")
            case .url: return Self.url(padded).replacing("=", with: "")
            case .urlPadded: return Self.url(padded)
            }
        }

        private static func url(_ text: String) -> String {
            text.replacing("+", with: "-").replacing("/", with: "_")
        }
    }

    @Test("5.3 tokens of feeds are taken in either alphabet, padded or not", arguments: Form.allCases)
    func feeds(form: Form) async throws {
        let user = try await ConformanceService.shared().user()
        // Names of different lengths make tokens that end in different ways.
        for length in 1...3 {
            let name = "zone-\(String(repeating: "x", count: length))"
            _ = try await user.post(
                "zones/modify",
                ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": .string(name)]]]]])
            let page = try await user.post("changes/zone", ["zones": [["zoneID": ["zoneName": .string(name)]]]])
            let token = try form.text(try #require(page.items("zones").first?["syncToken"]?.string, "\(page)"))
            let next = try await user.post(
                "changes/zone",
                ["zones": [["zoneID": ["zoneName": .string(name)], "syncToken": .string(token)]]])
            #expect(next.items("zones").first?["moreComing"] == false, "\(next)")
        }
        for (endpoint, member) in [("changes/database", "syncToken"), ("zones/changes", "metaSyncToken")] {
            let page = try await user.post(endpoint, [:])
            let token = try form.text(try #require(page.json[member]?.string, "\(page)"))
            let next = try await user.post(endpoint, .object([member: .string(token)]))
            #expect(next.status == 200 && next.json["moreComing"] == false, "\(next)")
        }
    }

    @Test("5.6 a continuationMarker is taken in either alphabet, padded or not", arguments: Form.allCases)
    func markers(form: Form) async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        for name in ["a", "bb", "ccc", "dddd"] { try await user.save(name, type, ["n": 1]) }
        var body: JSONObject = ["query": ["recordType": .string(type)], "resultsLimit": 1]
        var found: [String?] = []
        repeat {
            let page = try await user.post("records/query", .object(body))
            #expect(page.status == 200, "\(page)")
            found += page.items("records").map(\.recordName)
            body["continuationMarker"] = try page.json["continuationMarker"]?.string.map { .string(try form.text($0)) }
        } while body["continuationMarker"] != nil && found.count < 9
        #expect(found == ["a", "bb", "ccc", "dddd"])
    }

    @Test("5.14 a web auth token is taken in either alphabet, padded or not", arguments: Form.allCases)
    func webAuthTokens(form: Form) async throws {
        var user = try await ConformanceService.shared().user()
        user.webAuthToken = try form.text(try #require(user.webAuthToken))
        #expect(try await user.get("zones/list").status == 200)
    }

    @Test("a serverChangeToken is taken in either alphabet, padded or not", arguments: Form.allCases)
    func changeTokens(form: Form) async throws {
        let service = try await ConformanceService.shared()
        let user = try await service.user()
        let path = "/device/1/\(service.container)/\(service.environment)"
        let device = JSONValue.string(Unique.text())
        _ = try await user.post(path: "\(path)/devices/register", ["deviceID": device])
        let page = try await user.post(path: "\(path)/notifications/changes", ["deviceID": device])
        let token = try form.text(try #require(page.json["serverChangeToken"]?.string, "\(page)"))
        let next = try await user.post(
            path: "\(path)/notifications/changes", ["deviceID": device, "serverChangeToken": .string(token)])
        #expect(next.status == 200, "\(next)")
    }
}
