import Foundation

/// Runs `protoc` on the tests' own `.proto` files: the oracle for what bytes mean.
enum Protoc {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    /// What `protoc --encode` makes of messages in text form.
    static func encode(_ text: String, as type: String) throws -> [UInt8] {
        let result = try run("--encode=fanfare.example.\(type)", "--deterministic_output", input: Data(text.utf8))
        guard result.status == 0 else { throw Refusal(message: result.errors) }
        return [UInt8](result.output)
    }

    /// What `protoc --decode` makes of bytes, as text; nil if it refuses them.
    static func decode(_ bytes: [UInt8], as type: String) throws -> String? {
        let result = try run("--decode=fanfare.example.\(type)", input: Data(bytes))
        return result.status == 0 ? String(decoding: result.output, as: UTF8.self) : nil
    }

    struct Refusal: Error { let message: String }

    private static func run(_ arguments: String..., input: Data) throws -> Program.Result {
        let protos = folder.appendingPathComponent("Protos").path
        return try Program.run(["protoc", "--proto_path=\(protos)"] + arguments + ["Everything.proto"], input: input)
    }
}
