import CloudModel
import HTTPServer

/// `GET /openapi.yaml`: the contract of the public port, for anybody.
enum ServedDocument {
    static let path = "/openapi.yaml"

    static func admit(_ method: String) -> HTTPAdmission {
        guard method != "GET" else { return .body(maximumBytes: 0) }
        var response = ErrorEncoding.response(.badRequest("\(path) answers GET, not \(method)"), status: 405)
        response.headers.append(("Allow", "GET"))
        return .refuse(response)
    }

    static func answer() -> HTTPResponse {
        HTTPResponse(
            status: 200,
            headers: [
                ("Content-Type", "application/yaml"), ("Access-Control-Allow-Origin", "*"),
                ("Cache-Control", "max-age=3600"),
            ], body: .bytes(bytes))
    }

    /// A string of Swift ends without the last newline.
    private static let bytes = OpenAPIDocument.yaml.withUTF8Buffer { Array($0) }
}
