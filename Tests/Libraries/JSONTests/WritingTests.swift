import JSON
import Testing

@Suite struct WritingTests {
    @Test(
        arguments: [
            (nil, "null"), (true, "true"), (false, "false"), (0, "0"), (-1, "-1"),
            (.integer(.max), "9223372036854775807"),
            (.integer(.min), "-9223372036854775808"), (1.0, "1.0"), (-0.0, "-0.0"), (0.1, "0.1"), (1e300, "1e+300"),
            (.double(.leastNonzeroMagnitude), "5e-324"),
            (.double(0.1 + 0.2), "0.30000000000000004"), (100_000.0, "100000.0"), ("", "\"\""),
            ("a\"\\/\n\r\t\u{8}\u{0}\u{1f}", "\"a\\\"\\\\/\\n\\r\\t\\u0008\\u0000\\u001f\""),
            ("ü😀\u{2028}\u{7f}", "\"ü😀\u{2028}\u{7f}\""), ([], "[]"), ([:], "{}"),
            ([1, [2], ["a": [:]]], "[1,[2],{\"a\":{}}]"),
            (["b": 1, "a": [nil]], "{\"b\":1,\"a\":[null]}"), (["q\"": 1], "{\"q\\\"\":1}"),
        ] as [(JSONValue, String)])
    func `values have one form`(value: JSONValue, text: String) throws {
        #expect(String(decoding: try value.serialized(), as: UTF8.self) == text)
        #expect(try parse(text) == value)
    }

    @Test func `pretty text is indented and means the same`() throws {
        let value: JSONValue = ["a": [1, [:], []], "b": ["c": nil]]
        let text = """
            {
              "a": [
                1,
                {},
                []
              ],
              "b": {
                "c": null
              }
            }
            """
        #expect(String(decoding: try value.serialized(pretty: true), as: UTF8.self) == text)
        #expect(try parse(text) == value)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `doubles that are not finite are refused`(value: Double) {
        #expect(throws: JSONError.self) { try JSONValue.array([1, .double(value)]).serialized() }
    }

    @Test func `64 levels are written and 65 are not`() throws {
        let deepest = (1..<64).reduce(JSONValue.array([])) { inner, level in level % 2 == 0 ? [inner] : ["k": inner] }
        #expect(try JSONValue(parsing: deepest.serialized()) == deepest)
        #expect(throws: JSONError.self) { try JSONValue.array([deepest]).serialized() }
    }

    @Test func `a text is written without a tree`() throws {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("name", "a")
        writer.member("count", 2)
        writer.member("flag", true)
        try writer.member("ratio", 0.25)
        try writer.member("tree", [nil, ["y": "z"]])
        writer.key("list")
        writer.beginArray()
        writer.null()
        try writer.value(0.5)
        writer.beginObject()
        writer.endObject()
        try writer.value(["x": [1]] as JSONValue)
        writer.endArray()
        #expect(!writer.isComplete)
        writer.endObject()
        #expect(writer.isComplete)
        let text =
            #"{"name":"a","count":2,"flag":true,"ratio":0.25,"tree":[null,{"y":"z"}],"list":[null,0.5,{},{"x":[1]}]}"#
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
    }

    @Test func `calls in an order that gives no JSON end the program`() async {
        await #expect(processExitsWith: .failure) {
            var writer = JSONWriter()
            writer.beginObject()
            writer.value(1)
        }
        await #expect(processExitsWith: .failure) {
            var writer = JSONWriter()
            writer.beginArray()
            writer.key("a")
        }
        await #expect(processExitsWith: .failure) {
            var writer = JSONWriter()
            writer.beginArray()
            writer.endObject()
        }
        await #expect(processExitsWith: .failure) {
            var writer = JSONWriter()
            writer.null()
            writer.null()
        }
    }
}
