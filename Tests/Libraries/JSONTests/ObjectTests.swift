import JSON
import Testing

@Suite struct ObjectTests {
    /// Below and above the size from which keys are hashed.
    @Test(arguments: [1, 5, 11, 12, 13, 100])
    func `members keep their order and are found, changed and removed by key`(count: Int) {
        var object = JSONObject()
        for number in 0..<count { object["key \(number)"] = .integer(Int64(number)) }
        #expect(object.map(\.key) == (0..<count).map { "key \($0)" })
        for number in 0..<count { #expect(object["key \(number)"] == .integer(Int64(number))) }
        #expect(object["key \(count)"] == nil)
        object["key 0"] = "changed"
        #expect(object.first?.value == "changed")
        object["key 0"] = nil
        #expect(object.count == count - 1)
        for number in 1..<count { #expect(object["key \(number)"] == .integer(Int64(number))) }
        object["key 0"] = 0
        #expect(Array(object).last?.key == "key 0")
    }

    @Test(arguments: [0, 20])
    func `keys are their bytes, not what Swift takes for equal`(others: Int) throws {
        let more = (0..<others).map { ",\"\($0)\":0" }.joined()
        let value = try parse("{\"\u{e9}\":1,\"e\u{301}\":2\(more)}")
        #expect(value["\u{e9}"] == 1)
        #expect(value["e\u{301}"] == 2)
        #expect(throws: JSONError.self) { try parse("{\"\u{e9}\":1,\"\\u00e9\":2\(more)}") }
    }

    @Test func `a key that comes twice is found among many`() {
        let members = (0..<1_000).map { "\"k\($0)\":0" } + ["\"k500\":0"]
        let text = "{\(members.joined(separator: ","))}"
        let error = #expect(throws: JSONError.self) { try parse(text) }
        #expect(error?.byteOffset == text.utf8.count - 9)
    }

    @Test func `the order of members is no part of equality`() throws {
        #expect(try parse("{\"a\":1,\"b\":[2]}") == parse("{\"b\":[2],\"a\":1}"))
        #expect(try parse("{\"a\":1}") != parse("{\"a\":1,\"b\":null}"))
        #expect(try parse("{\"a\":1}") != parse("{\"a\":1.0}"))
        #expect(try parse("{\"a\":1}") != parse("{\"b\":1}"))
    }

    @Test func `accessors give what a value is and nil otherwise`() throws {
        let value: JSONValue = ["n": nil, "b": true, "i": 7, "d": 0.5, "s": "x", "a": [1, "2"], "o": ["k": 1]]
        #expect(value["n"]?.isNull == true)
        #expect(value["b"]?.bool == true)
        #expect(value["i"]?.integer == 7)
        #expect(value["i"]?.double == nil)
        #expect(value["i"]?.number == 7)
        #expect(value["d"]?.double == 0.5)
        #expect(value["d"]?.integer == nil)
        #expect(value["s"]?.string == "x")
        #expect(value["a"]?.array?.count == 2)
        #expect(value["a"]?[1] == "2")
        #expect(value["a"]?[2] == nil)
        #expect(value["a"]?[-1] == nil)
        #expect(value["o"]?.object?["k"] == 1)
        #expect(value["x"] == nil)
        #expect(value["s"]?["x"] == nil)
        #expect(
            ["n", "b", "i", "d", "s", "a", "o"].map { value[$0]?.kind } == [
                "null", "a boolean", "an integer", "a double", "a string", "an array", "an object",
            ])
    }
}
