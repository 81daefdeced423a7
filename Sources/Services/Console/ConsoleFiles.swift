import Cryptography
import HTTPServer
import TextForms
import WebAPI

/// The files of the console as browsers get them: each plain and compressed, under the name of the build.
struct ConsoleFiles: Sendable {
    /// The file that `/console/` is.
    static let index = "index.html"
    /// The text in addresses of the index that the build's name takes the place of.
    private static let placeholder = "=\"BUILD/"

    /// The name of the files' contents, a segment of their addresses: other contents have another name.
    let build: String
    private let files: [String: ServedFile]

    /// - Parameter build: the name; nil makes one of the contents.
    init(_ files: [ConsoleFile], build: String? = nil) {
        let name = build ?? Self.name(of: files)
        self.build = name
        self.files = Dictionary(
            files.compactMap { file in
                file.type.map { (file.name, Self.served(file, $0, build: name)) }
            }
        ) { first, _ in first }
    }

    /// The answer with a file; nil where there is none of the name.
    /// - Parameter isImmutable: whether the address has no other content, ever.
    func response(_ name: String, to head: HTTPRequestHead, isImmutable: Bool) -> HTTPResponse? {
        files[name]?.response(to: head, caching: isImmutable ? ServedFile.immutable : "no-cache")
    }

    private static func name(of files: [ConsoleFile]) -> String {
        var all: [UInt8] = []
        for file in files.sorted(by: { $0.name < $1.name }) {
            all += SHA256.hash(Array(file.name.utf8)) + SHA256.hash(file.bytes)
        }
        return Hexadecimal.encode(Array(SHA256.hash(all).prefix(8)))
    }

    private static func served(_ file: ConsoleFile, _ type: String, build: String) -> ServedFile {
        guard file.name == index else { return ServedFile(type: type, bytes: file.bytes) }
        let text = String(decoding: file.bytes, as: UTF8.self)
        return ServedFile(type: type, bytes: Array(text.exchanging(placeholder, for: "=\"\(build)/").utf8))
    }
}
