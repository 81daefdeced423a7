import CServedFiles
import CloudModel
import Cryptography
import HTTPServer
import TextForms

/// The JavaScript client, for pages of every origin: under addresses that stay, and under the name of its build.
struct ClientFileMount: Mount {
    /// The file's line at which the exports of the module begin, which a classic script does not have.
    private static let exports = "// MARK: Exports"

    private let files: [String: ServedFile]
    /// The name of the contents, a segment of addresses: other contents have another name.
    let build: String

    init() {
        let module = Self.bytes(fanfare_client_module(), fanfare_client_module_size())
        let types = Self.bytes(fanfare_client_types(), fanfare_client_types_size())
        files = [
            "fanfare.js": ServedFile(type: "text/javascript; charset=utf-8", bytes: module),
            "cloudkit.js": ServedFile(type: "text/javascript; charset=utf-8", bytes: Self.script(of: module)),
            "fanfare.d.ts": ServedFile(type: "application/typescript; charset=utf-8", bytes: types),
        ]
        build = Hexadecimal.encode(Array(SHA256.hash(SHA256.hash(module) + SHA256.hash(types)).prefix(8)))
    }

    var routes: [Route] {
        files.keys.sorted().map { name in
            Route(
                "client-file", path: PathPattern("/fanfare/\(name)"), origins: Self.origins,
                work: .now { request, _ in try response(name, to: request.head, isImmutable: false) })
        } + [
            Route(
                "client-file/build", title: "a file of the JavaScript client", path: "/fanfare/{build}/{file}",
                origins: Self.origins,
                work: .now { request, visit in
                    guard visit["build"] == build else {
                        throw CloudError(
                            .notFound,
                            "this service has another build of the client, \(build): load /fanfare/fanfare.js, "
                                + "whose Content-Location names it")
                    }
                    return try response(visit["file"] ?? "", to: request.head, isImmutable: true)
                })
        ]
    }

    private static let origins = OriginPolicy.any(exposing: ["ETag", "Content-Location"])

    private func response(_ name: String, to head: HTTPRequestHead, isImmutable: Bool) throws -> HTTPResponse {
        guard let file = files[name] else {
            throw CloudError(.notFound, "the JavaScript client has \(files.keys.sorted().joined(separator: ", "))")
        }
        let always = [("Cross-Origin-Resource-Policy", "cross-origin"), ("X-Content-Type-Options", "nosniff")]
        return file.response(
            to: head, caching: isImmutable ? ServedFile.immutable : "max-age=3600",
            further: always + (isImmutable ? [] : [("Content-Location", "\(build)/\(name)")]))
    }

    /// The module as a classic script, which defines `window.CloudKit` and nothing else.
    private static func script(of module: [UInt8]) -> [UInt8] {
        let text = String(decoding: module, as: UTF8.self)
        let body = text.firstPlace(of: exports).map { text[..<$0.lowerBound] } ?? text[...]
        return Array("(() => {\n'use strict';\n\(body)locate(document.currentScript?.src);\n})();\n".utf8)
    }

    private static func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
        Array(UnsafeBufferPointer(start: start, count: count))
    }
}
