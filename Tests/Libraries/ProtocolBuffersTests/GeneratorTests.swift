import Foundation
import Testing

/// `scripts/generate-messages` as its users run it.
@Suite struct GeneratorTests {
    private static let root = Protoc.folder.appendingPathComponent("../../..").standardizedFileURL
    private static let generator = root.appendingPathComponent("scripts/generate-messages").path

    @Test func `the committed Swift is what the protos give`() throws {
        let protos = ["Everything.proto", "Shades.proto"].map {
            Protoc.folder.appendingPathComponent("Protos/\($0)").path
        }
        let generated = Protoc.folder.appendingPathComponent("Generated").path
        let result = try Program.run([Self.generator] + protos + ["--out", generated, "--check"])
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test func `an outdated folder is reported, then corrected, and a message without a proto is removed`() throws {
        try withProto("message A { int32 x = 1; }") { proto, out in
            let stale = out.appendingPathComponent("Gone.pb.swift")
            try Data("old".utf8).write(to: stale)
            let check = try Program.run([Self.generator, proto.path, "--out", out.path, "--check"])
            #expect(check.status == 1)
            #expect(check.errors.contains("Gone.pb.swift, Test.pb.swift differ"))
            #expect(try Program.run([Self.generator, proto.path, "--out", out.path]).status == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: out.path) == ["Test.pb.swift"])
            #expect(try Program.run([Self.generator, proto.path, "--out", out.path, "--check"]).status == 0)
        }
    }

    @Test(arguments: [
        ("message A { float f = 1; }", "Test.proto: message A, field f: float (use double) is not supported"),
        ("message A { message B { fixed32 f = 1; } }", "message A.B, field f: fixed32 (use uint32) is not supported"),
        ("message A { repeated sfixed32 f = 1; }", "message A, field f: sfixed32 (use sint32) is not supported"),
        ("message A { map<int32, string> m = 1; }", "message A, field m: only map<string, …> is supported"),
        ("message A { map<string, float> m = 1; }", "message A, field m: float (use double) is not supported"),
        ("message A { repeated int32 f = 1 [packed = false]; }", "message A, field f: packed = false is not supported"),
        ("message A { string self = 1; }", "message A, field self: no Swift property can be named self"),
        ("message A { message C {} oneof c { int32 x = 1; } }", "message A, oneof c: the name is taken"),
        ("message String {}", "String: the name is in use by Swift or by ProtocolBuffers"),
        ("enum E { option allow_alias = true; A = 0; B = 0; }", "enum E: two names for one number are not supported"),
        ("enum E { A = 0; unrecognized = 1; }", "enum E: two values would have one name in Swift"),
        ("service S {}", "Test.proto: services are not supported"),
        (
            "import \"Other.proto\"; message A { Other t = 1; }",
            "message A, field t: Other is in no file that was given"
        ),
    ])
    func `a form outside the subset is an error that names the place`(body: String, error: String) throws {
        try withProto(body) { proto, out in
            let result = try Program.run([Self.generator, proto.path, "--out", out.path])
            #expect(result.status == 1)
            #expect(result.errors.contains(error), "\(result.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: out.path).isEmpty)
        }
    }

    @Test func `proto2 is refused`() throws {
        try withProto("message A { optional int32 x = 1; }", syntax: "proto2") { proto, out in
            let result = try Program.run([Self.generator, proto.path, "--out", out.path])
            #expect(result.errors.contains("only syntax = \"proto3\" is read"))
        }
    }

    private func withProto(_ body: String, syntax: String = "proto3", run: (URL, URL) throws -> Void) throws {
        let folder = try Program.temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let proto = folder.appendingPathComponent("Test.proto")
        let out = folder.appendingPathComponent("out")
        try FileManager.default.createDirectory(at: out, withIntermediateDirectories: true)
        try Data("syntax = \"\(syntax)\";\n\(body)\n".utf8).write(to: proto)
        try Data("syntax = \"proto3\"; message Other {}".utf8).write(to: folder.appendingPathComponent("Other.proto"))
        try run(proto, out)
    }
}
