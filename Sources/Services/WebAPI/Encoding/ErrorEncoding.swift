import CloudJSON
import CloudModel
import HTTPServer
import JSON

/// Writes the errors of answers and of their items.
enum ErrorEncoding {
    static let refusals = RefusalCounters()

    /// The answer to a request that failed as a whole; its `uuid` is in the header too.
    static func response(_ error: CloudError, status: Int? = nil, id: String = RequestID.make()) -> HTTPResponse {
        var body: JSONObject = ["uuid": .string(id)]
        body = item(error, into: body)
        var headers = [(RequestID.header, id)]
        if let seconds = error.retryAfterSeconds { headers.append(("Retry-After", "\(seconds)")) }
        return JSONResponse.make(.object(body), status: status ?? error.code.httpStatus, headers: headers)
    }

    /// Adds an error to what names its item.
    static func item(_ error: CloudError, into item: JSONObject) -> JSONObject {
        var item = item
        refusals.count(error.code)
        ErrorJSON.add(error, to: &item)
        if item["uuid"] == nil { item["uuid"] = .string(RequestID.make()) }
        return item
    }
}
