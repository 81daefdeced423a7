import CServedFiles
import Cryptography
import HTTPServer
import TextForms

/// The service worker that shows pushes in browsers, for workers of every origin to import.
struct ServiceWorkerMount: Mount {
    static let path: PathPattern = "/fanfare/service-worker.js"

    var routes: [Route] {
        [
            Route(
                "service-worker", path: Self.path, origins: .any(exposing: ["ETag"]),
                work: .now { request, _ in Self.response(to: request.head) })
        ]
    }

    private static func response(to head: HTTPRequestHead) -> HTTPResponse {
        // Browsers ask again for what a worker imports, and start a new worker if it differs.
        let cached = [
            ("ETag", entityTag), ("Cache-Control", "max-age=3600"), ("Cross-Origin-Resource-Policy", "cross-origin"),
        ]
        if let known = head.headers["If-None-Match"], HeaderList(known).names(entityTag) {
            return HTTPResponse(
                status: 304, headers: cached, body: .stream(HTTPResponseStream(length: bytes.count)))
        }
        return HTTPResponse(
            status: 200,
            headers: cached + [
                ("Content-Type", "text/javascript; charset=utf-8"), ("X-Content-Type-Options", "nosniff"),
            ], body: .bytes(bytes))
    }

    private static let bytes = Array(
        UnsafeBufferPointer(start: fanfare_service_worker(), count: fanfare_service_worker_size()))

    private static let entityTag = "\"\(Base64.url.encode(SHA256.hash(bytes)))\""
}
