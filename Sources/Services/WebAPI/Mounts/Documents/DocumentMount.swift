import CServedFiles
import HTTPServer

/// The contract of the public port, for anybody.
struct DocumentMount: Mount {
    static let path: PathPattern = "/openapi.yaml"

    var routes: [Route] {
        [
            Route(
                "openapi", path: Self.path,
                work: .page {
                    HTTPResponse(
                        status: 200,
                        headers: [
                            ("Content-Type", "application/yaml"), ("Access-Control-Allow-Origin", "*"),
                            ("Cache-Control", "max-age=3600"),
                        ], body: .bytes(Self.bytes))
                })
        ]
    }

    private static let bytes = Array(
        UnsafeBufferPointer(start: fanfare_openapi_document(), count: fanfare_openapi_document_size()))
}
