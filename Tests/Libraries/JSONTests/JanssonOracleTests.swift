import JSON
import Testing

@Suite struct JanssonOracleTests {
    @Test(arguments: UInt64(1)...30)
    func `what we write jansson reads, and we read it as jansson does`(seed: UInt64) throws {
        var random = RandomJSON(seed: seed)
        for _ in 0..<100 {
            let value = random.value()
            for pretty in [false, true] {
                let text = try value.serialized(pretty: pretty)
                #expect(try JSONValue(parsing: text) == value, "seed \(seed)")
                guard case .value(let theirs) = Jansson.parse(text) else {
                    Issue.record("seed \(seed): jansson refused \(String(decoding: text, as: UTF8.self))")
                    continue
                }
                #expect(theirs == value, "seed \(seed)")
            }
            let written = try value.serialized()
            #expect(try JSONValue(parsing: written).serialized() == written, "seed \(seed)")
        }
    }

    /// Jansson refuses NUL in keys, which RFC 8259 allows.
    @Test(arguments: UInt64(1)...40)
    func `damaged texts are refused by both, or both read the same`(seed: UInt64) throws {
        var random = RandomJSON(seed: seed)
        for _ in 0..<250 {
            let text = random.damaged(try random.value(depth: 3).serialized())
            let shown = String(decoding: text, as: UTF8.self)
            switch (try? JSONValue(parsing: text), Jansson.parse(text)) {
            case (let ours?, .value(let theirs)): #expect(ours == theirs, "seed \(seed): \(shown)")
            case (.some, .refused(let reason)):
                #expect(
                    reason.contains("NUL byte in object key"),
                    "seed \(seed): jansson alone refused: \(reason): \(shown)")
            case (nil, .value): Issue.record("seed \(seed): we alone refused: \(shown)")
            case (nil, .refused): break
            }
        }
    }
}
