import HTTPServer
import JSON

/// Answers of JSON.
enum JSONResponse {
    static func make(_ body: JSONValue, status: Int = 200, headers: [(String, String)] = []) -> HTTPResponse {
        // Values of records are finite and no deeper than the schema allows, so that writing them cannot fail.
        let bytes = (try? body.serialized()) ?? Array("{}".utf8)
        return HTTPResponse(
            status: status,
            headers: [("Content-Type", "application/json; charset=utf-8"), ("Cache-Control", "no-store")] + headers,
            body: .bytes(bytes))
    }
}
