import CloudCalls
import CloudModel
import JSON

extension CloudService {
    /// Calls an endpoint of a database; where the service says when it takes the request, it is sent again then.
    func patiently(_ scope: DatabaseScope, _ endpoint: String, _ body: JSONObject) async throws -> JSONValue {
        try await patiently { try await database(scope, endpoint, .object(body)) }
    }

    /// Sends a request; where the service says when it takes the request, it is sent again then.
    func patiently<Answer>(_ send: () async throws -> Answer) async throws -> Answer {
        while true {
            do {
                return try await send()
            } catch let error as FanfareError {
                guard error.code == .throttled, let seconds = error.retryAfterSeconds else { throw error }
                try await Task.sleep(for: .seconds(seconds))
            }
        }
    }
}
